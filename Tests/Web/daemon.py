"""A gamed of its own for tests of the page."""

import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

from clients import Client, Resp

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "Examples")
PATIENCE = 10
# Milliseconds between a probe's requests.
PROBE_EVERY = 10
GAMED = None


def until(condition, what, seconds=PATIENCE):
    """Waits until the condition holds, and returns its value. `what` may be a function that returns the reason for the error."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.01)


class Daemon:
    """gamed in a directory of its own. `start` waits until it listens, and reads its addresses from its first output."""

    def __init__(self, *words, is_open=True, http="127.0.0.1:0", data=None, environment=None, unprobed=None):
        """`unprobed` is the reason why the test allows no probe beside the daemon."""
        self.folder = tempfile.mkdtemp(prefix="gamed-web-")
        self.socket_path = os.path.join(self.folder, "s")
        self.data = data or os.path.join(self.folder, "d")
        self.words = [GAMED, "--socket", self.socket_path, "--data", self.data, "--log", "info", *words]
        self.words += ["--http-open"] if is_open else []
        self.http = http
        self.environment = environment or {}
        self.process, self.port, self.link = None, None, None
        self.unprobed, self.probe, self.waits = unprobed, None, []

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.remove()

    @property
    def errors_path(self):
        return os.path.join(self.folder, "errors")

    def start(self):
        environment = {name: value for name, value in os.environ.items() if name not in ("GAMED_HTTP", "GAMED_PAGE")}
        environment.update(self.environment)
        words = self.words + (["--http", self.http] if self.http else [])
        # The daemon inherits Python's ignored signals: exceeding a file size limit is an error, not a signal.
        with open(self.errors_path, "ab") as errors:
            self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, env=environment, text=True, restore_signals=False)
        self.start_probe()
        self.said = []
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            # It listens by then; later output depends on its sessions.
            if line.startswith("kept:"):
                break
        pages = [line for line in self.said if line.startswith("page: ")]
        if pages:
            self.link = pages[0][len("page: "):].split()[0]
            self.port = urllib.parse.urlsplit(self.link).port
            # A restarted daemon uses the same port, as in production.
            self.http = re.sub(r":\d+$", f":{self.port}", self.http) if self.http else None
        return self

    def start_probe(self):
        """A client that measures how long one client makes the others wait (Tests/LoopProbe)."""
        program = os.path.join(os.path.dirname(GAMED), "loop-probe")
        if not self.unprobed:
            self.probe = subprocess.Popen([program, str(self.process.pid), self.socket_path, str(PROBE_EVERY)], stdin=subprocess.DEVNULL,
                                          stdout=subprocess.PIPE, text=True)

    def end_probe(self):
        """Fails if a wait was longer than the limit."""
        if not self.probe:
            return
        probe, self.probe = self.probe, None
        probe.terminate()
        report = probe.communicate(timeout=PATIENCE)[0]
        self.waits.append(report.strip())
        assert probe.returncode != 1, f"a client made the others wait for too long: {report}{' '.join(self.words)}"

    @property
    def errors(self):
        with open(self.errors_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def complains(self, text):
        until(lambda: text in self.errors, f"a complaint: {text}; there is: {self.errors[-2000:]}")

    def client(self, **more):
        return Client(self.port, **more)

    def logged_in(self):
        """A client that is logged in like a browser that has opened the printed link."""
        client = self.client()
        found = client.get(self.link.split(str(self.port), 1)[1])
        client.cookie = cookie_of(found)
        return client

    def resp(self):
        return Resp(self.socket_path)

    def hang_up(self):
        """Sends SIGHUP, which reloads the files."""
        self.process.send_signal(signal.SIGHUP)

    def end(self, how=signal.SIGTERM):
        """Ends this process and its probe. Returns the exit status."""
        try:
            return self.end_process(how)
        finally:
            self.end_probe()

    def end_process(self, how):
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return status

    def restart(self, how=signal.SIGTERM):
        self.end(how)
        return self.start()

    def remove(self):
        try:
            self.end(signal.SIGKILL)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def raw(self, text, seconds=PATIENCE):
        """Sends bytes and returns all bytes received until the daemon closes the connection, or within `seconds`."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as line:
            try:
                line.sendall(text)
            except (ConnectionError, TimeoutError):
                pass
            return received(line, seconds)

    def memory(self):
        """Resident kilobytes; always the same under a sanitizer, whose memory is not the daemon's."""
        if "ASAN_OPTIONS" in os.environ:
            return 0
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def hosting_everything(*words, **more):
    """A daemon in virtual time, with sessions and devices, that requires a login."""
    devices = ["--bluetooth", os.path.join(EXAMPLES, "devices.json")]
    sessions = ["--session", "hall=turns", "--session", "main=game", "--session", "room=turns", "--session", "boot=startup"]
    return Daemon("--time", "virtual", *devices, *sessions, *words, is_open=False, **more).start()


def cookie_of(answer):
    """The secret that a response sets; None if it sets none."""
    found = re.match(r"gamed=([^;]*);", answer.headers.get("Set-Cookie", ""))
    return found and found.group(1)


def received(line, seconds):
    """The bytes received until the other side closes the connection, or within `seconds`."""
    found, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        line.settimeout(max(0.01, end - time.monotonic()))
        try:
            piece = line.recv(65536)
        except (TimeoutError, ConnectionError):
            break
        if not piece:
            break
        found += piece
    return found


def main():
    """Runs the tests of the file that was started: `python3 FILE GAMED [TEST…]`."""
    global GAMED
    GAMED = os.path.abspath(sys.argv[1])
    # Thousands of connections need as many descriptors in this process.
    resource.setrlimit(resource.RLIMIT_NOFILE, 2 * resource.getrlimit(resource.RLIMIT_NOFILE)[1:])
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:], warnings="ignore")
