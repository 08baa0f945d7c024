# A gamed that is a node of the cluster under test.

import os
import signal
import subprocess
import time

from database import free_port
from network import Network


class Node:
    def __init__(self, program, database, folder, name, flows, options=(), environment=None):
        self.name, self.folder = name, folder
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

    def kill(self):
        self.process.kill()
        self.process.wait()

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
        return time.monotonic() - began

    def tail(self, lines=15):
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-lines:])

    def end(self):
        if self.is_running:
            self.process.kill()
            self.process.wait()
        self.network.end()
