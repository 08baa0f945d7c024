"""A disk that fills up under a gamed with `always`, which is killed at the first refusal: nothing acknowledged is lost. It needs root, for a
file system in memory.

    full.py GAMED [--rounds 3] [--seed 7]
"""

import argparse
import http.client
import os
import random
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Support", "Python"))

from gamed import Daemon, use_program  # noqa: E402
from resp import Refusal, as_dict  # noqa: E402

FLOW = """{ id: "notes", initial: "open", events: { note: { payload: { text: { type: "string", maxLength: 4000 } } } }, states: { open: { on: { note: "open" } } } }"""
TEXT = "x" * 1500


class Player(threading.Thread):
    """Sends events to a session of its own, and counts those that are acknowledged."""

    def __init__(self, round, number):
        super().__init__(daemon=True)
        self.round, self.session = round, f"s{number}"
        self.asked = self.acknowledged = 0

    def run(self):
        try:
            self.play()
            self.round.refused.set()
        except ConnectionError:
            # A daemon that has ended refuses, too.
            self.round.refused.set()
        except (OSError, http.client.HTTPException, ValueError):
            pass


class RESPPlayer(Player):
    """PINGs come behind each SEND, sometimes with it and sometimes while it waits for the disk."""

    def play(self):
        client, dice = self.round.daemon.resp(), random.Random(self.session)
        while True:
            self.asked += 1
            pings = dice.randrange(4)
            client.send([("SEND", self.session, "note", f'{{"text":"{TEXT}"}}')])
            for _ in range(pings):
                time.sleep(dice.choice([0, 0, 0.0002, 0.001]))
                client.send([("PING",)])
            if isinstance(client.reply(), Refusal):
                return
            self.acknowledged += 1
            if any(isinstance(client.reply(), Refusal) for _ in range(pings)):
                return


class HTTPPlayer(Player):
    """On a connection that stays open."""

    def play(self):
        client = self.round.daemon.client(repeats=False)
        self.asked += 1
        while client.send(self.session, "note", {"text": TEXT}).status == 200:
            self.acknowledged += 1
            self.asked += 1


class Reader(threading.Thread):
    """Asks over HTTP for what needs no disk, so that nearly each turn has something to release."""

    def __init__(self, round):
        super().__init__(daemon=True)
        self.round = round

    def run(self):
        client = self.round.daemon.client(repeats=False)
        try:
            while True:
                client.get("/healthz")
        except (OSError, http.client.HTTPException):
            pass


class Round:
    def __init__(self, number, dice):
        self.number, self.dice = number, dice
        self.daemon = Daemon("--durability", "always", log="error")
        self.daemon.words += ["--flows", self.daemon.path("notes.json5")]
        self.refused = threading.Event()
        os.mkdir(self.daemon.data)
        with open(self.daemon.path("notes.json5"), "w") as file:
            file.write(FLOW)

    def mount(self, kilobytes, *more):
        return subprocess.run(
            ["mount", "-t", "tmpfs", "-o", ",".join([f"size={kilobytes}k", "mode=700", *more]), "tmpfs", self.daemon.data],
            stderr=subprocess.DEVNULL).returncode == 0

    def play(self):
        """Returns what is lost, a line each."""
        if not self.mount(self.dice.randrange(600, 2400)):
            return None
        self.daemon.start()
        client = self.daemon.resp()
        players = [RESPPlayer(self, number) for number in range(4)] + [HTTPPlayer(self, number) for number in range(4, 7)]
        for player in players:
            client.must("NEW", player.session, "notes")
        client.close()
        for thread in players + [Reader(self), Reader(self)]:
            thread.start()
        if not self.refused.wait(60):
            raise SystemExit(f"round {self.number}: nothing is refused within a minute")
        # Others may still be told something in that moment.
        time.sleep(self.dice.choice([0, 0, 0.001, 0.01]))
        self.daemon.kill()
        for player in players:
            player.join(30)
        subprocess.run(["mount", "-o", "remount,size=64m", self.daemon.data], check=True)
        self.daemon.start()
        self.acknowledged = sum(player.acknowledged for player in players)
        return list(filter(None, map(self.loss, players)))

    def loss(self, player):
        """What a session has lost; None if nothing."""
        version = as_dict(self.daemon.resp().must("STATE", player.session))["version"]
        if not player.acknowledged <= version <= player.asked:
            return f"{player.session}: {player.acknowledged} of {player.asked} events were acknowledged, and {version} are there"
        return None

    def remove(self):
        subprocess.run(["umount", "-l", self.daemon.data], stderr=subprocess.DEVNULL)
        self.daemon.remove()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gamed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GAMED_SEED", 7)))
    options = parser.parse_args()
    use_program(options.gamed)
    dice, bad, acknowledged = random.Random(options.seed), 0, 0
    for number in range(1, options.rounds + 1):
        round = Round(number, dice)
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
