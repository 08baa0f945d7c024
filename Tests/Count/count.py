"""Counts the instructions, allocations and bytes of fixed work, and compares them with figures.json: count.py GAMED [--write] [--swift SWIFT]

GAMED is optimized. callgrind counts the same on a busy machine as on a quiet one, as far as the work is the same. So durable work is done with
`always`: batches of `everysec` depend on the time. Of the writer's thread only appending is counted, and the tables over batches that a killed
daemon left: the start brings them into the tables. What a busy machine adds elsewhere differs from run to run, so each figure is the less of two."""

import argparse
import http.client
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import comparison
from callgrind import CountedServer, Refusal, Server, use_program

SESSIONS, RESTORED = 2_000, 10_000
# Events at depth 64 and at depth 1, events in the log, requests of the page.
PIPELINED, APPENDED, SINGLE, LOGGED, REQUESTS = 12_800, 3_200, 2_400, 6_400, 1_000
# Events with messages, and events that are refused.
FOLLOWED, REFUSED = 3_200, 6_400
DEPTH = 64
# Events with regions: a turn of the loop takes 64 of them under callgrind only if nothing else runs, and an event of the next turn costs more.
SHALLOW = 16
# The tables follow half a second after a change, if the writer is idle. After this pause they are done, and the log is trimmed.
IDLE_SECONDS = 1.5
# After one event and this pause they have just followed, and do not again for the time of some batches.
TABLES_SECONDS, LOG_SECONDS = 0.1, 0.4
# A timer that fires would count.
FLAT = """{ id: "flat", events: { pass: {} }, initial: "first", states: {
    first: { on: { pass: "second" }, after: { "1h": "second" } }, second: { on: { pass: "first" }, after: { "1h": "first" } } } }"""
# What flows of venues have: a clock for the whole, a guard, values that change.
ROUNDS = """{ id: "rounds", context: { count: 0, most: 1000000000, last: "" }, events: { pass: {} }, initial: "round", states: {
    over: {}, round: { initial: "first", after: { "2h": "over" }, states: {
      first: { after: { "1h": "second" }, on: { pass: { guard: "count < most", target: "second",
        actions: [{ assign: { count: "count + 1" } }, { assign: { last: "'first'" } }] } } },
      second: { after: { "1h": "first" }, on: { pass: { guard: "count < most", target: "first",
        actions: [{ assign: { count: "count + 1" } }, { assign: { last: "'second'" } }] } } } } } } }"""
REGIONS = """{ id: "regions", type: "parallel", events: { pass: {}, light: {}, dark: {} }, states: {
    play: { initial: "first", states: {
      first: { on: { pass: "second" }, after: { "1h": "second" } }, second: { on: { pass: "first" }, after: { "1h": "first" } } } },
    lamp: { initial: "off", states: { off: { on: { light: "on" } }, on: { on: { dark: "off" } } } } } }"""
APPEND, TABLES = ("SQLiteStore", "6append"), ("TablesRound", "8applyLog")
ATTEMPTS = 20


def name(number, kind="0"):
    return f"7d1f3c5e-1b2a-4c3d-8e9f-{kind}{number:011d}"


def ask(line, commands):
    for reply in line.many(commands):
        if isinstance(reply, Refusal):
            raise SystemExit(f"gamed refuses the work: {reply}")


def create(line, count, flow="turns", kind="0"):
    for first in range(0, count, 500):
        ask(line, [("NEW", name(number, kind), flow) for number in range(first, min(first + 500, count))])


def refuse(line, commands):
    """Commands that are refused."""
    for reply in line.many(commands):
        if not isinstance(reply, Refusal):
            raise SystemExit(f"gamed does not refuse the work: {reply}")


