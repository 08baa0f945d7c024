"""The API against its own description, by schemathesis: conformance.py GAMED. The Python that runs this has schemathesis: make deps-test."""

import os
import subprocess
import sys
import unittest

import daemon
from daemon import EXAMPLES, Daemon

# An answer that never ends, and a file of any name on this machine.
EXCLUDED = ["/api/stream", "/api/backup"]

# libevent answers methods that it does not know by itself, with 501.
METHODS = """
[phases.coverage]
unexpected-methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
"""
# These exist, so that what is asked for is not only missing.
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
        # What is read and written by the way stays in the daemon's folder.
        found = subprocess.run(command, cwd=self.server.folder, capture_output=True, text=True, timeout=300)
        self.assertIsNone(self.server.process.poll(), self.server.errors[-2000:])
        self.assertEqual(found.returncode, 0, (found.stdout + found.stderr)[-200_000:])

    # What a description cannot say is that an event, a state or a timer is none of the flow's: a body that it allows may be refused.

    def test_what_a_guest_may_ask_for_is_answered_as_described(self):
        self.run_schemathesis("", "--max-examples", "12", "--exclude-checks", "positive_data_acceptance")

    def test_what_there_is_answers_as_described_to_who_is_trusted(self):
        self.run_schemathesis(NAMES, "--max-examples", "12", "--exclude-method", "DELETE", "--phases", "coverage,fuzzing", *TRUSTED,
                              "--exclude-checks", "positive_data_acceptance", "--exclude-path", "/login")

    def test_whatever_the_description_allows_to_ask_is_answered(self):
        self.run_schemathesis(NAMES, "--max-examples", "30", "--include-method", "GET", "--phases", "coverage,fuzzing", *TRUSTED)


if __name__ == "__main__":
    daemon.main()
