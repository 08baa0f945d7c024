#!/usr/bin/env python3
"""Installs the package in a fresh Debian and uses it as a newcomer would; then it is upgraded, removed and purged. `make test-package`
runs it, as root, after `make deb`.

    test.py [--base FILE] [--previous FILE]
        base: a root as mmdebstrap makes it; otherwise one is made, and kept in .build/package
        previous: the package of an earlier release, which is upgraded to this one (make test-package PREVIOUS=FILE)"""

import hashlib, json, os, pathlib, re, shutil, subprocess, sys, time, traceback

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / ".build/package"
sys.path[:0] = [str(HERE), str(ROOT / "Tests/Support/Python")]
from machine import Machine
from waiting import wait_until

STEPS = []


def step(sentence):
    def add(function):
        STEPS.append((sentence, function))
        return function
    return add


# Requirements


def newest_package():
    version = subprocess.run([ROOT / "scripts/version"], capture_output=True, text=True, check=True).stdout.strip()
    found = list((ROOT / ".build/dist").glob(f"gamed_{version}_*.deb"))
    if not found:
        sys.exit("there is no package in .build/dist: run 'make deb' first")
    return found[0], version


def field(deb, name):
    return subprocess.run(["dpkg-deb", "-f", deb, name], capture_output=True, text=True, check=True).stdout.strip()


def base_for(deb):
    """A minimal bookworm with systemd and the package's dependencies, so that installing it needs no network."""
    needs = [re.split(r"[ |(]", part.strip())[0] for part in field(deb, "Depends").split(",")]
    include = sorted({"systemd", "systemd-sysv", "dbus", "bash-completion", "sqlite3", "redis-tools", "python3-minimal", *needs})
    path = WORK / f"base-{hashlib.sha256(' '.join(include).encode()).hexdigest()[:12]}.tar"
    if not path.exists():
        print(f"# makes a Debian with {' '.join(include)}", flush=True)
        subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(include)}", "bookworm", path], check=True)
    return path


def higher_version(deb, version):
    """The same package under a higher number, with the programs of this one: an upgrade is another package to dpkg."""
    folder = WORK / "higher"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["dpkg-deb", "-R", deb, folder], check=True)
    control = folder / "DEBIAN/control"
    control.write_text(re.sub(r"^Version: .*$", f"Version: {version}+later", control.read_text(), flags=re.M))
    # A setting that the next version also has.
    settings = folder / "etc/gamed/gamed.json5"
    settings.write_text(settings.read_text().replace("{\n", "{\n  // A line of the next version.\n", 1))
    path = WORK / f"gamed_{version}+later.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", folder, path], check=True, stdout=subprocess.DEVNULL)
    return path


def unpacked(deb):
    tree = WORK / "unpacked"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["dpkg-deb", "-x", deb, tree], check=True)
    return tree


def wait_for(machine, sentence, test):
    """Waits, and fails with the end of the service's log."""
    log = lambda: machine.run("journalctl", "-u", "gamed", "-n", "30", "--no-pager").output
    wait_until(test, lambda: f"{sentence}\n{log()}", every=0.1)


def is_healthy(machine):
    return machine.run("gamectl", "health").status == 0


def state(machine, session):
    return json.loads(machine.must("gamectl", "--json", "state", session))["state"]


def owner(machine, path):
    return machine.must("stat", "-c", "%U:%G %a", path).strip()


def settings(machine, *changes):
    """Uncomments a setting and sets its value."""
    path = machine.path("/etc/gamed/gamed.json5")
    text = path.read_text()
    for name, value in changes:
        key = f'"{name}"' if "-" in name else name
        text, count = re.subn(rf"^  (?:// )?{key}: .*$", lambda _: f"  {key}: {value},", text, count=1, flags=re.M)
        assert count, f"no setting {name} in the installed file"
    path.write_text(text)


# As a newcomer


@step("the package installs in a fresh Debian, without network, and its service runs")
def _(m, w):
    shutil.copy(w.deb, m.path("/root/gamed.deb"))
    print("#   " + m.must("apt-get", "install", "-y", "--no-install-recommends", "/root/gamed.deb").strip().split("\n")[-1])
    assert m.must("systemctl", "is-active", "gamed.service").strip() == "active"
    assert m.must("systemctl", "is-enabled", "gamed.service").strip() == "enabled"
    wait_for(m, "gamectl health", lambda: is_healthy(m))