def send(line, count, depth, kind="0", event="pass", ask=ask):
    """Sends events to sessions in a random order, the same each time, `depth` of them at once."""
    dice = random.Random(7)
    for _ in range(count // depth):
        ask(line, [("SEND", name(dice.randrange(SESSIONS), kind), event) for _ in range(depth)])


def counted_events(server, line, count, depth, *what):
    send(line, 10 * DEPTH, depth, *what)
    return server.counted(lambda: send(line, count, depth, *what))


class Subscriber:
    """Reads the messages of all sessions as fast as they come, so that none wait in the daemon."""

    def __init__(self, server):
        self.line = server.resp()
        self.line.ask("PSUBSCRIBE", "session:*")
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while self.line.socket.recv(1 << 20):
            pass

    def stop(self):
        self.line.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()


class Page:
    """One connection that is kept, as the page's. A request is sent in one piece."""

    def __init__(self, port):
        self.host = f"127.0.0.1:{port}"
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)

    def ask(self, method, path, body=""):
        head = [f"{method} {path} HTTP/1.1", f"Host: {self.host}", "Accept: application/json"]
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"] if body else []
        self.socket.sendall("\r\n".join(head + ["", body]).encode())
        response = http.client.HTTPResponse(self.socket)
        response.begin()
        text = response.read()
        if response.status != 200:
            raise SystemExit(f"gamed refuses {method} {path}: {response.status} {text.decode()}")

    def read(self, count):
        for number in range(count):
            self.ask("GET", f"/api/sessions/{name(number % SESSIONS)}")

    def send(self, count):
        for number in range(count):
            self.ask("POST", f"/api/sessions/{name(number % SESSIONS)}/events", '{"event":"pass"}')


def wire_figures():
    """Nothing is stored. All is done before the timers of the built-in flows fire, which takes 30 s."""
    with CountedServer("--durability", "none", data="none") as server:
        line = server.resp()
        create(line, SESSIONS, "game", "1")
        refused = counted_events(server, line, REFUSED, DEPTH, "1", "dismissHelp", refuse)
        create(line, SESSIONS)
        deep = counted_events(server, line, PIPELINED, DEPTH)
        single = counted_events(server, line, SINGLE, 1)
        subscriber = Subscriber(server)
        followed = counted_events(server, line, FOLLOWED, DEPTH)
        subscriber.stop()
    return {
        "event on the wire, depth 64: instructions": deep.loop / PIPELINED,
        "event on the wire, depth 64: allocations": deep.allocations() / PIPELINED,
        "event on the wire, depth 1: instructions": single.loop / SINGLE,
        "event on the wire, depth 1: allocations": single.allocations() / SINGLE,
        "event refused, depth 64: instructions": refused.loop / REFUSED,
        "event refused, depth 64: allocations": refused.allocations() / REFUSED,
        "event with a subscriber, depth 64: instructions": followed.loop / FOLLOWED}


def file_figures():
    """Nothing is stored."""
    with memory() as flows:
        for flow, text in [("flat", FLAT), ("rounds", ROUNDS), ("regions", REGIONS)]:
            with open(os.path.join(flows, flow + ".json5"), "w") as file:
                file.write(text)
        with CountedServer("--durability", "none", "--flows", flows, data="none") as server:
            line = server.resp()

            def instructions(flow, depth, kind):
                create(line, SESSIONS, flow, kind)
                return counted_events(server, line, PIPELINED, depth, kind).loop / PIPELINED

            return {
                "event of a flow file, depth 64: instructions": instructions("flat", DEPTH, "1"),
                "event of a flow file with a guard, two values and an outer timer: instructions": instructions("rounds", DEPTH, "2"),
                "event of a flow file with regions, depth 16: instructions": instructions("regions", SHALLOW, "3")}


def page_figures():
    """A daemon with fewer than 5,000 requests never trims its heap, which would count."""
    with CountedServer("--durability", "none", data="none") as server:
        create(server.resp(), SESSIONS)
        page = Page(server.port)
        page.read(50)
        read = server.counted(lambda: page.read(REQUESTS))
        page.send(50)
        sent = server.counted(lambda: page.send(REQUESTS))
    return {
        "GET of a session: instructions": read.loop / REQUESTS,
        "POST of an event: instructions": sent.loop / REQUESTS}


def found(profile, function):
    calls, cost = profile.function(*function)
    if not calls:
        raise SystemExit(f"no function is called {' '.join(function)} any more: name its successor in Tests/Count/count.py")
    return calls, cost


