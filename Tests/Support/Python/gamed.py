"""The one launcher of gamed for the Python tests: each daemon has a directory, a socket and logs of its own. Standard library only.

    run_tests()                                    runs the tests of a file: python3 FILE GAMED [TEST…]
    with Daemon("--session", "room=turns") as daemon:
        daemon.client().get("/api/sessions")       HTTP
        daemon.resp().ask("SEND", "room", "pass")  RESP
"""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

from http_client import HTTPClient, exchange_bytes
from resp import Refusal, RESPClient
from waiting import SECONDS, wait_until

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
EXAMPLES = os.path.join(ROOT, "Examples")
# A start may recover sessions, on a busy machine or under valgrind.
START_SECONDS = 120
# Milliseconds between a probe's requests.
PROBE_MS = 10
# The program under test.
PROGRAM = None


def use_program(path):
    """Makes this the program that daemons run by default."""
    global PROGRAM
    PROGRAM = os.path.abspath(path)
    if not os.access(PROGRAM, os.X_OK):
        sys.exit(f"there is no program {PROGRAM}; build gamed first")


def program_beside(name):
    """The path of another program of the same build."""
    return os.path.join(os.path.dirname(PROGRAM), name)


def init_store(store, *words):
    """Creates the tables of a cluster's database."""
    command = [PROGRAM, "--store", store, "--init", "--config", "none", *words]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=START_SECONDS)
    assert done.returncode == 0, f"{' '.join(command)} ends with {done.returncode}\n{done.stdout}{done.stderr}"


