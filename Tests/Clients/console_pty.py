"""Plays on the console in a terminal of its own, like a person at a keyboard, and reports failures."""
import os, pty, select, signal, struct, sys, termios, fcntl, time

program, socket, how_it_ends = sys.argv[1:4]
screen = b""


def wait_for(*texts, seconds=120):
    """Reads until the terminal shows one of the texts."""
    global screen
    end, text = time.monotonic() + seconds, texts[0]
    while not any(each.encode() in screen for each in texts):
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            sys.exit(f"{text!r} was not shown; the last was {screen[-2000:]!r}")
        try:
            screen += os.read(terminal, 65536)
        except OSError:
            sys.exit(f"{text!r} was not shown before the end; the last was {screen[-2000:]!r}")


def press(keys):
    global screen
    screen = b""
    os.write(terminal, keys.encode())


def flags():
    return termios.tcgetattr(keyboard)[3] & (termios.ICANON | termios.ECHO)


terminal, keyboard = pty.openpty()
fcntl.ioctl(keyboard, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
before = flags()
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(keyboard, termios.TIOCSCTTY, 0)
    for number in range(3):
        os.dup2(keyboard, number)
    # After a crash, Swift's backtrace would wait for a key on this terminal.
    os.environ.update(TERM="xterm", LANG="C.UTF-8", SWIFT_BACKTRACE="enable=no")
    os.execv(program, [program, "--socket", socket, "--data", "none", "--session", "main=game", "--session", "room=turns", "--console", "main"])

wait_for("Four episodes of five levels are waiting.")
assert flags() == 0, "keys are handed over one by one, and not shown"
press("2")
wait_for("Choose episode")
wait_for(*(f" {second}." for second in range(29, 19, -1)))  # the countdown runs without input
press("1")
wait_for("episode: 1 to 4> ")
press("9\r")
wait_for("'chooseEpisode' expects 'episode', a whole number: 1 to 4")
press("13\r")
wait_for("Episode 3")
press("\t")
wait_for("First player's turn")
# A line of the log goes above the picture, which is drawn again below it.
press("")
os.kill(child, signal.SIGHUP)
wait_for("there is nothing to reload\r\n")
wait_for("First player's turn")

# No letter of a typed event's name is a key.
press("pas\t\r")
wait_for("Second player's turn")

if how_it_ends == "q":
    press("q")
elif how_it_ends == "ctrl-c":
    press("\x03")
elif how_it_ends == "ctrl-d":
    press("\x04")
elif how_it_ends == "crash":
    os.kill(child, signal.SIGSEGV)
else:
    os.kill(child, signal.SIGTERM)
wait_for("\x1b[?25h" if how_it_ends != "crash" else "")
_, status = os.waitpid(child, 0)
ended = os.waitstatus_to_exitcode(status)
assert ended == (-signal.SIGSEGV if how_it_ends == "crash" else 0), f"it ended with {ended}"
assert flags() == before, "the terminal is not as it was"
print("played")
