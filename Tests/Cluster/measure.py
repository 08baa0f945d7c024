#!/usr/bin/env python3
"""How long sessions are without an owner: after kill -9 of a node, after SIGTERM, and while a shard of many sessions is taken over.

    measure.py PROGRAM [--rounds N] [--sessions N]"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from database import Database
from nodes import Node
from wire import Client, NotDone, Unknown

HERE = os.path.dirname(os.path.abspath(__file__))
SHARDS = 48


class Watch(threading.Thread):
    """Asks for one session all the time, and knows for how long nobody answered."""

    def __init__(self, addresses, session):
        super().__init__(daemon=True)
        self.client, self.session = Client(addresses, random.Random(session), patience=1), session
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


def gaps(nodes, node, act, until):
    """The longest silence of each of some sessions that this node has, over what `act` does to it."""
    addresses = [node.address for node in nodes]
    watches = [Watch(addresses, f"w{number}") for number in range(24)]
    for watch in watches:
        watch.start()
    time.sleep(0.5)
    there = [watch for watch in watches if watch.client.places.get(watch.session) == node.address]
    for watch in watches:
        watch.longest = 0.0
    act()
    until()
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
    def __init__(self, program, shards, count):
        self.program = os.path.abspath(program)
        self.folder = tempfile.mkdtemp(prefix="gamed-measure-")
        self.database = Database()
        subprocess.run(
            [self.program, "--store", self.database.uri(), "--init", "--shards", str(shards), "--config", "none"], check=True,
            stdout=subprocess.DEVNULL)
        flows = os.path.join(HERE, "Flows")
        self.nodes = [Node(self.program, self.database, self.folder, name, flows, unprobed="it would be measured, too") for name in "abc"[:count]]

    def start(self, nodes):
        for node in nodes:
            node.start()
        self.wait_even([node for node in self.nodes if node.is_running])

    def wait_even(self, nodes):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            counts = self.database.ask(
                "SELECT count(*) FROM shard JOIN node ON owner = incarnation AND ended IS NULL AND lease_until > now() GROUP BY owner")
            numbers = [int(row[0]) for row in counts]
            whole = int(self.database.ask("SELECT count(*) FROM shard")[0][0])
            if len(numbers) == len(nodes) and sum(numbers) == whole and max(numbers) - min(numbers) <= 1:
                time.sleep(0.3)
                return
            time.sleep(0.02)
        raise SystemExit(f"the shards are not shared evenly: {counts}")

    def end(self):
        for node in self.nodes:
            node.end()
        self.database.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def failovers(program, rounds):
    cluster = Cluster(program, SHARDS, 3)
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


def take_over(program, sessions):
    cluster = Cluster(program, 1, 2)
    try:
        first, second = cluster.nodes
        first.start()
        time.sleep(2)
        client = Client([first.address], random.Random(1))
        for number in range(sessions):
            client.connection(first.address).socket.sendall(b"NEW s%d tally\r\n" % number)
        for number in range(sessions):
            client.connection(first.address).read()
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
    failovers(arguments.program, arguments.rounds)
    take_over(arguments.program, arguments.sessions)


sys.exit(main())
