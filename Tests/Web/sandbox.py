"""Trying a flow in a sandbox: time forward and back, apart from real sessions, few at once: sandbox.py GAMED"""

import threading
import time
import unittest

from support import Daemon, in_time, run_tests


class Sandbox(unittest.TestCase):
    def setUp(self):
        self.server = Daemon("--session", "main=game").start()
        self.addCleanup(self.server.remove)
        self.client = self.server.client()

    def begin(self, flow="game"):
        found = self.client.post("/api/sandboxes", {"flow": flow})
        self.assertEqual(found.status, 201, found)
        self.place = f"/api/sandboxes/{found.json['id']}"
        return found.json

    def post(self, word, body=None, status=200):
        found = self.client.post(f"{self.place}/{word}", body)
        self.assertEqual(found.status, status, found)
        return found.json

    def test_a_sandbox_moves_forward_and_back_in_time(self):
        first = self.begin()
        self.assertEqual((first["at_ms"], first["next_ms"], first["view"]["state"], first["steps"]), (0, None, "introduction", []))
        self.assertEqual(self.post("events", {"event": "displayHelp"})["next_ms"], 60_000)
        late = self.post("time", {"at_ms": 59_999})
        self.assertEqual((late["view"]["state"], late["next_ms"]), ("help", 1))
        over = self.post("time", {"to": "next"})
        self.assertEqual((over["at_ms"], over["view"]["state"]), (60_000, "introduction"))
        self.assertEqual([line["t_ms"] for line in over["lines"]], sorted(line["t_ms"] for line in over["lines"]))
        back = self.post("time", {"at_ms": 30_000})
        self.assertEqual((back["at_ms"], back["end_ms"], back["view"]["state"], back["next_ms"]), (30_000, 60_000, "help", 30_000))
        # A repeated walk gives the same result; a different step gives another history.
        self.assertEqual(self.post("time", {"at_ms": 60_000})["view"]["state"], "introduction")
        self.post("time", {"at_ms": 30_000})
        again = self.post("events", {"event": "dismissHelp"})
        self.assertEqual((again["view"]["state"], [step["event"] for step in again["steps"]]), ("introduction", ["displayHelp", "dismissHelp"]))
        self.assertEqual(self.post("restart")["at_ms"], 0)
        self.assertEqual(self.client.delete(self.place).status, 204)
        self.assertEqual(self.client.get(self.place).status, 404)

    def test_a_client_without_a_role_sends_events_of_programs_and_devices_to_a_sandbox(self):
        self.begin()
        for source, event in [("network", "displayHelp"), ("bluetooth", "dismissHelp"), (None, "displayHelp")]:
            self.assertEqual(self.post("events", {"event": event, "source": source})["lines"][-1]["source"], source or "ui")
        self.assertEqual(self.client.post(f"{self.place}/events", {"event": "displayHelp", "source": "timer"}).status, 400)

    def test_a_sandbox_does_not_change_real_sessions(self):
        self.begin()
        self.post("events", {"event": "startPlaying"})
        self.post("force", {"state": "help"})
        self.post("time", {"at_ms": 3_600_000})
        self.assertEqual([row["name"] for row in self.client.get("/api/sessions").json["sessions"]], ["main"])
        self.assertEqual(self.client.get("/api/sessions/main").json["version"], 0)
        self.assertEqual(self.client.get("/api/next").json["timers"], [])
        self.assertEqual(self.client.post("/api/sandboxes", {"flow": "chess"}).code, "NOFLOW")

    def test_a_refused_request_to_a_sandbox_has_a_code_and_changes_nothing(self):
        self.begin()
        for word, body, code in [("events", {"event": "jump"}, "BADEVENT"), ("events", {"event": "chooseLevel", "payload": 1}, "NOTRANSITION"),
                                 ("time", {"at_ms": -1}, None), ("time", {"at_ms": 1 << 62}, None), ("time", {"to": "yesterday"}, "ERR"),
                                 ("time", {}, "ERR"), ("time", {"at_ms": 1, "to": "next"}, "ERR"), ("force", {"state": "bed"}, None), ("extend", {"timer": "nap", "by": "1s"}, None)]:
            found = self.client.post(f"{self.place}/{word}", body)
            self.assertEqual(found.status // 100, 4, (word, body, found))
            self.assertIn(found.code, [code] if code else ["ERR", "LIMIT", "BADEVENT", "NOTIMER"], (word, body, found))
        self.assertEqual(self.client.get(self.place).json["view"]["version"], 0)

    def walk(self, count):
        for _ in range(count):
            begun = self.client.post("/api/sandboxes", {"flow": "turns"}).json["id"]
            self.client.post(f"/api/sandboxes/{begun}/restart")
            self.client.post(f"/api/sandboxes/{begun}/time", {"at_ms": 1000})
            self.client.post(f"/api/sandboxes/{begun}/time", {"at_ms": 0})

    def test_sandboxes_use_bounded_memory_and_do_not_delay_real_sessions(self):
        """Real sessions are served while a client creates many sandboxes and advances their time far."""
        self.begin()
        # As many as are kept, and many evicted ones: the allocator's own growth ends after about 1,000.
        self.walk(1000)
        before = self.server.memory()
        self.walk(300)
        self.assertLess(self.server.memory() - before, 4 << 10)
        in_time(self.delay_by_a_sandbox, 1.5)

    def delay_by_a_sandbox(self):
        """The longest time that a real session's reader waited while a sandbox's time advanced as far as it may."""
        worst, done = [0], threading.Event()
        thread = threading.Thread(target=self.measure, args=(worst, done))
        thread.start()
        found = self.client.post("/api/sandboxes", {"flow": "turns"})
        if found.status == 201:
            self.client.post(f"/api/sandboxes/{found.json['id']}/time", {"at_ms": found.json["limit_ms"]})
        done.set()
        thread.join()
        return worst[0]

    def measure(self, worst, done):
        client = self.server.client()
        while not done.is_set():
            began = time.monotonic()
            client.get("/api/sessions/main")
            worst[0] = max(worst[0], time.monotonic() - began)


if __name__ == "__main__":
    run_tests()
