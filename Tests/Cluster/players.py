# Clients under load: each has sessions of its own, sends to them, and looks whether they are what they must be.

import json
import random
import threading
import time

from ledger import Alarm, Broken, Tally
from support import Refusal, as_dict, wait_until
from wire import Client, NotDone, Unknown


class Player(threading.Thread):
    def __init__(self, number, addresses, ledger, seed, tallies):
        super().__init__(daemon=True)
        self.number, self.ledger = number, ledger
        self.random = random.Random(f"{seed}-{number}")
        self.client = Client(addresses, self.random)
        self.tallies = [Tally(f"t{number}-{place}") for place in range(tallies)]
        self.alarms = 0
        self.serial = 0
        self.ends = threading.Event()
        ledger.tallies += self.tallies

    def run(self):
        try:
            while not self.ends.is_set():
                self.play()
        except Broken as problem:
            self.ledger.complain(problem)
        except Exception as problem:  # whatever it is, it must be seen
            self.ledger.complain(Broken(f"player {self.number}: {problem!r}"))
        finally:
            self.client.close()

    def play(self):
        try:
            chance = self.random.random()
            tally = self.random.choice(self.tallies)
            if not tally.exists:
                self.begin(tally)
            elif chance < 0.75:
                self.hit(tally)
            elif chance < 0.97:
                self.look(tally)
            else:
                self.set_alarm()
        except NotDone as reason:
            self.ledger.count("refused", str(reason))
            time.sleep(0.02)

    def begin(self, tally):
        try:
            tally.asked = True
            self.client.ask("NEW", tally.name, "tally")
            tally.exists = True
        except Unknown as reason:
            self.ledger.count("unknown", str(reason))
        except Refusal as refusal:
            if refusal.code != "EXISTS":
                raise
            tally.exists = True

    def hit(self, tally):
        self.serial += 1
        mark = f"{self.number}.{self.serial}"
        # With an id, it is sent again whenever its outcome is unknown: it must not count twice.
        identity = ["ID", mark] if self.random.random() < 0.5 else []
        tally.open += 1  # until it is answered
        try:
            while True:
                try:
                    self.client.ask("SEND", tally.name, "hit", '{"mark":"' + mark + '"}', *identity)
                    break
                except (Unknown, NotDone) as reason:
                    if not identity or self.ends.is_set():
                        raise
                    self.ledger.count("repeated", str(reason))
                    time.sleep(0.02)
        except Unknown as reason:
            return self.ledger.count("unknown", str(reason))
        except NotDone:
            # An earlier try may have been done.
            tally.open -= 0 if identity else 1
            raise
        tally.marks.append(mark)
        tally.taken += 1
        tally.open -= 1
        self.ledger.count("taken")

    def look(self, tally):
        try:
            least = tally.least
            tally.look(as_dict(self.client.ask("STATE", tally.name)), least)
            self.ledger.count("reads")
        except Unknown as reason:
            raise NotDone(str(reason)) from reason

    def set_alarm(self):
        self.alarms += 1
        alarm = Alarm(f"a{self.number}-{self.alarms}")
        try:
            self.client.ask("NEW", alarm.name, "alarm")
            alarm.isSure = True
        except Unknown as reason:
            self.ledger.count("unknown", str(reason))
        with self.ledger.lock:
            self.ledger.alarms.append(alarm)


def audit(ledger, addresses, seed, seconds=20):
    """Looks at every session until it is as it must be; those that were asked for and may not exist may be missing."""
    client = Client(addresses, random.Random(seed))
    end = time.monotonic() + seconds
    try:
        for tally in [tally for tally in ledger.tallies if tally.exists]:
            least = tally.least
            tally.look(as_dict(ask_until(client, end, "STATE", tally.name)), least)
            look_for_events(client, end, tally)
        with ledger.lock:
            alarms = list(ledger.alarms)
        for alarm in alarms:
            if ask_until(client, end, "STATE", alarm.name, may_be_missing=not alarm.isSure) is None:
                continue
            wait_until(
                lambda: alarm.look(as_dict(ask_until(client, end, "STATE", alarm.name))),
                lambda: f"{alarm.name}, which was set {time.monotonic() - alarm.setAt:.1f} s ago, rings", left(max(end, alarm.setAt + 10)),
                every=0.05)
        with ledger.lock:
            ledger.alarms = [alarm for alarm in ledger.alarms if alarm not in alarms]
    finally:
        client.close()
    return len(alarms)


def look_for_events(client, end, tally):
    """Each that was acknowledged since the last time stands in the session's history."""
    marks = list(tally.marks)
    lines = map(as_dict, ask_until(client, end, "HISTORY", tally.name, "COUNT", str(2 * len(marks) + 200)))
    taken = (line for line in lines if line["event"] == "hit" and line["refused"] is None)
    tally.look_for(marks, [(json.loads(line["payload"])["mark"], line["version"]) for line in taken])
    del tally.marks[:len(marks)]


def ask_until(client, end, command, name, *more, may_be_missing=False):
    """The reply of a session's node, once it has one; None if there is no such session and that may be."""
    def answers():
        try:
            return [client.ask(command, name, *more)]
        except Refusal as refusal:
            if refusal.code == "NOSESSION" and may_be_missing:
                return [None]
            raise Broken(f"{name} was acknowledged: {refusal}") from refusal

    return wait_until(answers, f"a node answers for {name}", left(end), every=0.05, ignoring=(Unknown, NotDone))[0]


def left(end):
    return max(0, end - time.monotonic())