@step("it is a user of its own, and its data belongs to it alone")
def _(m, w):
    assert owner(m, "/var/lib/gamed") == "gamed:gamed 700", owner(m, "/var/lib/gamed")
    assert owner(m, "/var/lib/gamed/gamed.db").startswith("gamed:gamed 600")
    pid = m.must("systemctl", "show", "-P", "MainPID", "gamed").strip()
    assert m.must("stat", "-c", "%U", f"/proc/{pid}").strip() == "gamed"
    assert owner(m, "/run/gamed/gamed.sock").split()[0] == "gamed:gamed"


@step("systemd knows when it is ready, and its log has no link that logs somebody in")
def _(m, w):
    if "notify" not in m.must("systemctl", "show", "-P", "Type", "gamed"):
        return "the unit does not wait for gamed to be ready"
    assert "login?once=" not in m.must("journalctl", "-u", "gamed", "--no-pager")
    for unit in w.units(m):
        assert m.must("systemctl", "is-active", unit).strip() == "active", unit
    assert m.must("systemctl", "show", "-P", "StatusText", "gamed").strip()


@step("root plays a game, and a stranger does not")
def _(m, w):
    m.must("gamectl", "new", "room", "game")
    m.must("gamectl", "send", "room", "startPlaying")
    assert state(m, "room") == "choosingEpisode"
    m.must("useradd", "--create-home", "stranger")
    assert m.run("gamectl", "--socket", "/run/gamed/gamed.sock", "state", "room", user="stranger").status != 0


@step("a member of the group gamed plays")
def _(m, w):
    if "--allow-group" not in m.must("gamed", "--help"):
        return "gamed has no --allow-group yet"
    m.must("useradd", "--create-home", "--groups", "gamed", "player")
    m.must("gamectl", "--socket", "/run/gamed/gamed.sock", "state", "room", user="player")
    assert m.run("gamectl", "state", "room", user="player").status == 0, "gamectl finds the service's socket by itself"


@step("an example is hosted as the guide for operators says")
def _(m, w):
    m.path("/etc/gamed/flows").mkdir()
    shutil.copy(m.path("/usr/share/gamed/examples/Flows/quiz.json5"), m.path("/etc/gamed/flows/quiz.json5"))
    m.must("gamectl", "test", "/usr/share/gamed/examples/Flows/quiz.scenario")
    settings(m, ("flows", '"flows"'))
    m.must("gamed", "--check")
    m.must("systemctl", "reload", "gamed")
    wait_for(m, "the flow quiz", lambda: "quiz" in m.must("gamectl", "flows").split())
    m.must("gamectl", "new", "evening", "quiz")
    assert "flows" in m.must("gamectl", "config", "--changed")


@step("the documents that help names are there, and so are alerts and a dashboard")
def _(m, w):
    named = set(re.findall(r"docs/[A-Z-]+\.md", m.must("gamed", "--help")))
    assert len(named) >= 4, named
    for name in named:
        assert m.path(f"/usr/share/doc/gamed/{name}").is_file(), name
    for name in ("alerts.yml", "dashboard.json"):
        assert m.path(f"/usr/share/gamed/monitoring/{name}").is_file(), name


@step("a wrong setting is told with its line, and reload leaves everything as it was")
def _(m, w):
    path = m.path("/etc/gamed/gamed.json5")
    right = path.read_text()
    path.write_text(right.replace("{\n", '{\n  durability: "sometimes",\n', 1))
    result = m.run("gamed", "--check")
    assert result.status == 78 and "gamed.json5:" in result.output, f"{result.status} {result.output}"
    m.run("systemctl", "reload", "gamed")
    assert is_healthy(m) and state(m, "room") == "choosingEpisode"
    m.run("systemctl", "restart", "gamed")
    wait_for(m, "the service fails", lambda: m.run("systemctl", "is-failed", "gamed.service").output.strip() == "failed")
    assert m.must("systemctl", "show", "-P", "NRestarts", "gamed").strip() == "0", "what ends the same way is not started again"
    path.write_text(right)
    m.must("systemctl", "reset-failed", "gamed")
    m.must("systemctl", "start", "gamed")
    wait_for(m, "gamectl health", lambda: is_healthy(m))


@step("a token opens TCP")
def _(m, w):
    desk = new_token(m, "desk", "--role", "master")
    screen = new_token(m, "screen-7", "--role", "read", "--sessions", "room-7-*")
    m.must("chgrp", "gamed", "/etc/gamed/tokens")
    m.must("chmod", "640", "/etc/gamed/tokens")
    settings(m, ("token-file", '"tokens"'), ("listen", '["127.0.0.1:7654"]'))
    m.must("systemctl", "restart", "gamed")
    wait_for(m, "gamectl health", lambda: is_healthy(m))

    def state(*words):
        return m.run("redis-cli", "-p", "7654", "--no-auth-warning", *words, "STATE", "room").output

    answer = state("-a", desk)
    assert "choosingEpisode" in answer, answer
    assert "NOAUTH" in state()
    assert "NOPERM" in state("-a", screen)
    m.must("gamectl", "token", "revoke", "screen-7", "--file", "/etc/gamed/tokens")
    m.must("systemctl", "reload", "gamed")
    wait_for(m, "the revoked token", lambda: "NOAUTH" in state("-a", screen))


