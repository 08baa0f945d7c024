# A private PostgreSQL: a folder and a port of its own, run by a user that is not root, and gone at the end.

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile

from support import free_port, wait_until


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
        self.launch()
        wait_until(self.is_serving, lambda: "PostgreSQL starts\n" + self.tail(), every=0.05, ignoring=subprocess.CalledProcessError)

    def is_serving(self):
        if self.process.poll() is not None:
            # A process that was killed before has not quite ended.
            self.launch()
        return self.ask("SELECT 1")

    def launch(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                self.words(
                    "postgres", "-D", self.data, "-p", str(self.port), "-k", self.folder, "-h", "127.0.0.1",
                    "-c", "shared_buffers=64MB", "-c", "log_min_messages=warning", "-c", "log_line_prefix=%m [%p] %a "),
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder)

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

    def resume(self):
        self.freeze(signal.SIGCONT)

    def tail(self):
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-20:])

    def end(self):
        if self.process and self.process.poll() is None:
            self.resume()
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
