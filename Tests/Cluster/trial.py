#!/usr/bin/env python3
"""Three nodes and a PostgreSQL under load, while processes are killed and frozen and the network fails, at random from a printed seed.

    trial.py PROGRAM [--rounds N | --seconds N] [--seed N] [--only ACTION] [--keep]

What clients were told is compared with what is: nothing acknowledged is lost, nothing is done twice, no alarm is forgotten."""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from actions import ACTIONS
from database import Database
from ledger import Broken, Ledger
from nodes import Node, start
from players import Player, audit
from support import Refusal, RESPClient, init_store, use_program, wait_until

PLAYERS, TALLIES, SHARDS = 6, 12, 48


class Trial:
    def __init__(self, arguments):
        self.random = random.Random(arguments.seed)
        self.seed, self.keeps = arguments.seed, arguments.keep
        self.folder = tempfile.mkdtemp(prefix="gamed-trial-")
        self.database = Database()
        self.ledger = Ledger()
        self.nodes, self.players = [], []
        init_store(self.database.uri(), "--shards", str(SHARDS))
        # Enough of history for several rounds: each looks for its events.
        options = ["--limit", "history=240000", "--limit", "session-history=5000"]
        for name in "abc":
            self.nodes.append(Node(self.database, self.folder, name, *options))

    @property
    def addresses(self):
        return [node.address for node in self.nodes]

    def start(self):
        start(self.nodes)
        self.wait_whole()
        self.players = [Player(number, self.addresses, self.ledger, self.seed, TALLIES) for number in range(PLAYERS)]
        for player in self.players:
            player.start()

    def wait_whole(self):
        """Waits until every shard has an owner that runs. Returns how long that took."""
        began = time.monotonic()
        alive = "owner = incarnation AND ended IS NULL AND lease_until > now()"
        missing = f"SELECT count(*) FROM shard LEFT JOIN node ON {alive} WHERE incarnation IS NULL"
        wait_until(
            lambda: self.database.ask(missing) == [["0"]], lambda: f"every shard has an owner; the owners are {self.owners()}", 20, every=0.05,
            ignoring=subprocess.CalledProcessError)
        return time.monotonic() - began

    def wait_taken(self, node):
        """Waits until others own the shards that a node had when it ended. Returns how long that took."""
        began = time.monotonic()
        lives = f"SELECT incarnation FROM node WHERE host = '127.0.0.1' AND port = {node.fixed_port}"
        wait_until(
            lambda: self.database.ask(f"SELECT count(*) FROM shard WHERE owner IN ({lives})") == [["0"]],
            lambda: f"other nodes take over the shards of {node.name}; the owners are {self.owners()}", 20, every=0.02)
        return time.monotonic() - began

    def owners(self):
        return self.database.ask(
            "SELECT owner, host || ':' || port, ended IS NOT NULL, lease_until - now(), count(*) FROM shard LEFT JOIN node ON owner = incarnation GROUP BY 1, 2, 3, 4")

    def round(self, number, action):
        print(f"{number:4} {action.__name__.replace('_', ' ')}", end="", flush=True)
        before = dict(self.ledger.counts)
        said = action(self)
        whole = self.wait_whole()
        alarms = audit(self.ledger, self.addresses, self.random.random())
        self.check()
        counts = {key: self.ledger.counts[key] - before[key] for key in before}
        print(f": {said or ''} whole after {whole:.1f} s; {counts}, {alarms} alarms", flush=True)

    def check(self):
        if self.ledger.broken:
            raise self.ledger.broken[0]
        if any(not player.is_alive() for player in self.players):
            raise Broken("a player has ended")
        for node in self.nodes:
            if not node.is_running:
                raise Broken(f"{node.name} has ended with {node.process.returncode}")

    def finish(self):
        """At rest, the tables say what the nodes have said: every acknowledged event is there, once, and no version is there twice."""
        for player in self.players:
            player.ends.set()
        for player in self.players:
            player.join(20)
        self.wait_whole()
        audit(self.ledger, self.addresses, self.seed)
        for node in self.nodes:
            node.leave()
        self.check_history()

    def settle(self):
        """A node that starts once more brings into the tables what is left in the logs."""
        node = self.nodes[0]
        node.start()
        self.wait_whole()
        wait_until(lambda: self.database.ask("SELECT count(*) FROM log") == [["0"]], "the log goes into the tables", every=0.1)
        audit(self.ledger, [node.address], self.seed)
        node.leave()

    def check_history(self):
        self.settle()
        twice = self.database.ask(
            "SELECT name, life, version, count(*) FROM history WHERE what IN ('begun', 'taken') GROUP BY 1, 2, 3 HAVING count(*) > 1")
        if twice:
            raise Broken(f"versions that are in the history twice: {twice[:5]}")
        hits = {}
        for name, payload, version in self.database.ask("SELECT name, payload, version FROM history WHERE event = 'hit' AND facts IS NULL"):
            hits.setdefault(name, []).append((json.loads(payload)["mark"], int(version)))
        for tally in self.ledger.tallies:
            tally.look_for(tally.newest_found(100), hits.get(tally.name, []))
        errors = [line for line in open(self.database.log, errors="replace") if "deadlock" in line]
        if errors:
            raise Broken(f"the database: {errors[0]}")

    def explain_fault(self, fault):
        for player in self.players:
            player.ends.set()
        if isinstance(fault, Broken) and fault.session:
            time.sleep(3)
            self.explain(fault.session)
        for node in self.nodes:
            print(f"--- {node.name}\n{node.last_lines()}")

    def explain(self, session):
        """What everybody says of a session, a moment later."""
        for node in self.nodes:
            try:
                said = RESPClient(node.address, 3).must("STATE", session)
            except (OSError, Refusal) as problem:
                said = problem
            print(f"  {node.name}: {said}")
        for row in self.database.ask(
            f"SELECT s.*, h.owner, h.epoch FROM sessions s JOIN shard h ON h.id = s.shard WHERE name = '{session}'"):
            print(f"  in the tables: {row}")
        for row in self.database.ask(
            f"SELECT serial, at, version, seq, source, event, payload, code, facts, actor FROM history WHERE name = '{session}' ORDER BY serial DESC LIMIT 8"):
            print(f"  {row}")
        for row in self.database.ask(
            f"SELECT seq, epoch, length(batch) FROM log WHERE shard = (SELECT shard FROM sessions WHERE name = '{session}') ORDER BY seq DESC LIMIT 5"):
            print(f"  in the log: {row}")

        known = {
            json.loads(row[0])["mark"]
            for row in self.database.ask(f"SELECT payload FROM history WHERE name = '{session}' AND event = 'hit'")}
        for tally in self.ledger.tallies:
            if tally.name == session:
                print(f"  acknowledged lately, and not in the table: {[mark for mark in tally.marks if mark not in known]}")

    def end(self, failed):
        for player in self.players:
            player.ends.set()
        for node in self.nodes:
            node.remove()
        self.database.end()
        if failed or self.keeps:
            print(f"logs are in {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seconds", type=float, help="begin no round after so long")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GAMED_SEED") or random.randrange(1 << 31)))
    parser.add_argument("--only", help="only this action")
    parser.add_argument("--keep", action="store_true", help="leave the logs")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}: GAMED_SEED={arguments.seed} does the same again, as far as the machine allows", flush=True)
    use_program(arguments.program)
    began = time.monotonic()
    trial, failed = None, True
    try:
        trial = Trial(arguments)
        trial.start()
        choice = [action for action in ACTIONS if arguments.only in (None, action.__name__)]
        bag = []
        for number in range(1, arguments.rounds + 1):
            if not bag:
                bag = trial.random.sample(choice, len(choice))
            trial.round(number, bag.pop())
            if arguments.seconds and time.monotonic() - began > arguments.seconds:
                break
        trial.finish()
        failed = False
    except AssertionError as fault:
        print(f"\nBROKEN (seed {arguments.seed}): {fault}")
        if trial:
            trial.explain_fault(fault)
    finally:
        if trial:
            print(f"{time.monotonic() - began:.0f} s; {trial.ledger.counts}")
            for reason, count in sorted(trial.ledger.reasons.items(), key=lambda item: -item[1])[:12]:
                print(f"  {count:6} {reason}")
            trial.end(failed)
    sys.exit(failed)


main()