def new_token(m, name, *words):
    """Creates a token with gamectl, and returns it."""
    output = m.must("gamectl", "token", "new", name, *words, "--file", "/etc/gamed/tokens")
    return next(word for word in output.split() if word.startswith(f"{name}."))


@step("the settings survive, and so do the sessions, when it is restarted and when it is killed")
def _(m, w):
    m.must("gamectl", "send", "room", "chooseEpisode", "3")
    m.must("systemctl", "restart", "gamed")
    wait_for(m, "gamectl health", lambda: is_healthy(m))
    assert state(m, "room") == "choosingLevel"
    time.sleep(1.5)
    m.must("systemctl", "kill", "-s", "KILL", "gamed.service")
    wait_for(m, "it is started again", lambda: is_healthy(m))
    assert state(m, "room") == "choosingLevel"
    assert m.must("systemctl", "show", "-P", "NRestarts", "gamed").strip() == "1"


@step("a backup is made, and restored as the guide says")
def _(m, w):
    m.must("gamectl", "backup", "/var/backups/gamed/monday.db")
    for guide in ("OPERATIONS.md", "TROUBLE.md"):
        m.must("gamectl", "drop", "room")
        m.must("bash", "-c", restoring(guide))
        wait_for(m, "gamectl health", lambda: is_healthy(m))
        assert state(m, "room") == "choosingLevel"
    kept = list(m.path("/var/lib/gamed").glob("aside.*/gamed.db"))
    assert len(kept) == 2, f"each restore keeps the files that it replaces: {kept}"
    # A command that fails ends the restore: the running service's files stay.
    assert m.run("bash", "-c", "mktemp() { false; }\n" + restoring("OPERATIONS.md")).status != 0
    w.start(m)
    wait_for(m, "gamectl health", lambda: is_healthy(m))


