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
        # What the events carry that were acknowledged and not looked for in the history yet; and the versions of those that were found there.
        self.marks, self.found = [], {}

    @property
    def least(self):
        """What a question that is asked now will be answered with, at the least."""
        return max(self.taken, self.seen), self.version

    def look(self, state, least):
        """`least` is from before it was asked: its player goes on meanwhile."""
        hits, version = json.loads(state["data"])["hits"], state["version"]
        (fewest, lowest), most = least, self.taken + self.open
        if not fewest <= hits <= most or version < lowest:
            raise Broken(
                f"{self.name} has {hits} at version {version}; there were {fewest} at version {lowest}, {self.taken} were taken, "
                f"and the outcome of {self.open} is unknown", self.name)
        self.seen, self.version = max(self.seen, hits), max(self.version, version)

    def look_for(self, marks, hits):
        """These events stand in the history, whose hits are pairs of a mark and a version; and none stands there twice."""
        there = set()
        for mark, version in hits:
            if self.found.setdefault(mark, version) != version or mark in there:
                raise Broken(f"{self.name}: the event {mark} was taken twice, at versions {self.found[mark]} and {version}", self.name)
            there.add(mark)
        lost = [mark for mark in marks if mark not in there]
        if lost:
            raise Broken(f"{self.name}: {len(lost)} acknowledged events are not in the history, such as {lost[:3]}", self.name)

    def newest_found(self, count):
        return sorted(self.found, key=self.found.get)[-count:]


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
        self.counts = {"taken": 0, "unknown": 0, "refused": 0, "repeated": 0, "reads": 0}
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
