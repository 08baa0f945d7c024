# A gamed that is a node of the cluster under test.

import os
import signal
import subprocess
import time

from database import free_port
from network import Network


class Node:
    def __init__(self, program, database, folder, name, flows, options=(), environment=None, unprobed=None):
        """`unprobed` says why no client of its own may be beside the node."""
        self.name, self.folder = name, folder
        self.unprobed, self.probe = unprobed, None
        self.network = Network(database.port)
        self.port = free_port()
        self.log = os.path.join(folder, f"{name}.log")
        self.process = None
        self.environment = environment or {}
        self.words = [
            program, "--store", database.uri(self.network.port), "--socket", os.path.join(folder, f"{name}.sock"),
            "--listen", f"127.0.0.1:{self.port}", "--trust-loopback", "--http", "none", "--config", "none", "--flows", flows,
            *options]

    @property
    def address(self):
        return ("127.0.0.1", self.port)

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                self.words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env={**os.environ, **self.environment})

        self.start_probe()

    def start_probe(self):
        """A client that measures how long one client makes the others wait (Tests/LoopProbe)."""
        if not self.unprobed:
            program = os.path.join(os.path.dirname(os.path.abspath(self.words[0])), "loop-probe")
            socket = os.path.join(self.folder, f"{self.name}.sock")
            self.probe = subprocess.Popen(
                [program, str(self.process.pid), socket], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def end_probe(self):
        probe, self.probe = self.probe, None
        if probe:
            probe.terminate()
            report = probe.communicate(timeout=30)[0]
            assert probe.returncode != 1, f"a client of {self.name} made the others wait for too long: {report}"

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.end_probe()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def leave(self, patience=30):
        """Asks it to hand over and end. How long that took; it must end by itself and well."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(patience)
        if status != 0:
            raise AssertionError(f"{self.name} has ended with {status} after SIGTERM:\n{self.tail()}")
        self.end_probe()
        return time.monotonic() - began

    def tail(self, lines=15):
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-lines:])

    def end(self):
        if self.is_running:
            self.process.kill()
            self.process.wait()
        self.network.end()
        self.end_probe()
