"""The one way in which the Python tests wait, and measure time."""

import sys
import time

# Seconds within which everything must happen that is expected. The machine may be very busy, and only a test that fails waits that long.
SECONDS = 120


def wait_until(condition, what, seconds=SECONDS, every=0.01, ignoring=()):
    """Asks every few seconds until the condition holds, and returns its value. Fails with `what`, a text or a function that returns one.
    `ignoring` are exceptions of the condition that mean: not yet."""
    end = time.monotonic() + seconds
    while True:
        try:
            found, fault = condition(), None
        except ignoring as error:
            found, fault = None, error
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}" + (f" ({fault!r})" if fault else ""))
        time.sleep(every)


def in_time(measure, bound, runs=3):
    """Measures again while the seconds that `measure` returns are not below the bound: a busy machine is late now and then, a fault is each time."""
    found = [measure()]
    while found[-1] >= bound:
        if len(found) == runs:
            raise AssertionError(f"not below {bound} s: {found}")
        print(f"once more: not below {bound} s: {found[-1]}", file=sys.stderr)
        found.append(measure())


def seconds_of(action):
    began = time.monotonic()
    action()
    return time.monotonic() - began