def restoring(guide):
    """The guide's commands that restore a backup of the service."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "docs" / guide).read_text(), re.M | re.S)
    return next(block for block in blocks if "/var/lib/gamed/gamed.db" in block)


@step("the manual and the completions are there, and bash completes")
def _(m, w):
    for page in ("man8/gamed.8", "man1/gamectl.1", "man5/gamed-flow.5", "man7/gamed-commands.7"):
        listed = m.must("dpkg", "-L", "gamed")
        assert f"/usr/share/man/{page}.gz" in listed, page
    script = """
        source /usr/share/bash-completion/completions/gamectl
        COMP_LINE='gamectl state ro' COMP_POINT=16; _gamectl gamectl ro state; echo "${COMPREPLY[*]}"
        """
    assert m.must("bash", "-c", script).strip() == "room", m.run("bash", "-c", script).output
    doctor = m.run("gamectl", "doctor")
    assert doctor.status in (0, 1), doctor.output


# Over time


@step("the sockets for TCP and the page, once enabled, stop and start with gamed.socket")
def _(m, w):
    assert set(open_since(m)) == {"gamed.socket"}, "the others are disabled"
    m.must("systemctl", "enable", *SOCKETS)
    w.stop(m)
    assert not open_since(m), open_since(m)
    w.start(m)
    wait_for(m, "gamectl health", lambda: is_healthy(m))
    assert set(open_since(m)) == set(SOCKETS), open_since(m)
    assert_served(m)
    for unit in ("gamed.service", "gamed-tcp.socket", "gamed-http.socket"):
        assert "0.0.0.0/0" in m.must("systemctl", "show", "-P", "IPAddressDeny", unit), f"{unit} blocks the network"


SOCKETS = ["gamed.socket", "gamed-tcp.socket", "gamed-http.socket"]


def open_since(machine):
    """The time at which each open socket was opened."""
    found = {unit: machine.must("systemctl", "show", "-P", "ActiveEnterTimestampMonotonic", unit).strip() for unit in SOCKETS}
    return {unit: time for unit, time in found.items() if machine.run("systemctl", "is-active", unit).output.strip() == "active"}


def assert_served(machine):
    """Commands over TCP and requests to the page get a reply."""
    assert "NOAUTH" in machine.run("redis-cli", "-p", "7654", "STATE", "room").output
    request = r"exec 3<>/dev/tcp/127.0.0.1/7650; printf 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:7650\r\nConnection: close\r\n\r\n' >&3; cat <&3"
    assert machine.run("bash", "-c", request).output.startswith("HTTP/1.1 "), "the page"


@step("an upgrade leaves sessions and settings, and a setting of one's own")
def _(m, w):
    before = m.must("systemctl", "show", "-P", "MainPID", "gamed")
    sockets = open_since(m)
    mine = m.path("/etc/gamed/gamed.json5").read_text()
    shutil.copy(w.later, m.path("/root/later.deb"))
    m.must("apt-get", "install", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold", "/root/later.deb")
    assert m.must("dpkg-query", "-W", "-f", "${Version}", "gamed") == w.version + "+later"
    wait_for(m, "gamectl health", lambda: is_healthy(m))
    assert m.must("systemctl", "show", "-P", "MainPID", "gamed") != before, "the new program runs"
    assert open_since(m) == sockets, "the sockets stay open, and clients wait in them"
    assert_served(m)
    assert state(m, "room") == "choosingLevel"
    assert m.path("/etc/gamed/gamed.json5").read_text() == mine


@step("data of every format that there has been is taken over")
def _(m, w):
    for folder in sorted((ROOT / "Tests/Fixtures").glob("format-*")):
        for kind in ("clean", "crashed"):
            said = json.loads((folder / f"{kind}.said.json").read_text())
            w.stop(m)
            m.must("sh", "-c", "rm -rf /root/mine; mkdir /root/mine; mv /var/lib/gamed/gamed.* /root/mine/")
            for file in (folder / kind).iterdir():
                shutil.copy(file, m.path("/var/lib/gamed") / file.name)
            m.must("sh", "-c", "chown gamed:gamed /var/lib/gamed/* && chmod 600 /var/lib/gamed/*")
            w.start(m)
            wait_for(m, f"{folder.name} {kind}", lambda: is_healthy(m))
            cursor, names = json.loads(m.must("gamectl", "--json", "raw", "SESSIONS", "0", "COUNT", "1000"))
            assert len(names) == len(said["sessions"]), f"{folder.name} {kind}: {len(names)} and not {len(said['sessions'])}"
            w.stop(m)
            m.must("sh", "-c", "rm -f /var/lib/gamed/gamed.*; mv /root/mine/gamed.* /var/lib/gamed/")
    w.start(m)
    wait_for(m, "gamectl health", lambda: is_healthy(m))
    assert state(m, "room") == "choosingLevel"


@step("removal leaves data and settings, and they are there when it comes back")
def _(m, w):
    m.must("apt-get", "remove", "-y", "gamed")
    assert not m.path("/usr/bin/gamed").exists()
    assert not open_since(m) and m.run("systemctl", "is-active", "gamed.service").status != 0, "nothing listens"
    assert m.path("/var/lib/gamed/gamed.db").exists() and m.path("/etc/gamed/gamed.json5").exists()
    m.must("apt-get", "install", "-y", "--no-install-recommends", "/root/later.deb")
    wait_for(m, "gamectl health", lambda: is_healthy(m))
    assert state(m, "room") == "choosingLevel"
    assert set(open_since(m)) == set(SOCKETS), open_since(m)
    assert_served(m)


@step("purging deletes data and settings; the user stays")
def _(m, w):
    m.must("apt-get", "purge", "-y", "gamed")
    for path in ("/var/lib/gamed", "/etc/gamed/gamed.json5", "/usr/bin/gamed", "/run/gamed"):
        assert not m.path(path).exists(), path
    m.must("getent", "passwd", "gamed")
    assert m.path("/var/backups/gamed/monday.db").exists(), "backups stay"
    assert m.run("systemctl", "cat", "gamed").status != 0


@step("purging deletes the data in a mounted directory, and leaves the mount point")
def _(m, w):
    m.must("apt-get", "install", "-y", "--no-install-recommends", "/root/later.deb")
    wait_for(m, "gamectl health", lambda: is_healthy(m))
    m.must("mount", "--bind", "/var/lib/gamed", "/var/lib/gamed")
    m.must("apt-get", "purge", "-y", "gamed")
    assert m.must("ls", "-A", "/var/lib/gamed") == ""
    m.must("umount", "/var/lib/gamed")
    m.must("rmdir", "/var/lib/gamed")


@step("an earlier release is upgraded, with its sessions")
def _(m, w):
    if not w.previous:
        return "no earlier release was given: PREVIOUS=FILE"
    for package in (w.previous, w.deb):
        shutil.copy(package, m.path("/root/gamed.deb"))
        m.must("apt-get", "install", "-y", "--no-install-recommends", "/root/gamed.deb")
        wait_for(m, "gamectl health", lambda: is_healthy(m))
        if package == w.previous:
            m.must("gamectl", "new", "room", "game")
            m.must("gamectl", "send", "room", "startPlaying")
    assert state(m, "room") == "choosingEpisode"
    m.must("apt-get", "purge", "-y", "gamed")


# Shells that a minimal Debian lacks, on this machine


@step("zsh and fish complete, too")
def _(m, w):
    tree = unpacked(w.deb)
    environment = os.environ | {"PATH": f"{tree}/usr/bin:{os.environ['PATH']}", "GAMED_SOCKET": "/nonexistent", "HOME": str(WORK), "TERM": "dumb"}
    left = []
    for shell, command, expected in [
        ("fish", f"source {tree}/usr/share/fish/vendor_completions.d/gamectl.fish; complete -C 'gamectl undr'", "undrop\t"),
        ("fish", f"source {tree}/usr/share/fish/vendor_completions.d/gamed.fish; complete -C 'gamed --durability al'", "always"),
        ("zsh", ZSH.replace("TREE", str(tree)).replace("TYPED", "gamectl undr"), "gamectl undrop"),
        ("zsh", ZSH.replace("TREE", str(tree)).replace("TYPED", "gamed --durability al"), "gamed --durability always"),
    ]:
        if not shutil.which(shell):
            left.append(shell)
            continue
        done = subprocess.run([shell, "-c", command.replace("WANTED", f"'{expected}'")], env=environment, capture_output=True, text=True, timeout=60)
        assert expected in done.stdout, f"{shell}: {expected!r} is not in {done.stdout!r} {done.stderr!r}"
    return f"there is no {', '.join(sorted(set(left)))} here" if left else None


# A zsh in a terminal of its own, with typed input.
ZSH = r"""
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell 'PROMPT=; fpath=(TREE/usr/share/zsh/vendor-completions $fpath); autoload -U compinit; compinit -D -u; print rea""dy'
    until [[ $line == *$'\nready'* ]]; do zpty -r shell part || break; line+=$part; done
    zpty -w -n shell $'TYPED\t'
    line=
    for try in {1..200}; do
        zpty -r -t shell part && line+=$part || sleep 0.05
        [[ $line == *WANTED* ]] && break
    done
    print -r -- $line
