"""What gamed replies, word for word: transcript.py GAMED [--write] [NAME…]

Each file of scripts/ has a request a line. A daemon in virtual time is started for it, and what it replies is compared with record/, once
over RESP2 and once over RESP3. Lines of a script:

    NAME> WORD …             a request on the connection NAME, which is opened with it; words are split as a shell does
    http> GET PATH           a request of the HTTP API, and http> POST PATH JSON; {id} is the sandbox that was begun last
    stream> TOPIC …          opens the page's stream; stream: KIND … waits for one event of each of these kinds
    disconnect> stream       closes it
    reconnect> TOPIC …       opens it again, after the last event that came
    wait> SESSION STATE      waits until the session is there: its orchestrator answers in its own time
    # TEXT                   a comment

A NAME that begins with `tcp` is a connection over TCP, which has to log in. One that begins with `sub` has subscribed: what it is told is
recorded after each request of another connection. `--write` writes the record anew: look at its difference before it is committed.
"""

import difflib
import glob
import hashlib
import json
import os
import pwd
import re
import shlex
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Support", "Python"))

from events import Stream  # noqa: E402
from gamed import ROOT, hosting_everything, use_program  # noqa: E402
from resp import RESPClient  # noqa: E402
from waiting import wait_until  # noqa: E402

SECRETS = {role: f"transcript-{role}-0123456789" for role in ("read", "play", "orchestrator", "master")}
TOKENS = "".join(f"{role} {role} {scope}sha256={hashlib.sha256(SECRETS[role].encode()).hexdigest()}\n"
                 for role, scope in [("read", ""), ("play", "sessions=room,room-* "), ("orchestrator", ""), ("master", "")])
USER = re.escape(pwd.getpwuid(os.getuid()).pw_name)
FLOW = os.path.join(HERE, "flows")
# What differs between two runs of the same script, or between two machines.
CHANGING = [
    (re.escape(ROOT), "ROOT"),
    (r'"(at_ms|deadline_ms|last_at_ms)":\d{13}', r'"\1":WALL'), (r"^:\d{13}$", ":WALL"), (r"process=\d+", "process=PID"),
    (r'"boot":"[0-9a-f]+"', '"boot":"BOOT"'), (r'"since":"[0-9a-f]+-', '"since":"BOOT-'), (r'"now_ms":\d{13}', '"now_ms":WALL'), (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"/tmp/gamed-test-\w+", "FOLDER"), (r"once=[\w-]+", "once=SECRET"), (r"this is turn \d+", "this is turn N"), (r'"turn_max_ms":[\d.]+', '"turn_max_ms":N'), (r"\b(obl|used_memory)[=:]\d+", r"\1=N"),
    (r"\b0\.1\.0\b", "VERSION"), (r"user=\w+", "user=USER"), (rf'"(who|actor)":"{USER}"', r'"\1":"USER"'), (rf"^{USER}$", "USER"),
]


class Recorder(RESPClient):
    """A client that records the text of what comes, a frame's line a line."""

    def __init__(self, address, protocol):
        # A connection over TCP has to log in first.
        super().__init__(address, protocol=2 if isinstance(address, tuple) else protocol)
        self.lines, self.has_ended, self.pings = [], False, 0

    def taken(self):
        found, self.lines = self.lines, []
        return found

    def record_reply(self):
        """Reads until a reply has come; pushes before it are recorded, too."""
        while not self.has_ended:
            frame = self.frame()
            self.lines += frame
            if frame[0][:1] != ">":
                break

    def subscribe(self, count):
        """Reads a reply for each name, which RESP3 calls a push, or one error."""
        for _ in range(max(1, count)):
            frame = self.frame()
            self.lines += frame
            if frame[0][:1] == "-":
                break

    def told(self):
        """What was pushed until now: it precedes the replies to two PINGs, each of which is handled in a turn after it."""
        for _ in range(2):
            self.pings += 1
            marker = f"ping-{self.pings}"
            self.send([("PING", marker)])
            while (frame := self.frame())[-1] != marker and not self.has_ended:
                self.lines += frame
        return self.taken()

    def frame(self):
        """The lines of one frame."""
        try:
            line = self.line()
        except ConnectionError:
            self.has_ended = True
            return ["(the connection is closed)"]
        kind, rest = line[:1], line[1:]
        lines = [line.decode()]
        if kind in b"$=" and rest != b"-1":
            lines += self.bulk(int(rest)).decode().replace("\r\n", "\n").split("\n")
        elif kind in b"*>~%" and rest != b"-1":
            for _ in range(int(rest) * (2 if kind == b"%" else 1)):
                lines += self.frame()
        return lines


