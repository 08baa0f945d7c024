"""Helpers of the page's tests: one chromium for each file, a daemon for each class, and tabs that are closed and checked for errors."""

import functools
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Support", "Python"))

import gamed  # noqa: E402
from browser import Browser  # noqa: E402
from certificates import Authority  # noqa: E402, F401
from events import Stream  # noqa: E402, F401
from gamed import EXAMPLES, Daemon, init_store, program_beside, use_program  # noqa: E402, F401
from http_client import HTTPClient, quoted  # noqa: E402, F401
from resp import RESPClient, as_dict  # noqa: E402, F401
from waiting import SECONDS, wait_until  # noqa: E402, F401

FLOWS = os.path.join(HERE, "Flows")
# `GAMED_PAGE=Sources/Web/Page python3 play.py GAMED` tries the page's files as they are, and not those that were compiled in.
PAGE = {name: os.path.abspath(value) for name, value in os.environ.items() if name == "GAMED_PAGE"}
BROWSER = None

# Visible elements by their name: their label or their text.
CALLED = """(name, within) => [...document.querySelectorAll(`${within} :is(button, a, input, select, summary, [role=button])`)]
    .find(e => e.checkVisibility() && (e.getAttribute('aria-label') ?? e.textContent).trim() === name)"""


def called(name, within="body"):
    """An expression: the button, link or input of that name."""
    return f"({CALLED})({name!r}, {within!r})"


# For `before`: notices, which last for some seconds, stay while a busy machine needs longer than that to press their buttons.
LONG_NOTICES = """{ const set = setTimeout; globalThis.setTimeout = (run, ms, ...more) => set(run, ms >= 6_000 ? 50 * ms : ms, ...more); }"""


def again_if(is_excused):
    """A test that a busy machine may disturb is run up to three times, as long as that function, which gets the test and its error, excuses it.
    A fault fails each run."""
    def decorated(test):
        @functools.wraps(test)
        def run(self):
            for _ in range(2):
                try:
                    return test(self)
                except Exception as error:
                    if not is_excused(self, error):
                        raise
                    print(f"once more: {test.__name__}: {error!r}", file=sys.stderr)
                self.doCleanups()
                self.setUp()
            return test(self)
        return run
    return decorated


# A test that compares clocks: the answer that sets a clock may arrive late.
timed = again_if(lambda self, error: isinstance(error, AssertionError))


class PageTest(unittest.TestCase):
    words = ("--session", "main=game", "--session", "room=turns")
    is_open = True
    environment = {}
    flows = FLOWS
    unprobed = None

    @classmethod
    def setUpClass(cls):
        cls.server = Daemon("--flows", cls.flows, *cls.words, is_open=cls.is_open, environment={**PAGE, **cls.environment},
                            unprobed=cls.unprobed).start()
        cls.addClassCleanup(cls.server.remove)
        cls.client = cls.server.client()

    def setUp(self):
        self.tabs, self.expected, self.begun = [], [], []
        self.addCleanup(self.drop_sessions)
        self.addCleanup(self.close_tabs)

    def tab(self, path, **looks):
        """A new tab that shows the path. It is closed after the test, and must have no errors."""
        tab = BROWSER.tab(self.url(path) if path[0] == "/" else path, **looks)
        self.tabs.append(tab)
        return tab

    def url(self, path):
        return f"http://127.0.0.1:{self.server.port}{path}"

    def expect(self, pattern):
        """Allows an error that belongs to the test: the browser logs each refused request."""
        self.expected.append(pattern)

    def close_tabs(self):
        for tab in self.tabs:
            tab.close()
        errors = [error for tab in self.tabs for error in tab.errors if not any(re.search(each, error) for each in self.expected)]
        self.assertEqual(errors, [], "the page has complained")

    def begin(self, name, flow, **more):
        found = self.client.post("/api/sessions", {"name": name, "flow": flow, **more})
        self.assertEqual(found.status, 201, found)
        self.begun.append(name)

    def drop_sessions(self):
        for name in self.begun:
            self.client.delete(f"/api/sessions/{quoted(name)}")

    def view(self, name):
        return self.client.get(f"/api/sessions/{quoted(name)}").json

    def metric(self, name, missing=None):
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.client.get("/metrics").body.decode(), re.M)
        return float(found.group(1)) if found else missing

    def press(self, tab, name, within="body"):
        tab.click_on(called(name, within))

    def reads(self, tab, selector, text):
        """Waits until an element's text is this."""
        tab.wait(f"document.querySelector({selector!r})?.textContent.trim() === {text!r}")

    def says(self, tab, text, within="main"):
        """Waits until the text is on the page."""
        tab.wait(f"document.querySelector({within!r})?.innerText.includes({text!r})")

    def title(self, tab, text):
        self.reads(tab, "h1", text)


def contrast():
    """The script that finds illegible texts; see its head."""
    with open(os.path.join(HERE, "contrast.js")) as file:
        return file.read()


def run_tests():
    """Runs the tests of the file that was started, with one browser: `python3 FILE GAMED [TEST…]`"""
    global BROWSER
    with Browser() as BROWSER:
        gamed.run_tests()
