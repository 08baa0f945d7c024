"""gamectl at a terminal, and with a pipe that is read as it is written.

Usage: gamectl_live.py console|letters|watch|lines GAMECTL SOCKET FOLDER PID_OF_THE_DAEMON

The daemon has a session `room` of the flow `turns`. Nothing here waits for a fixed time, only for expected output.
"""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Support", "Python"))

from waiting import SECONDS, wait_until  # noqa: E402

what, gamectl, socket, folder = sys.argv[1:5]
environment = dict(
    os.environ, GAMED_SOCKET=socket, XDG_STATE_HOME=folder, TERM="xterm", LC_ALL="C.UTF-8", NO_COLOR="1")


def control(*words):
    return subprocess.run([gamectl, *words], env=environment, capture_output=True, text=True, timeout=SECONDS)


@contextlib.contextmanager
def hanging_daemon():
    os.kill(int(sys.argv[5]), signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(int(sys.argv[5]), signal.SIGCONT)


class Screen:
    """A program at a terminal of its own."""

    def __init__(self, *words, size=(24, 100)):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            # The shell after it shows the state of the terminal.
            script = 'trap : INT; "$@"; status=$?; stty -a; exit $status'
            os.execve("/bin/sh", ["sh", "-c", script, "sh", gamectl, *words], environment)
        self.resize(*size)
        self.seen = ""

    def resize(self, lines, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read(self, deadline):
        ready, _, _ = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))
        assert ready, f"nothing more comes behind: {self.seen[-2000:]!r}"
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            data = b""
        assert data, f"it has ended behind: {self.seen[-2000:]!r}"
        self.seen += data.decode(errors="replace")

    def expect(self, pattern):
        """Waits for a match, and discards everything up to its end."""
        deadline = time.monotonic() + SECONDS
        while not (found := re.search(pattern, self.seen)):
            self.read(deadline)
        self.seen = self.seen[found.end():]
        return found

    def expect_prompt(self):
        """Waits until the program reads single keys, which is shortly after the prompt."""
        self.expect("gamed> ")
        wait_until(lambda: not termios.tcgetattr(self.terminal)[3] & termios.ICANON, "gamectl edits a line", every=0.001)

    def end(self):
        """Waits for the end. Returns the rest of the output and the exit status."""
        deadline = time.monotonic() + SECONDS
        while True:
            if not select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"it does not end behind: {self.seen[-2000:]!r}")
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                data = b""
            if not data:
                break
            self.seen += data.decode(errors="replace")
        drawn, found, settings = self.seen.partition("speed ")
        assert found and re.search(r"(?<!-)isig (?<!-)icanon", settings) and re.search(r"(?<!-)echo ", settings), self.seen
        assert "intr = ^C" in settings and "susp = ^Z" in settings, settings
        return drawn, os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def console():
    screen = Screen()
    screen.expect("gamed at .*TAB completes")
    screen.expect_prompt()
    # Partial input is drawn in parts, so only the result of the whole line is checked.
    screen.type("sen\tro\tpa\t\r")
    screen.expect("second")
    screen.type("state nope\r")
    screen.expect("NOSESSION there is no session 'nope'")
    screen.expect_prompt()
    assert control("new", "Bühne", "turns").returncode == 0
    screen.type("send Bü\tpa\t\r")
    screen.expect("second")
    screen.expect_prompt()
    with hanging_daemon():
        screen.type("drop ro\t\x15\x04")
        assert screen.end()[1] == 0
    screen = Screen()
    screen.expect_prompt()
    screen.type("drop room\x03")
    screen.type("state room\r")
    screen.expect(r"state +second")
    screen.type("watch\r")
    screen.expect("room.*turns.*second")
    screen.type("q")
    screen.expect_prompt()
    screen.type("sessions --flow t\t\r")
    screen.expect("room")
    screen.expect_prompt()
    screen.type("\x04")
    assert screen.end()[1] == 0
    again = Screen()
    again.expect_prompt()
    again.type("\x1b[A" * 3 + "\r")
    again.expect(r"state +second")
    again.type("quit\r")
    assert again.end()[1] == 0
    assert os.path.getsize(folder + "/gamed/history") > 0