def memory():
    """A directory in memory where possible. On a slow disk the loop wakes more often while it waits, and the tables get time to follow."""
    return tempfile.TemporaryDirectory(prefix="gamed-count-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


def durable_figures():
    with memory() as folder, CountedServer("--durability", "always", data=os.path.join(folder, "d"), http="none") as server:
        line = server.resp()
        create(line, SESSIONS)
        # First and in a short time: five seconds after the first change the tables follow, and an append beside them takes more.
        first = counted_events(server, line, APPENDED, DEPTH)
        deep = counted_events(server, line, PIPELINED, DEPTH)
        single = counted_events(server, line, SINGLE, 1)
    # By batch: now and then the events of one come in two turns.
    appends, append = found(first, APPEND)
    return {
        "durable event, depth 64, loop: instructions": deep.loop / PIPELINED,
        "durable event, depth 64, loop: allocations": deep.allocations() / PIPELINED,
        "durable event, depth 64, append: instructions": append / appends / DEPTH,
        "durable event, depth 1, loop: instructions": single.loop / SINGLE}


def bytes_written(server, line):
    """By the process into files, and in batches by what it says itself. (Replies are sent, and not written.)"""
    with open(f"/proc/{server.process.pid}/io") as file:
        into_files = next(int(text.split()[1]) for text in file if text.startswith("wchar"))
    return into_files, int(re.search(r"journal_written_bytes\D+(\d+)", str(line.ask("INFO")))[1])


def leave_log(data):
    """Kills a daemon whose log has batches that the tables lack. Returns their bytes in files and in batches, and how long they took."""
    with Server("--durability", "always", data=data, http="none") as server:
        line = server.resp()
        create(line, SESSIONS)
        time.sleep(IDLE_SECONDS)
        send(line, 1, 1)
        time.sleep(TABLES_SECONDS)
        before, begun = bytes_written(server, line), time.monotonic()
        send(line, LOGGED, DEPTH)
        seconds = time.monotonic() - begun
        return [now - then for now, then in zip(bytes_written(server, line), before)], seconds


def log_figures():
    with memory() as folder:
        for attempt in range(ATTEMPTS):
            data = os.path.join(folder, str(attempt))
            (into_files, in_batches), seconds = leave_log(data)
            if seconds < LOG_SECONDS:
                break
        else:
            raise SystemExit(f"{LOGGED} durable events take {seconds:.1f} s here, and may take {LOG_SECONDS} s: is the machine very busy?")
        _, tables = found(CountedServer(data=data, http="none").counted_life(), TABLES)
    return {
        "durable event, depth 64: bytes of its record": in_batches / LOGGED,
        "durable event, depth 64: bytes written": into_files / LOGGED,
        "durable event, tables: instructions": tables / LOGGED}


def restoring_figures():
    """Of a start and the stop after it, what an empty one does not take."""
    with tempfile.TemporaryDirectory(prefix="gamed-count-") as folder:
        data = os.path.join(folder, "restored")
        with Server(data=data, http="none") as server:
            create(server.resp(), RESTORED)
            time.sleep(IDLE_SECONDS)
            server.stop()
        full = CountedServer(data=data, http="none").counted_life()
        empty = CountedServer(data=os.path.join(folder, "empty"), http="none").counted_life()
    return {"restoring a session: instructions": (full.total - empty.total) / RESTORED}


def least(part):
    """Of two runs, by figure. A busy machine adds turns of the loop that end early, because they have taken long, a heap that is trimmed in a
    pause, and tables that follow beside the work."""
    first, second = part(), part()
    return {name: min(first[name], second[name]) for name in first}


def figures(gamed):
    folder = tempfile.mkdtemp(prefix="gamed-count-")
    try:
        # valgrind 3.19 does not read the debug information that Swift 6.3 writes. Names of functions are elsewhere.
        stripped = os.path.join(folder, "gamed")
        subprocess.run(["objcopy", "--strip-debug", gamed, stripped], check=True)
        use_program(stripped)
        parts = [wire_figures, file_figures, page_figures, durable_figures, log_figures, restoring_figures]
        return {name: round(figure, 3) for part in parts for name, figure in least(part).items()}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gamed")
    parser.add_argument("--write", action="store_true", help="bring figures.json up to date")
    parser.add_argument("--swift", default="swift", help="the compiler that built GAMED")
    options = parser.parse_args()
    counted = figures(options.gamed)
    if options.write:
        comparison.write(counted, options.swift)
        return 0
    return comparison.compare(counted, options.swift)


if __name__ == "__main__":
    sys.exit(main())
