# A private PostgreSQL: a folder and a port of its own, run by a user that is not root, and gone at the end.

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def free_port():
    """A port of loopback below those that the system gives to clients, so that it is free again after a restart."""
    for port in range(20_000 + os.getpid() * 7 % 10_000, 32_000):
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in free_port.given:
            free_port.given.add(port)
            return port
    raise RuntimeError("there is no free port")


free_port.given = set()


class Database:
    def __init__(self):
        folders = glob.glob("/usr/lib/postgresql/*/bin/initdb")
        if not folders:
            raise SystemExit("PostgreSQL's server is missing: run make deps-test")
        self.programs = os.path.dirname(max(folders, key=lambda path: int(path.split("/")[4])))
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        self.folder = tempfile.mkdtemp(prefix="gamed-pg-", dir="/tmp")
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.port = free_port()
        self.log = os.path.join(self.folder, "log")
        self.run("initdb", "-D", self.data, "-U", "gamed", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
        self.process = None
        self.start()

    @property
    def data(self):
        return os.path.join(self.folder, "data")

    def words(self, program, *arguments):
        own = [os.path.join(self.programs, program), *arguments]
        if not self.user:
            return own
        return ["setpriv", f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups", "--", *own]

    def run(self, program, *arguments):
        subprocess.run(self.words(program, *arguments), check=True, stdout=subprocess.DEVNULL, cwd=self.folder)

    def uri(self, port=None):
        return f"postgres://gamed@127.0.0.1:{port or self.port}/postgres?sslmode=disable&gssencmode=disable"

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                self.words(
                    "postgres", "-D", self.data, "-p", str(self.port), "-k", self.folder, "-h", "127.0.0.1",
                    "-c", "shared_buffers=64MB", "-c", "log_min_messages=warning", "-c", "log_line_prefix=%m [%p] %a "),
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if self.process.poll() is not None:
                # What was killed before is not quite gone.
                time.sleep(0.1)
                return self.start()
            try:
                self.ask("SELECT 1")
                return
            except subprocess.CalledProcessError:
                time.sleep(0.05)
        raise RuntimeError("PostgreSQL does not start:\n" + self.tail())

    def ask(self, sql):
        """The rows of a statement, as lists of texts."""
        said = subprocess.run(
            [os.path.join(self.programs, "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.uri(), "-c", sql],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return [line.split("|") for line in said.stdout.splitlines()]

    def children(self):
        listed = subprocess.run(["pgrep", "-P", str(self.process.pid)], stdout=subprocess.PIPE, text=True)
        return [int(number) for number in listed.stdout.split()]

    def kill(self):
        """As in a crash of the machine."""
        os.kill(self.process.pid, signal.SIGSTOP)
        for child in self.children():
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.kill()
        self.process.wait()

    def freeze(self, signal_number=signal.SIGSTOP):
        for number in [self.process.pid, *self.children()]:
            try:
                os.kill(number, signal_number)
            except ProcessLookupError:
                pass

    def go_on(self):
        self.freeze(signal.SIGCONT)

    def tail(self):
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-20:])

    def end(self):
        if self.process and self.process.poll() is None:
            self.go_on()
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