class Scene:
    """A daemon, and everything that is connected to it."""

    def __init__(self, protocol):
        self.protocol, self.lines, self.stream, self.out = protocol, {}, None, []
        # Of the sandbox that was begun last.
        self.id = "{id}"
        file = tempfile.NamedTemporaryFile("w", suffix=".tokens", delete=False)
        file.write(TOKENS)
        file.close()
        self.tokens = file.name
        self.server = hosting_everything(
            "--flows", FLOW, "--token-file", self.tokens, "--listen", "127.0.0.1:0", unprobed="it counts connections", data="none")
        self.cookie = self.server.logged_in().cookie
        self.web = self.server.client(headers={"Authorization": f"Bearer master.{SECRETS['master']}"})

    def close(self):
        for line in self.lines.values():
            line.close()
        if self.stream:
            self.stream.close()
        self.server.remove()
        os.unlink(self.tokens)

    def play(self, text):
        for line in text.splitlines():
            self.out.append(line)
            name, mark, rest = line.partition("> ")
            if line.startswith("stream: "):
                self.read_stream(line.removeprefix("stream: ").split())
            elif not line or line.startswith("#"):
                continue
            elif not mark:
                raise SystemExit(f"'{line}' is no line of a script")
            elif name == "http":
                self.ask(*rest.split(" ", 2))
            elif name == "wait":
                self.wait(*rest.split())
            elif name == "stream":
                self.open_stream(rest.split())
            elif name == "disconnect":
                self.stream.close()
            elif name == "reconnect":
                self.open_stream(rest.split(), since=self.stream.last_id)
            else:
                self.request(name, shlex.split(rest))
        return self.settled()

    def request(self, name, words):
        if name not in self.lines:
            address = ("127.0.0.1", self.server.tcp_port) if name.startswith("tcp") else self.server.socket_path
            self.lines[name] = Recorder(address, self.protocol)
        line = self.lines[name]
        words = [re.sub(r"^TOKEN-(\w+)$", lambda found: f"{found[1]}.{SECRETS[found[1]]}", word) for word in words]
        line.send([words])
        if words[0].upper().endswith("SUBSCRIBE"):
            line.subscribe((words.index("SINCE") if "SINCE" in words else len(words)) - 1)
        else:
            line.record_reply()
        self.out += line.taken()
        self.listen()

    def listen(self):
        for name, line in self.lines.items():
            if name.startswith("sub") and not line.has_ended:
                told = line.told()
                self.out += [f"{name}: {text}" for text in told]

    def ask(self, method, path, body=None):
        found = self.web.ask(method, path.replace("{id}", self.id), body.encode() if body else None)
        kind = (found.headers.get("Content-Type") or "").split(";")[0]
        self.out.append(f"{found.status} {kind}".rstrip())
        text = found.body.decode()
        self.id = (re.findall(r'^{"id":"(\w+)"', text) or [self.id])[0]
        self.out += self.shown(path, kind, text.replace(self.id, "ID"))
        self.listen()

    def shown(self, path, kind, text):
        if not text:
            return []
        if re.match(r"/metrics|/api/(info|openapi|stream)", path) or kind in ("text/html", "image/svg+xml"):
            return [f"({kind})"]
        return [json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))] if kind == "application/json" else text.splitlines()

    def wait(self, session, state):
        wait_until(lambda: self.web.get(f"/api/sessions/{session}").json["state"] == state, f"{session} in {state}")
        self.listen()

    def open_stream(self, topics, since=None):
        if self.stream:
            self.stream.close()
        self.stream = Stream(self.server.port, topics, since=since, cookie=self.cookie)
        self.out.append(str(self.stream.status))

    def read_stream(self, kinds):
        """In the order in which they are named: which of two kinds comes first depends on when."""
        found = {}
        while set(kinds) - set(found):
            missing = [kind for kind in kinds if kind not in found]
            try:
                event = self.stream.next(where=lambda event: event.kind in missing)
            except AssertionError:
                self.out.append(f"(no {' '.join(missing)} has come)")
                break
            found[event.kind] = event
        for kind in filter(found.get, kinds):
            self.out.append(f"{kind} {json.dumps(found[kind].data, ensure_ascii=False, separators=(',', ':'))}")

    def settled(self):
        text = "\n".join(self.out) + "\n"
        for pattern, replacement in CHANGING:
            text = re.sub(pattern, replacement, text, flags=re.M)
        # The length of a text that changes, changes.
        return re.sub(r"^\$\d+\n(?=.*(WALL|ROOT|PID|PORT|FOLDER|VERSION|USER|=N))", "$N\n", text, flags=re.M)


