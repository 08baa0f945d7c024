"""A disk that fills up under a gamed with `always`, which is killed at the first refusal: nothing acknowledged is lost. It needs root, for a
file system in memory.

    full.py GAMED [--rounds 3] [--seed 7]
"""

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

FLOW = """{ id: "notes", initial: "open", events: { note: { payload: { text: { type: "string", maxLength: 4000 } } } }, states: { open: { on: { note: "open" } } } }"""
PAYLOAD = json.dumps({"text": "x" * 1500}, separators=(",", ":"))


class Player(threading.Thread):
    """Sends events to a session of its own, and counts those that are acknowledged."""

    def __init__(self, round, number):
        super().__init__(daemon=True)
        self.round, self.session = round, f"s{number}"
        self.asked = self.acknowledged = 0

    def run(self):
        try:
            self.play()
        except (OSError, http.client.HTTPException, ValueError):
            pass

    def refused(self):
        self.round.refused.set()


class RESPPlayer(Player):
    """PINGs come behind each SEND, sometimes with it and sometimes while it waits for the disk."""

    def play(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(20)
        connection.connect(self.round.socket)
        replies = connection.makefile("rb")
        event = f"*4\r\n$4\r\nSEND\r\n${len(self.session)}\r\n{self.session}\r\n$4\r\nnote\r\n${len(PAYLOAD)}\r\n{PAYLOAD}\r\n".encode()
        dice = random.Random(self.session)
        while True:
            self.asked += 1
            pings = dice.randrange(4)
            connection.sendall(event)
            for _ in range(pings):
                time.sleep(dice.choice([0, 0, 0.0002, 0.001]))
                connection.sendall(b"PING\r\n")
            reply = replies.readline()
            if not reply.startswith(b"+"):
                return self.refused()
            self.acknowledged += 1
            for _ in range(pings):
                if not replies.readline().startswith(b"+"):
                    return self.refused()


class HTTPPlayer(Player):
    """On a connection that stays open."""

    def play(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.round.port, timeout=20)
        body = f'{{"event":"note","payload":{PAYLOAD}}}'
        while True:
            self.asked += 1
            connection.request("POST", f"/api/sessions/{self.session}/events", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            response.read()
            if response.status != 200:
                return self.refused()
            self.acknowledged += 1


class Reader(threading.Thread):
    """Asks over HTTP for what needs no disk, so that nearly each turn has something to release."""

    def __init__(self, round):
        super().__init__(daemon=True)
        self.round = round

    def run(self):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.round.port, timeout=20)
            while True:
                connection.request("GET", "/healthz")
                connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            pass


class Round:
    def __init__(self, gamed, number, dice):
        self.gamed, self.number, self.dice = gamed, number, dice
        self.folder = tempfile.mkdtemp(prefix="gamed-full-")
        self.data, self.socket = os.path.join(self.folder, "d"), os.path.join(self.folder, "s")
        self.refused = threading.Event()
        self.process = None
        os.mkdir(self.data)
        with open(os.path.join(self.folder, "notes.json5"), "w") as file:
            file.write(FLOW)

    def mount(self, kilobytes, *more):
        return subprocess.run(
            ["mount", "-t", "tmpfs", "-o", ",".join([f"size={kilobytes}k", "mode=700", *more]), "tmpfs", self.data],
            stderr=subprocess.DEVNULL).returncode == 0

    def start(self):
        words = ["--socket", self.socket, "--data", self.data, "--durability", "always", "--http", "127.0.0.1:0", "--http-open",
                 "--flows", os.path.join(self.folder, "notes.json5")]
        environment = {**os.environ, "GAMED_CONFIG": "none"}
        environment.pop("GAMED_HTTP", None)
        self.process = subprocess.Popen([self.gamed, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True)
        for line in self.process.stdout:
            if line.startswith("page: "):
                self.port = int(line.split("//")[1].split("/")[0].rsplit(":", 1)[1])
            if line.startswith("kept:"):
                return
        raise SystemExit(f"round {self.number}: gamed does not start")

    def ask(self, *words):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(self.socket)
            connection.sendall((" ".join(words) + "\r\n").encode())
            connection.shutdown(socket.SHUT_WR)
            return connection.makefile("rb").read().decode()

    def version(self, session):
        lines = self.ask("STATE", session).split("\r\n")
        return int(lines[lines.index("version") + 1].lstrip(":"))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def play(self):
        """Returns what is lost, a line each."""
        if not self.mount(self.dice.randrange(600, 2400)):
            return None
        self.start()
        players = [RESPPlayer(self, number) for number in range(4)] + [HTTPPlayer(self, number) for number in range(4, 7)]
        for player in players:
            reply = self.ask("NEW", player.session, "notes")
            if not reply.startswith("+"):
                raise SystemExit(f"round {self.number}: {reply}")
        for thread in players + [Reader(self), Reader(self)]:
            thread.start()
        if not self.refused.wait(60):
            raise SystemExit(f"round {self.number}: nothing is refused within a minute")
        # Others may still be told something in that moment.
        time.sleep(self.dice.choice([0, 0, 0.001, 0.01]))
        self.kill()
        for player in players:
            player.join(30)
        subprocess.run(["mount", "-o", "remount,size=64m", self.data], check=True)
        self.start()
        lost = []
        for player in players:
            version = self.version(player.session)
            if not player.acknowledged <= version <= player.asked:
                lost.append(f"{player.session}: {player.acknowledged} of {player.asked} events were acknowledged, and {version} are there")
        self.acknowledged = sum(player.acknowledged for player in players)
        self.kill()
        return lost

    def remove(self):
        if self.process and self.process.poll() is None:
            self.kill()
        subprocess.run(["umount", "-l", self.data], stderr=subprocess.DEVNULL)
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gamed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GAMED_SEED", 7)))
    options = parser.parse_args()
    dice, bad, acknowledged = random.Random(options.seed), 0, 0
    for number in range(1, options.rounds + 1):
        round = Round(options.gamed, number, dice)
        try:
            lost = round.play()
        finally:
            round.remove()
        if lost is None:
            print("no file system can be mounted here")
            return 0
        acknowledged += round.acknowledged
        bad += bool(lost)
        for line in lost:
            print(f"round {number}: {line}", flush=True)
        if number % 10 == 0:
            print(f"{number} rounds, {bad} with a loss, {acknowledged} events acknowledged", flush=True)
    print(f"seed {options.seed}: {options.rounds} rounds, {bad} with a loss, {acknowledged} events acknowledged")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