"""


# Integrations


@step("the service works within what its unit leaves it")
def _(m, w):
    script = ROOT / "Tests/Service/confined.py"
    if not script.exists():
        return f"there is no {script.name} here"
    gamed = unpacked(w.deb) / "usr/bin/gamed"
    done = subprocess.run([sys.executable, script, gamed], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:]


class World:
    def __init__(self, previous):
        self.previous = previous
        self.deb, self.version = newest_package()
        self.later = higher_version(self.deb, self.version)

    @staticmethod
    def units(machine):
        """Stops the socket with the service, which it would start again, and starts it first."""
        has_socket = machine.run("systemctl", "is-enabled", "gamed.socket").status == 0
        return ["gamed.socket", "gamed.service"] if has_socket else ["gamed.service"]

    def stop(self, machine):
        machine.must("systemctl", "stop", *reversed(self.units(machine)))

    def start(self, machine):
        """Resets systemd's start limit first, since tests start units more often than a person would."""
        for unit in {*SOCKETS, *self.units(machine)}:
            machine.run("systemctl", "reset-failed", unit)
        for unit in self.units(machine):
            machine.must("systemctl", "start", unit)


def main(words):
    if os.geteuid() != 0:
        sys.exit("only root can boot another Debian: run it as root")
    WORK.mkdir(parents=True, exist_ok=True)
    given = dict(zip(words[::2], words[1::2]))
    world = World(given.get("--previous"))
    base = given.get("--base") or base_for(world.deb)
    machine = Machine(base, WORK / "root").boot()
    failed = 0
    print(f"TAP version 13\n1..{len(STEPS)}", flush=True)
    try:
        for number, (sentence, function) in enumerate(STEPS, 1):
            began = time.monotonic()
            try:
                left = function(machine, world)
                print(f"ok {number} - {sentence}" + (f" # SKIP {left}" if left else f" ({time.monotonic() - began:.1f} s)"), flush=True)
            except Exception as error:
                failed += 1
                text = str(error) if isinstance(error, AssertionError) and str(error) else traceback.format_exc()
                print(f"not ok {number} - {sentence}\n# " + text.replace("\n", "\n# "), flush=True)
                if number == 1:
                    print("Bail out! Nothing else can work.")
                    break
    finally:
        machine.stop()
    sys.exit(1 if failed else 0)


main(sys.argv[1:])