def played(path, protocol):
    with open(path) as file:
        script = file.read()
    scene = Scene(protocol)
    try:
        return scene.play(script)
    finally:
        scene.close()


def compare(place, text, write):
    """The difference between the record and the text; empty if there is none."""
    if write:
        with open(place, "w") as file:
            file.write(text)
        return ""
    with open(place) as file:
        return "".join(difflib.unified_diff(file.read().splitlines(True), text.splitlines(True), place, "now", n=4))


def all_said(paths):
    """Names of commands, and methods with paths, that some script has."""
    words, routes = set(), []
    for path in paths:
        for line in open(path):
            name, mark, rest = line.partition("> ")
            if mark and name == "http":
                routes.append(rest.split(" ", 2)[:2])
            elif mark and name == "stream":
                routes.append(("GET", "/api/stream"))
            elif mark and name not in ("wait", "disconnect", "reconnect") and not line.startswith("#"):
                words.add(rest.split()[0].lower())
    return words, [(method, route.strip().split("?")[0]) for method, route in routes]


def missing(paths):
    """What the daemon can be asked and no script asks."""
    words, routes = all_said(paths)
    scene = Scene(2)
    try:
        found = [command for command in scene.server.resp().ask("COMMAND", "LIST") if command not in words]
        described = scene.web.get("/api/openapi.json").json["paths"]
        for path, methods in described.items():
            pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$")
            for method in methods:
                if not any(verb == method.upper() and pattern.match(route) for verb, route in routes):
                    found.append(f"{method.upper()} {path}")
        return found
    finally:
        scene.close()


def main():
    words = sys.argv[1:]
    write, names = "--write" in words, [word for word in words[1:] if not word.startswith("--")]
    use_program(words[0])
    scripts = sorted(glob.glob(os.path.join(HERE, "scripts", "*.txt")))
    differences = ""
    for path in scripts:
        name = os.path.basename(path)
        if names and name.removesuffix(".txt") not in names:
            continue
        # A script that says nothing on the wire is played once.
        for protocol, folder in [(2, "resp2"), (3, "resp3")] if all_said([path])[0] else [(2, "http")]:
            differences += compare(os.path.join(HERE, "record", folder, name), played(path, protocol), write)
    unsaid = missing(scripts) if not names else []
    if differences or unsaid:
        print(differences, "\n".join(f"no script has {what}" for what in unsaid), sep="\n")
        print("If the replies are right, `python3 Tests/Transcript/transcript.py GAMED --write` records them.")
        sys.exit(1)


main()
