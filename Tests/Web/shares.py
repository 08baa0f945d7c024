"""A client that uses all it can get leaves other clients their share: shares.py GAMED"""

import hashlib
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from support import ROOT, SECONDS, Daemon, in_time, run_tests, seconds_of

STREAMS = 2_048
PAGE = os.path.join(ROOT, "Sources", "Web", "Page")


def secret(name):
    return f"a-secret-of-{name}-that-is-long"


class Shares(unittest.TestCase):
    def serve(self, *words):
        lines = {"greedy": "read sessions=none-*", "quiet": "read", "root": "master", "player": "play rate=2/s"}
        with tempfile.NamedTemporaryFile("w", suffix=".tokens", delete=False) as file:
            self.addCleanup(os.unlink, file.name)
            for name, said in lines.items():
                file.write(f"{name} {said} sha256={hashlib.sha256(secret(name).encode()).hexdigest()}\n")
        self.server = Daemon("--session", "room=turns", "--token-file", file.name, *words, is_open=False)
        self.addCleanup(self.server.remove)
        return self.server.start()

    def bearer(self, name):
        return {"Authorization": f"Bearer {name}.{secret(name)}"}

    def stream(self, name, source):
        """The status of a stream that is left open."""
        line = socket.create_connection(("127.0.0.1", self.server.port), timeout=SECONDS, source_address=(source, 0))
        self.addCleanup(line.close)
        line.sendall((f"GET /api/stream?topic=flows HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {name}.{secret(name)}\r\n\r\n").encode())
        return int(line.recv(12).split()[1])

    def test_the_streams_of_one_token_leave_others_and_health_checks_room(self):
        self.serve()
        found = [self.stream("greedy", "127.0.0.1") for _ in range(STREAMS // 2 + 20)]
        self.assertEqual((found.count(200), found.count(429)), (STREAMS // 2, 20))
        self.assertEqual(self.stream("greedy", "127.0.0.2"), 429, "the token has its share")
        error = self.server.client().get("/api/stream?topic=flows", headers=self.bearer("greedy")).json["message"]
        self.assertIn("operator can change this limit", error)
        self.assertNotIn("CONFIG SET", error, "advice for administrators")
        in_time(lambda: seconds_of(self.ask_as_others), 2)

    def ask_as_others(self):
        client = self.server.client()
        self.assertEqual([client.get(path).status for path in ["/healthz", "/readyz"]], [200, 200], "from the same address")
        self.assertEqual(client.get("/api/sessions", headers=self.bearer("root")).status, 200, "an administrator, from the same address")
        self.assertEqual(self.stream("quiet", "127.0.0.2"), 200)

    def test_the_connections_of_one_token_leave_others_and_the_socket_room(self):
        self.serve("--limit", "connections=100", "--listen", "127.0.0.1:0")

        def connect(name, source="127.0.0.1"):
            client = self.server.resp_over_tcp(source=source)
            self.addCleanup(client.close)
            return str(client.ask("AUTH", f"{name}.{secret(name)}"))

        found = [connect("greedy") for _ in range(60)]
        self.assertEqual(found.count("OK"), 50, found[-1])
        self.assertIn("the daemon's operator can change this limit", found[-1])
        self.assertEqual(connect("quiet", "127.0.0.2"), "OK")
        self.assertEqual(connect("root"), "OK")
        self.assertEqual(self.server.resp().ask("PING"), "PONG")

    def test_260_logins_of_one_token_do_not_end_the_login_of_another(self):
        self.serve()
        screen = self.server.client()
        found = screen.post("/login", {"token": f"quiet.{secret('quiet')}"})
        screen.cookie = found.cookie
        client = self.server.client()
        for _ in range(260):
            self.assertEqual(client.post("/login", {"token": f"greedy.{secret('greedy')}"}).status, 204)
        self.assertEqual(screen.get("/api/sessions").status, 200)

    def test_sandboxes_share_the_time_of_a_turn_and_count_in_the_tokens_rate(self):
        flow = {"id": "ticking", "initial": "a", "states": {"a": {"after": {"1ms": {"name": "tick", "target": "a"}}}}}
        with tempfile.NamedTemporaryFile("w", suffix=".json5", delete=False) as file:
            self.addCleanup(os.unlink, file.name)
            json.dump(flow, file)
        self.serve("--flows", file.name)

        def walk():
            client = self.server.client(headers=self.bearer("root"))
            place = client.post("/api/sandboxes", {"flow": "ticking"}).json["id"]
            for at in (3_000, 0, 3_000):
                client.post(f"/api/sandboxes/{place}/time", {"at_ms": at})

        walkers = [threading.Thread(target=walk) for _ in range(16)]
        for walker in walkers:
            walker.start()
        waits, resp = [], self.server.resp()
        while any(walker.is_alive() for walker in walkers):
            began = time.monotonic()
            resp.ask("SEND", "room", "pass")
            waits.append(time.monotonic() - began)
        print(f"SEND beside 16 sandboxes: {len(waits)} times, median {sorted(waits)[len(waits) // 2] * 1000:.1f} ms, "
              f"longest {max(waits) * 1000:.1f} ms")
        player = self.server.client(headers=self.bearer("player"))
        found = [player.post("/api/sandboxes", {"flow": "turns"}).status for _ in range(12)]
        self.assertIn(429, found, "each counts as a change")

    def test_the_login_redirects_only_within_the_page(self):
        targets = ["/.//evil.example", "//evil.example", "/\\evil.example", "https://evil.example", "/a/..//evil.example",
                   "/%2e//evil.example", "javascript:alert(1)", "/\t/evil.example", "", "/s/room?x=1", "/login"]
        script = (f"import {{ target }} from {json.dumps('file://' + os.path.join(PAGE, 'login.js'))};"
                  f"console.log(JSON.stringify({json.dumps(targets)}.map(to => target(to, 'http://localhost:7650'))))")
        found = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=False)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual(json.loads(found.stdout), ["/"] * 9 + ["/s/room?x=1", "/login"])


if __name__ == "__main__":
    run_tests()
