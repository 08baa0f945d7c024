#!/usr/bin/env python3
"""Clients that repeat what they may, against two nodes whose database restarts and whose replies are lost: no event stands twice.

    repeats.py PROGRAM [--rounds N] [--seed N]

Half of the clients repeat as clients of Redis Cluster do: after TRYAGAIN and CLUSTERDOWN. The other half repeat after every outcome that is not
known, also after a connection that was closed, and give each event an id."""

import argparse
import collections
import json
import random
import shutil
import subprocess
import tempfile
import threading
import time

from database import Database
from nodes import Node, start
from support import Refusal, RESPClient, init_store, use_program, wait_until
from wire import new_place

CLIENTS, SESSIONS = 12, 24


class Repeater(threading.Thread):
    def __init__(self, number, addresses, seed, gives_ids):
        super().__init__(daemon=True)
        self.number, self.addresses, self.gives_ids = number, addresses, gives_ids
        self.random = random.Random(f"{seed}-{number}")
        self.connections, self.acknowledged = {}, []
        self.counts = collections.Counter()
        self.ends = threading.Event()
        self.fault = None

    def run(self):
        serial = 0
        try:
            while not self.ends.is_set():
                serial += 1
                self.send(f"{self.number}.{serial}")
        except Exception as fault:  # whatever it is, it must be seen
            self.fault = fault

    def send(self, mark):
        session = f"s{self.random.randrange(SESSIONS)}"
        place = self.random.choice(self.addresses)
        identity = ["ID", mark] if self.gives_ids else []
        while not self.ends.is_set():
            try:
                self.connection(place).must("SEND", session, "hit", json.dumps({"mark": mark}), *identity)
                self.counts["taken"] += 1
                return self.acknowledged.append((session, mark))
            except Refusal as refusal:
                self.counts[refusal.code] += 1
                if refusal.code == "MOVED":
                    place = new_place(refusal)
                    continue
                if refusal.code not in ("TRYAGAIN", "CLUSTERDOWN") and not (self.gives_ids and refusal.code == "UNKNOWN"):
                    if refusal.code == "UNKNOWN":
                        return
                    raise
            except OSError:
                self.counts["closed"] += 1
                self.connections.pop(place, None)
                if not self.gives_ids:
                    return
                place = self.random.choice(self.addresses)
            time.sleep(0.01)

    def connection(self, place):
        if place not in self.connections:
            self.connections[place] = RESPClient(place, 5)
        return self.connections[place]


def eventually(holds, what):
    """Waits, although nodes and database may refuse meanwhile."""
    wait_until(holds, what, 40, every=0.05, ignoring=(Refusal, OSError, subprocess.CalledProcessError))


def restart(database, nodes, chance):
    database.process.send_signal(2)
    database.process.wait()
    database.start()


def lose_replies(database, nodes, chance):
    node = chance.choice(nodes)
    node.network.swallows["down"] = True
    time.sleep(chance.uniform(0.05, 0.5))
    node.network.heal()


def cut(database, nodes, chance):
    for node in nodes:
        node.network.cut()


def count_twice(database, acknowledged):
    """Of the events in the history: how many stand there twice, and how many of the acknowledged ones are missing."""
    stands = collections.Counter(
        (name, json.loads(payload)["mark"])
        for name, payload in database.ask(
            "SELECT name, payload FROM history WHERE event = 'hit' AND what = 'taken' AND facts IS NULL"))
    return sum(1 for times in stands.values() if times > 1), sum(1 for event in acknowledged if not stands[event]), len(stands)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-ids", action="store_true", help="for a program that has none: all repeat as clients of Redis Cluster do")
    arguments = parser.parse_args()
    chance, folder = random.Random(arguments.seed), tempfile.mkdtemp(prefix="gamed-repeats-")
    use_program(arguments.program)
    database, nodes = Database(), []
    try:
        init_store(database.uri(), "--shards", "8")
        options = ["--limit", "history=1000000", "--limit", "session-history=10000"]
        nodes += [Node(database, folder, name, *options) for name in "ab"]
        start(nodes)
        for number in range(SESSIONS):
            eventually(lambda: any(begin(node.address, f"s{number}") for node in nodes), f"the session s{number} is created")
        clients = [
            Repeater(number, [node.address for node in nodes], arguments.seed, number % 2 == 0 and not arguments.without_ids)
            for number in range(CLIENTS)]
        for client in clients:
            client.start()
        for number in range(arguments.rounds):
            time.sleep(0.7)
            [restart, lose_replies, cut][number % 3](database, nodes, chance)
            goal = sum(client.counts["taken"] for client in clients) + 50
            eventually(lambda: sum(client.counts["taken"] for client in clients) > goal, "events are taken again")
        for client in clients:
            client.ends.set()
        for client in clients:
            client.join(20)
        faults = [client.fault for client in clients if client.fault]
        for node in nodes:
            node.leave()
        # What is left in the log, the next node brings into the tables.
        nodes[0].start()
        eventually(lambda: database.ask("SELECT count(*) FROM log") == [["0"]], "the log is in the tables")
        twice, lost, whole = count_twice(database, [event for client in clients for event in client.acknowledged])
        counts = sum((client.counts for client in clients), collections.Counter())
        print(f"{whole} events, {twice} of them twice, {lost} acknowledged and lost; {dict(counts)}")
        if faults or twice or lost:
            raise SystemExit(f"broken: {faults[:3]}")
    finally:
        for node in nodes:
            node.remove()
        database.end()
        shutil.rmtree(folder, ignore_errors=True)


def begin(address, name):
    client = RESPClient(address, 3)
    try:
        return client.must("NEW", name, "tally")
    except Refusal as refusal:
        return refusal.code == "EXISTS"
    finally:
        client.close()


main()