class Daemon:
    """gamed in a directory of its own. `start` returns when it listens. The directory is removed with it, unless it was given."""

    def __init__(self, *words, program=None, folder=None, data=None, store=None, http="127.0.0.1:0", is_open=True, log="info",
                 environment=None, probe_ms=PROBE_MS, unprobed=None):
        """`http` is the page's address, or None to leave that to the environment. `is_open` serves the page without a login. `unprobed` is the
        reason why the test allows no probe beside the daemon."""
        self.keeps_folder = folder is not None
        self.folder = folder or tempfile.mkdtemp(prefix="gamed-test-")
        os.makedirs(self.folder, exist_ok=True)
        self.socket_path = os.path.join(self.folder, "gamed.sock")
        self.data = None if store else data or os.path.join(self.folder, "data")
        self.program = program or PROGRAM
        self.words = [self.program, "--socket", self.socket_path, "--log", log]
        self.words += ["--store", store] if store else ["--data", self.data]
        self.words += [*words, *(["--http-open"] if is_open else [])]
        self.http, self.environment = http, environment or {}
        self.process, self.link, self.port = None, None, None
        self.probe, self.probe_ms, self.unprobed, self.waits = None, probe_ms, unprobed, []

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.remove()

    # Starting

    def start(self):
        """Starts it and waits until it listens. If it does not, fails with the end of its logs, and removes it."""
        try:
            self.launch()
            return self.wait_until_started()
        except BaseException:
            self.remove()
            raise

    def wait_until_started(self):
        """Waits until it listens. Fails with the end of its logs if it does not."""
        wait_until(lambda: self.has_started or not self.is_running, lambda: f"gamed starts\n{self.last_lines()}", START_SECONDS, every=0.003)
        if not self.has_started:
            raise AssertionError(f"gamed does not start: it has ended with {self.process.returncode}\n{self.last_lines()}")
        self.read_page_address()
        return self

    def launch(self):
        """Starts it without waiting."""
        self.end_probe()
        environment = {name: value for name, value in os.environ.items() if name not in ("GAMED_HTTP", "GAMED_PAGE")}
        # The daemon inherits Python's ignored signals: exceeding a file size limit is an error, not a signal.
        with open(self.path("output"), "wb") as output, open(self.path("errors"), "ab") as errors:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, restore_signals=False,
                                            env={**environment, "GAMED_CONFIG": "none", **self.environment})
        if not self.unprobed:
            self.start_probe()

    @property
    def command(self):
        return self.words + (["--http", self.http] if self.http else [])

    @property
    def has_started(self):
        """Whether it listens. What it writes later depends on its sessions."""
        return re.search("^kept:", self.output, re.M) is not None

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def read_page_address(self):
        found = re.search(r"^page: (\S+)", self.output, re.M)
        if not found:
            return
        self.link = found[1]
        self.port = urllib.parse.urlsplit(self.link).port
        # A restarted daemon uses the same port, as in production.
        self.http = re.sub(r":\d+$", f":{self.port}", self.http) if self.http else None

    def wait_until_restored(self, every=0.01):
        """Waits until it has restored its sessions."""
        line = self.resp(seconds=START_SECONDS)
        wait_until(lambda: not self.is_loading(line), "the sessions are restored", START_SECONDS, every)
        line.close()

    @staticmethod
    def is_loading(line):
        reply = line.ask("STATE", "none")
        return isinstance(reply, Refusal) and reply.code == "LOADING"

    # The probe

    def start_probe(self):
        """A client that measures how long one client makes the others wait (Tests/LoopProbe)."""
        program = os.path.join(os.path.dirname(self.program), "loop-probe")
        assert os.access(program, os.X_OK), f"there is no program {program}; build loop-probe first"
        self.probe = subprocess.Popen([program, str(self.process.pid), self.socket_path, str(self.probe_ms)], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, text=True)

    def end_probe(self):
        """Fails if a wait was longer than the limit."""
        if not self.probe:
            return
        probe, self.probe = self.probe, None
        probe.terminate()
        report = probe.communicate(timeout=SECONDS)[0]
        self.waits.append(report.strip())
        assert probe.returncode != 1, f"a client made the others wait for too long: {report}{' '.join(self.command)}"

    # Logs

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        if not os.path.exists(self.path(name)):
            return ""
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    @property
    def output(self):
        """The standard output since the last start."""
        return self.read("output")

    @property
    def errors(self):
        """The log, of all starts."""
        return self.read("errors")

    def last_lines(self, count=20):
        """Its command, and the end of its output and log."""
        return "\n".join([" ".join(self.command), *self.output.splitlines()[-count:], *self.errors.splitlines()[-count:]])

    def wait_for_error(self, text):
        """Waits until the log has the text."""
        wait_until(lambda: text in self.errors, lambda: f"the log has '{text}'; it ends with {self.errors[-2000:]}")

    # Clients

    @property
    def tcp_port(self):
        """Of the first address that takes RESP in clear."""
        return int(re.search(r" listens at .*?(?<!tls://)\b127\.0\.0\.1:(\d+)", self.output)[1])

    @property
    def tls_port(self):
        return int(re.search(r" listens at .*?tls://127\.0\.0\.1:(\d+)", self.output)[1])

    def client(self, **more):
        return HTTPClient(self.port, **more)

    def logged_in(self):
        """A client that is logged in like a browser that has opened the printed link."""
        client = self.client()
        client.cookie = client.get(self.link.split(str(self.port), 1)[1]).cookie
        return client

    def resp(self, **more):
        return RESPClient(self.socket_path, **more)

    def resp_over_tcp(self, **more):
        return RESPClient(("127.0.0.1", self.tcp_port), **more)

    def raw(self, data, seconds=SECONDS):
        """Sends bytes to the page's port, and returns all bytes received until the daemon closes the connection, or within `seconds`."""
        return exchange_bytes(self.port, data, seconds)

    # Signals and the end

    def send_signal(self, number):
        self.process.send_signal(number)

    def reload(self):
        """Sends SIGHUP, which reloads the files."""
        self.send_signal(signal.SIGHUP)

    def freeze(self):
        self.send_signal(signal.SIGSTOP)

    def resume(self):
        self.send_signal(signal.SIGCONT)

    def wait(self, seconds=SECONDS):
        """Waits for the end. Returns the exit status, or minus the number of the signal."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"gamed does not end within {seconds} s\n{self.last_lines()}") from None

    def stop(self, number=signal.SIGTERM, seconds=SECONDS):
        """Sends the signal, waits for the end as `wait` does, and checks the probe's measurements."""
        try:
            if self.is_running:
                self.send_signal(number)
            return self.wait(seconds)
        finally:
            self.end_probe()

    def kill(self):
        return self.stop(signal.SIGKILL)

    def restart(self, number=signal.SIGTERM):
        self.stop(number)
        return self.start()

    def remove(self):
        """Kills it, and removes its directory."""
        try:
            if self.process:
                self.kill()
        finally:
            if not self.keeps_folder:
                shutil.rmtree(self.folder, ignore_errors=True)

    # Resources

    def memory(self):
        """Resident kilobytes; always the same under a sanitizer, whose memory is not the daemon's."""
        if "ASAN_OPTIONS" in os.environ:
            return 0
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def hosting_everything(*words, **more):
    """Starts a daemon in virtual time, with sessions and devices, that requires a login."""
    devices = ["--bluetooth", os.path.join(EXAMPLES, "devices.json")]
    sessions = ["--session", "hall=turns", "--session", "main=game", "--session", "room=turns", "--session", "boot=startup"]
    return Daemon("--time", "virtual", *devices, *sessions, *words, is_open=False, **more).start()


def run_tests():
    """Runs the tests of the file that was started."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} GAMED [TEST…]")
    use_program(sys.argv[1])
    # Thousands of connections need as many descriptors in this process.
    resource.setrlimit(resource.RLIMIT_NOFILE, 2 * resource.getrlimit(resource.RLIMIT_NOFILE)[1:])
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:], warnings="ignore")
