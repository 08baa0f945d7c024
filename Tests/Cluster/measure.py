#!/usr/bin/env python3
"""How long sessions are without an owner: after kill -9 of a node, after SIGTERM, and while a shard of many sessions is taken over.

    measure.py PROGRAM [--rounds N] [--sessions N]"""

import argparse
import json
import random
import shutil
import sys
import tempfile
import threading
import time

from database import Database
from nodes import Node, start
from support import Refusal, init_store, use_program, wait_until
from wire import Client, NotDone, Unknown

SHARDS = 48


class Watch(threading.Thread):
    """Asks for one session all the time, and records the longest time without an answer."""

    def __init__(self, addresses, session):
        super().__init__(daemon=True)
        self.client, self.session = Client(addresses, random.Random(session), seconds=1), session
        self.last, self.longest, self.ends = time.monotonic(), 0.0, False

    def run(self):
        while not self.ends:
            try:
                self.client.ask("SEND", self.session, "hit", '{"mark":"x"}')
                now = time.monotonic()
                self.longest, self.last = max(self.longest, now - self.last), now
            except (Unknown, NotDone):
                pass
            time.sleep(0.002)
        self.client.close()


def gaps(nodes, node, act, wait):
    """The longest silence of each of some sessions that this node has, over what `act` does to it and until `wait` returns."""
    addresses = [node.address for node in nodes]
    watches = [Watch(addresses, f"w{number}") for number in range(24)]
    for watch in watches:
        watch.start()
    time.sleep(0.5)
    there = [watch for watch in watches if watch.client.places.get(watch.session) == node.address]
    for watch in watches:
        watch.longest = 0.0
    act()
    wait()
    time.sleep(1)
    for watch in watches:
        watch.ends = True
    for watch in watches:
        watch.join()
    return [watch.longest for watch in there]


def tell(what, values):
    values = sorted(values)
    figures = {"p50_ms": round(values[len(values) // 2] * 1_000), "max_ms": round(values[-1] * 1_000), "count": len(values)}
    print(f"{what}: {json.dumps(figures)}", flush=True)


class Cluster:
    def __init__(self, shards, count):
        self.folder = tempfile.mkdtemp(prefix="gamed-measure-")
        self.database = Database()
        init_store(self.database.uri(), "--shards", str(shards))
        self.nodes = [Node(self.database, self.folder, name, unprobed="it would be measured, too") for name in "abc"[:count]]

    def start(self, nodes):
        start(nodes)
        self.wait_even([node for node in self.nodes if node.is_running])

    def shares(self):
        """How many shards each running node owns."""
        rows = self.database.ask(
            "SELECT count(*) FROM shard JOIN node ON owner = incarnation AND ended IS NULL AND lease_until > now() GROUP BY owner")
        return [int(row[0]) for row in rows]

    def wait_even(self, nodes):
        def is_even():
            shares, whole = self.shares(), int(self.database.ask("SELECT count(*) FROM shard")[0][0])
            return len(shares) == len(nodes) and sum(shares) == whole and max(shares) - min(shares) <= 1

        wait_until(is_even, lambda: f"{len(nodes)} nodes share the shards evenly; their shares are {self.shares()}", every=0.02)
        time.sleep(0.3)

    def end(self):
        for node in self.nodes:
            node.remove()
        self.database.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def failovers(rounds):
    cluster = Cluster(SHARDS, 3)
    try:
        cluster.start(cluster.nodes)
        client = Client([node.address for node in cluster.nodes], random.Random(1))
        for number in range(24):
            client.ask("NEW", f"w{number}", "tally")
        client.close()
        killed, left = [], []
        for number in range(rounds):
            node = cluster.nodes[number % 3]
            rest = [other for other in cluster.nodes if other is not node]
            for act, silences in ((node.kill, killed), (node.leave, left)):
                silences += gaps(cluster.nodes, node, act, lambda: cluster.wait_even(rest))
                cluster.start([node])
        tell("without an owner after kill -9", killed)
        tell("without an owner after SIGTERM", left)
    finally:
        cluster.end()


def take_over(sessions):
    cluster = Cluster(1, 2)
    try:
        first, second = cluster.nodes
        cluster.start([first])
        client = Client([first.address], random.Random(1))
        replies = client.connection(first.address).many([("NEW", f"s{number}", "tally") for number in range(sessions)])
        assert not any(isinstance(reply, Refusal) for reply in replies), replies[:3]
        time.sleep(3)
        second.start()
        time.sleep(2)
        watch = Watch([node.address for node in cluster.nodes], "s0")
        watch.start()
        time.sleep(0.5)
        watch.longest = 0.0
        first.leave()
        time.sleep(4)
        watch.ends = True
        watch.join()
        tell(f"a shard of {sessions} sessions, handed over", [watch.longest])
    finally:
        cluster.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sessions", type=int, default=10_000)
    arguments = parser.parse_args()
    use_program(arguments.program)
    failovers(arguments.rounds)
    take_over(arguments.sessions)


sys.exit(main())
