"""The API against its own description, by schemathesis: conformance.py GAMED. The Python that runs this has schemathesis: make deps-test."""

import os
import subprocess
import sys
import unittest

import daemon
from daemon import EXAMPLES, Daemon

# Excluded: a response that never ends, and a backup to any file of this machine.
EXCLUDED = ["/api/stream", "/api/backup"]

# libevent itself answers unknown methods, with 501.
METHODS = """
[phases.coverage]
unexpected-methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
"""
# These exist, so that not all requests are for missing objects.
NAMES = """
[parameters]
"path.name" = "room"
"path.flow" = "game"
"path.device" = "turn-button"
"""
TRUSTED = ["--header", "Authorization: Bearer a-token-that-nobody-guesses"]


class Conformance(unittest.TestCase):
    def setUp(self):
        devices = os.path.join(EXAMPLES, "devices.json")
        token = {"GAMED_TOKEN": "a-token-that-nobody-guesses"}
        sessions = ["--session", "room=turns", "--session", "hall=turns", "--session", "main=game", "--session", "0=registration"]
        self.server = Daemon("--time", "virtual", "--bluetooth", devices, *sessions, environment=token).start()
        self.addCleanup(self.server.remove)

    def run_schemathesis(self, settings, *words):
        place = os.path.join(self.server.folder, "schemathesis.toml")
        with open(place, "w") as file:
            file.write(METHODS + settings)
        url = f"http://127.0.0.1:{self.server.port}/api/openapi.json"
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", place, "run", url, "--checks", "all", 
                  "--generation-deterministic", "--request-timeout", "10", "--no-color", *words]
        for path in EXCLUDED:
            command += ["--exclude-path", path]
        # Files that are read and written meanwhile stay in the daemon's directory.
        found = subprocess.run(command, cwd=self.server.folder, capture_output=True, text=True, timeout=300)
        self.assertIsNone(self.server.process.poll(), self.server.errors[-2000:])
        self.assertEqual(found.returncode, 0, (found.stdout + found.stderr)[-200_000:])

    # A description cannot express that an event, state or timer is not the flow's, so a valid body may be refused.

    def test_what_a_guest_may_ask_for_is_answered_as_described(self):
        self.run_schemathesis("", "--max-examples", "12", "--exclude-checks", "positive_data_acceptance")

    def test_what_there_is_answers_as_described_to_who_is_trusted(self):
        self.run_schemathesis(NAMES, "--max-examples", "12", "--exclude-method", "DELETE", "--phases", "coverage,fuzzing", *TRUSTED,
                              "--exclude-checks", "positive_data_acceptance", "--exclude-path", "/login")

    def test_whatever_the_description_allows_to_ask_is_answered(self):
        self.run_schemathesis(NAMES, "--max-examples", "30", "--include-method", "GET", "--phases", "coverage,fuzzing", *TRUSTED)


if __name__ == "__main__":
    daemon.main()
