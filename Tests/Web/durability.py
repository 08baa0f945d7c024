"""Acknowledged events are on disk, even if the daemon is killed right then: durability.py GAMED"""

import hashlib
import http.client
import os
import random
import resource
import signal
import struct
import subprocess
import threading
import unittest

from support import Daemon, Stream, run_tests, wait_until


class Durability(unittest.TestCase):
    def setUp(self):
        self.server = Daemon("--durability", "always", "--session", "room=turns").start()
        self.addCleanup(self.server.remove)

    def test_an_acknowledged_request_survives_SIGKILL_right_after_the_response(self):
        for round in range(6):
            client = self.server.client()
            self.assertEqual(client.post("/api/sessions", {"name": f"s{round}", "flow": "registration"}).status, 201)
            found = client.send(f"s{round}", "next")
            self.server.stop(signal.SIGKILL)
            self.server.start()
            again = self.server.client().get(f"/api/sessions/s{round}").json
            self.assertEqual((again["state"], again["version"]), (found.json["state"], found.json["version"]))
            self.assertEqual(self.server.client().delete(f"/api/sessions/s{round}").status, 200)
            self.server.restart(signal.SIGKILL)
            self.assertEqual(self.server.client().get(f"/api/sessions/s{round}").status, 404)

    def test_SIGKILL_amid_many_responses_loses_no_acknowledged_event(self):
        seed = int(os.environ.get("GAMED_SEED", 7))
        print(f"durability.py: seed {seed}")
        answered, dice = {}, random.Random(seed)
        def play(name):
            client = self.server.client()
            try:
                client.post("/api/sessions", {"name": name, "flow": "turns"})
                while True:
                    answered[name] = client.send(name, "pass").json["version"]
            except (OSError, http.client.HTTPException, KeyError):
                pass
        players = [threading.Thread(target=play, args=(f"p{number}",)) for number in range(8)]
        for player in players:
            player.start()
        goal = dice.randrange(100, 600)
        wait_until(lambda: sum(answered.values()) > goal, f"more than {goal} events are acknowledged")
        self.server.stop(signal.SIGKILL)
        for player in players:
            player.join()
        self.server.start()
        client = self.server.client()
        for name, version in answered.items():
            # One more may be on disk whose response was not sent yet.
            self.assertIn(client.get(f"/api/sessions/{name}").json["version"], [version, version + 1], (seed, name))

    def test_a_stream_shows_no_change_that_SIGKILL_can_lose(self):
        told = 0
        stream = Stream(self.server.port, ["session:room"])
        stream.next("view")
        client = self.server.client()
        for _ in range(20):
            client.send("room", "pass")
        while told < 10:
            told = stream.next("view").data["view"]["version"]
        stream.close()
        self.server.restart(signal.SIGKILL)
        self.assertGreaterEqual(self.server.client().get("/api/sessions/room").json["version"], told)

    def test_responses_that_wait_for_the_disk_are_sent_in_order(self):
        """Several requests in one packet: the responses arrive in order, each with its own version."""
        text = b"""{"event":"pass"}"""
        one = b"POST /api/sessions/room/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n" % len(text)
        found = self.server.raw((one + b"\r\n" + text) * 5 + one + b"Connection: close\r\n\r\n" + text).decode()
        self.assertEqual([f'"version":{number},' in part for number, part in enumerate(found.split("HTTP/1.1 200 OK"))][1:], [True] * 6)


    def test_a_disk_that_accepts_no_writes_is_reported_over_HTTP_and_events_are_accepted_again_when_it_does(self):
        client = self.server.client()
        self.assertEqual((client.send("room", "pass").status, client.get("/readyz").status), (200, 200))
        self.limit_files(0)
        # The first event was applied and is not on disk yet; later ones are not applied.
        for status, wait in [(500, None), (503, "1")]:
            found = client.send("room", "pass")
            self.assertEqual((found.status, found.code, found.headers["Retry-After"]), (status, "JOURNAL", wait))
        self.assertEqual((client.get("/readyz").status, client.get("/healthz").status), (503, 200))
        stream = Stream(self.server.port, ["status"])
        self.assertNotEqual((stream.next("status").data["trouble"], stream.next("status").data["journal"]["status"]), (None, "ok"))
        self.limit_files(resource.RLIM_INFINITY)
        wait_until(lambda: client.get("/readyz").status == 200, "the disk accepts writes again")
        found = wait_until(lambda: (answer := client.send("room", "pass")).status == 200 and answer, "events are accepted again")
        self.assertIsNone(stream.next("status", where=lambda event: not event.data["trouble"]).data["trouble"])
        stream.close()
        self.server.restart(signal.SIGKILL)
        self.assertEqual(self.server.client().get("/api/sessions/room").json["version"], found.json["version"])

    def limit_files(self, size):
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


class BlockedDisk(unittest.TestCase):
    """A disk whose writes wait for as long as the test wants, by Tests/Faults/faults.c."""

    TOKEN = "a-secret-of-the-master-of-all"
    SOURCE = os.path.join(os.path.dirname(__file__), "..", "Faults", "faults.c")

    def setUp(self):
        self.server = Daemon(is_open=False)
        self.addCleanup(self.server.remove)
        library, self.control, tokens = (os.path.join(self.server.folder, name) for name in ["faults.so", "faults", "tokens"])
        subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, self.SOURCE], check=True)
        with open(self.control, "wb") as file:
            file.write(bytes(4096))
        with open(tokens, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(f"master master sha256={hashlib.sha256(self.TOKEN.encode()).hexdigest()}\n")
        self.server.words += ["--token-file", tokens]
        self.server.environment |= {
            "LD_PRELOAD": library, "GAMED_FAULTS_CONTROL": self.control, "GAMED_FAULTS_UNDER": self.server.data}
        self.server.start()

    def block(self, is_blocked):
        with open(self.control, "r+b") as file:
            file.seek(48)
            file.write(struct.pack("i", is_blocked))

    def test_a_login_is_answered_once_it_is_on_disk_and_keeps_no_other_client_waiting(self):
        self.block(True)
        self.addCleanup(self.block, False)
        client, found = self.server.client(), []
        login = threading.Thread(target=lambda: found.append(client.post("/login", {"token": f"master.{self.TOKEN}"})))
        login.start()
        wait_until(lambda: os.path.exists(os.path.join(self.server.data, "logins.new")), "the login is being written")
        for _ in range(20):
            self.assertEqual(self.server.client().get("/healthz").status, 200)
        self.assertEqual(found, [])
        self.block(False)
        login.join()
        self.assertEqual(found[0].status, 204)
        self.server.restart(signal.SIGKILL)
        self.assertEqual(self.server.client(cookie=found[0].cookie).get("/api/sessions").status, 200)


if __name__ == "__main__":
    run_tests()
