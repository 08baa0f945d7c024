"""The API against its own description, by schemathesis: conformance.py GAMED. The Python that runs this has schemathesis: make deps-test."""

import os
import subprocess
import sys
import unittest

from support import EXAMPLES, Daemon, run_tests


# Excluded: a response that never ends, and a backup to any file of this machine.
EXCLUDED = ["/api/stream", "/api/backup"]

# An unknown method is answered before its path is read, so that the header Allow is that of all paths together.
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
        self.assertTrue(self.server.is_running, self.server.errors[-2000:])
        self.assertEqual(found.returncode, 0, (found.stdout + found.stderr)[-200_000:])

    # A description cannot express that an event, state or timer is not the flow's, so a valid body may be refused. Nor that a body names another
    # object, such as a sandbox's child, whose absence is a 404 of an object that has just been created.

    def test_the_API_answers_a_guest_as_its_description_says(self):
        self.run_schemathesis("", "--max-examples", "12", "--exclude-checks", "positive_data_acceptance,ensure_resource_availability")

    def test_the_API_answers_an_administrator_about_existing_objects_as_its_description_says_and_accepts_every_GET(self):
        # The GETs follow the changes, so that they are answered with more than the beginning of each session.
        self.run_schemathesis(NAMES, "--max-examples", "12", "--exclude-method", "DELETE", "--exclude-method", "GET", "--phases",
                              "coverage,fuzzing", *TRUSTED, "--exclude-checks", "positive_data_acceptance", "--exclude-path", "/login")
        self.run_schemathesis(NAMES, "--max-examples", "30", "--include-method", "GET", "--phases", "coverage,fuzzing", *TRUSTED)


if __name__ == "__main__":
    run_tests()
