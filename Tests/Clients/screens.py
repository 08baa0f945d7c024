"""The example screens, Examples/Clients, against a gamed in real time: screens.py GAMED python|node. Each must show the state after any action of
an operator or the machine on a session, without polling."""

import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Support", "Python"))

from gamed import EXAMPLES, Daemon, use_program  # noqa: E402
from waiting import wait_until  # noqa: E402


class PythonScreen:
    """The example itself, in this process."""

    def __init__(self, path):
        sys.path.insert(0, os.path.join(EXAMPLES, "Clients"))
        import screen
        self.screen = screen.Screen("room", "unix://" + path)

    def shown(self):
        self.screen.look(0.02)
        view = self.screen.view
        return view and dict(view, left=[self.screen.remaining(timer) for timer in view["timers"]], note=self.screen.note)

    def send(self, *words):
        return self.screen.send(*words)

    def end(self):
        pass


class NodeScreen:
    """The example in a process of its own, which prints its screen."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            ["node", os.path.join(HERE, "node_screen.js"), path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def shown(self):
        return self.ask("shown")

    def send(self, *words):
        return self.ask("send", *words)

    def end(self):
        self.process.kill()


def main(gamed, kind):
    use_program(gamed)
    with Daemon("--durability", "always", http="none") as daemon:
        screen = {"python": PythonScreen, "node": NodeScreen}[kind](daemon.socket_path)
        try:
            play(daemon, screen)
        finally:
            screen.end()


def play(daemon, screen):
    master = daemon.resp(protocol=3)

    def sees(is_so, what):
        wait_until(lambda: is_so(screen.shown()), what)

    def truth():
        """The difference between the screen's clock and the daemon's, in seconds."""
        shown, timers = screen.shown(), master.must("TIMERS", "room")
        return abs(shown["left"][0] - timers[0]["remaining_ms"] / 1000)

    def is_right():
        """A message that a busy machine delivers late leaves the clock late until the next message, so another one is sent."""
        if truth() < 0.2:
            return True
        master.must("EXTEND", "room", "turn", "1ms")
        return False

    sees(lambda shown: shown is None, "there is no session")
    master.must("NEW", "room", "turns")
    sees(lambda shown: shown and shown["state"] == "first", "the session has begun")
    # On a busy machine, the next steps may take longer than a turn.
    master.must("EXTEND", "room", "turn", "10m")
    sees(lambda shown: shown["left"][0] > 100, "there is time for all of it")
    # The countdown follows the daemon's clock without a message.
    before = screen.shown()["left"][0]
    wait_until(lambda: screen.shown()["left"][0] < before - 0.3, "it counts down")
    wait_until(is_right, "its clock is the daemon's")

    assert screen.send("pass") == "second"
    sees(lambda shown: shown["state"] == "second", "its own event has come back")
    master.must("PAUSE", "room")
    sees(lambda shown: shown["paused"], "the clock stands still")
    stopped = screen.shown()["left"][0]
    time.sleep(0.3)
    assert screen.shown()["left"][0] == stopped and truth() < 0.01
    master.must("EXTEND", "room", "turn", "1m")
    sees(lambda shown: shown["left"][0] > stopped + 59, "there is more time")
    master.must("RESUME", "room")
    sees(lambda shown: not shown["paused"], "the clock goes on")
    wait_until(is_right, "its clock is the daemon's")

    # The event applies to the state on the screen; another client has passed meanwhile.
    if hasattr(screen, "screen"):
        master.must("SEND", "room", "pass")
        assert screen.send("pass") is None and "STALE" in screen.screen.note, screen.screen.note
    master.must("DROP", "room")
    sees(lambda shown: shown is None, "the session is gone")
    master.must("NEW", "room", "turns")
    sees(lambda shown: shown and shown["state"] == "first" and shown["version"] == 0, "another has its name")
    life = screen.shown()["life"]

    for how in [signal.SIGTERM, signal.SIGKILL]:
        daemon.stop(how)
        sees(lambda shown: shown is None, "the daemon is gone")
        daemon.start()
        daemon.wait_until_restored()
        master = daemon.resp(protocol=3)
        master.must("SEND", "room", "pass")
        version = master.must("STATE", "room")["version"]
        sees(lambda shown: shown and shown["version"] == version and shown["life"] == life, "it has found the daemon again")
        wait_until(is_right, "its clock is the daemon's")
    assert screen.send("pass") in ("first", "second")


main(*sys.argv[1:])
