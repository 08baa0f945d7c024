# What clients were told, and so what must be: the oracle.

import json
import threading
import time


class Broken(AssertionError):
    """A promise is broken, by this session if it is known."""

    def __init__(self, text, session=None):
        super().__init__(text)
        self.session = session


class Tally:
    """A session of the flow `tally`. Only one client sends it events."""

    def __init__(self, name):
        self.name = name
        self.exists = self.asked = False
        self.taken = self.open = self.seen = self.version = 0
        # The events that were acknowledged, by what they carry.
        self.marks = []

    def look(self, state):
        hits = json.loads(state["data"])["hits"]
        # Each begins its counting, and that is a version of its own.
        said = f"{self.name} has {hits} at version {state['version']}: {self.taken} were taken, of {self.open} nobody knows, {self.seen} were there before"
        if not self.taken <= hits <= self.taken + self.open:
            raise Broken(said, self.name)
        if hits < self.seen or state["version"] < self.version:
            raise Broken(f"{said}, then at version {self.version}", self.name)
        self.seen, self.version = hits, state["version"]


class Alarm:
    """A session of the flow `alarm`, set once."""

    def __init__(self, name):
        self.name, self.setAt, self.isSure = name, time.monotonic(), False

    def look(self, state):
        rings = json.loads(state["data"])["rings"]
        if rings > 1 or (rings == 1) != (state["state"] == "rung"):
            raise Broken(f"{self.name} has rung {rings} times, and is in '{state['state']}'", self.name)
        if rings == 1 and time.monotonic() - self.setAt < 3.9:
            raise Broken(f"{self.name} has rung {4 - (time.monotonic() - self.setAt):.2f} s too early", self.name)
        return rings == 1


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.tallies, self.alarms = [], []
        self.counts = {"taken": 0, "unknown": 0, "refused": 0, "reads": 0}
        self.reasons = {}
        self.broken = []

    def count(self, what, reason=None):
        with self.lock:
            self.counts[what] += 1
            if reason:
                key = "".join(" " if letter.isdigit() else letter for letter in reason)[:110]
                self.reasons[key] = self.reasons.get(key, 0) + 1

    def complain(self, problem):
        with self.lock:
            self.broken.append(problem)


def as_state(pairs):
    return dict(zip(pairs[::2], pairs[1::2]))