def letters():
    """The prompt without a locale, with letters that are not ASCII."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        environment.pop(name, None)
    for name in ("Bro", "Büro"):
        assert control("new", name, "turns").returncode == 0
    screen = Screen()
    screen.expect_prompt()
    screen.type("drop Büro\r")
    screen.expect("dropped")
    screen.expect_prompt()
    assert (left := control("sessions").stdout) == "Bro\nroom\n", left
    screen.type("\x04")
    assert screen.end()[1] == 0


def watch():
    screen = Screen("watch")
    screen.expect(re.escape("\x1b[?1049h"))
    screen.expect("1 session ")
    screen.expect("room.*turns.*first.*turn")
    left = {screen.expect(r"(\d+\.\d)s")[1] for _ in range(6)}
    assert len(left) >= 3, f"the bar does not run down: {left}"
    assert control("pause", "room").returncode == 0
    screen.expect("turn paused")
    assert control("new", "hall", "permissions").returncode == 0
    screen.expect("2 sessions")
    screen.expect("hall.*permissions.*initial")
    assert control("send", "hall", "start").returncode == 0
    screen.expect("pushNotificationsAsk")
    screen.resize(5, 60)
    screen.expect(re.escape("\x1b[2J"))
    screen.expect("hall")
    assert control("drop", "hall").returncode == 0
    screen.expect("1 session ")
    screen.type("\x03")
    rest, status = screen.end()
    assert status == 0, status
    assert rest.endswith("\x1b[?25h\x1b[?1049l"), rest[-80:]
    screen = Screen("watch", "nobody-*")
    screen.expect("no session matches")
    assert not termios.tcgetattr(screen.terminal)[3] & termios.ECHO
    screen.type("q")
    assert screen.end()[1] == 0


def lines():
    plain = subprocess.Popen([gamectl, "watch", "r*"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    parsed = subprocess.Popen([gamectl, "watch", "--json"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def next_line(process):
        line = b""
        while not line.endswith(b"\n"):
            assert select.select([process.stdout], [], [], SECONDS)[0], f"no line comes; there was {line!r}"
            byte = os.read(process.stdout.fileno(), 1)
            assert byte, f"it has ended: {process.stderr.read()!r}"
            line += byte
        return line.decode().rstrip("\n")

    assert (line := plain.stderr.readline()) == b"gamectl: waiting for events of sessions that match 'r*'\n", line
    # Makes changes until one is reported, which shows that both have subscribed.
    for process in (plain, parsed):
        while not select.select([process.stdout], [], [], 0.05)[0]:
            assert process.poll() is None, process.stderr.read()
            control("send", "room", "pass")
    pattern = r"room  (first -> second|second -> first)  pass \(.+\)"
    assert re.fullmatch(pattern, first := next_line(plain)), first
    message = json.loads(next_line(parsed))
    assert (message["session"], message["event"], message["source"]) == ("room", "pass", "network"), message
    control("new", "room-2", "turns")
    while (line := next_line(plain)) != "room-2  begun in first (turns)":
        assert re.fullmatch(pattern, line), line
    while json.loads(line := next_line(parsed)).get("what") != "begun":
        pass
    assert json.loads(line)["to"] == "first", line
    control("force", "room-2", "second")
    assert (line := next_line(plain)).startswith("room-2  first -> second  FORCE ("), line
    control("drop", "room-2")
    assert (line := next_line(plain)) == "room-2  dropped", line
    control("send", "room", "jump")
    assert (line := next_line(plain)).startswith("room  ") and re.search(r"  jump \(.+\) refused: ", line), line
    os.kill(int(sys.argv[5]), signal.SIGTERM)
    assert (line := plain.stderr.readline()).endswith(b"has closed the connection; waiting until it is back\n"), line
    for process in (plain, parsed):
        assert process.poll() is None
        process.terminate()
        process.wait(SECONDS)


{"console": console, "letters": letters, "watch": watch, "lines": lines}[what]()
print("content")
