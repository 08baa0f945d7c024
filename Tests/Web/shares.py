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

from support import ROOT, SECONDS, Daemon, Stream, in_time, run_tests, seconds_of, wait_until

STREAMS = 2_048
BODY = 2 << 20
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

    def send(self, text, source, room=None):
        """A connection that has sent this, as far as the daemon took it."""
        line = socket.socket()
        self.addCleanup(line.close)
        if room:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        line.settimeout(SECONDS)
        line.bind((source, 0))
        line.connect(("127.0.0.1", self.server.port))
        try:
            line.sendall(text)
        except ConnectionError:
            pass
        return line

    def assert_holds(self, count, text, room=None):
        """Of that many connections of strangers, the daemon ends most, and needs little memory for the rest."""
        before, memory = self.server.descriptors(), self.server.memory()
        for _ in range(count):
            self.send(text, "127.0.0.2", room)
        self.assertEqual(self.server.client().get("/readyz").status, 200, "it was accepted after them")
        # Sooner than requests that are late.
        wait_until(lambda: self.server.descriptors() < before + count // 4, "connections that hold most are closed", seconds=10)
        self.assertLess(self.server.memory() - memory, 48 << 10)

    def test_bodies_of_strangers_stay_within_client_bytes_and_leave_a_token_its_request(self):
        self.serve("--limit", "client-bytes=8388608")
        asked = f"Host: 127.0.0.1\r\nAuthorization: Bearer player.{secret('player')}\r\n"
        line = self.send(f"GET /api/sessions HTTP/1.1\r\n{asked}\r\n".encode(), "127.0.0.1")
        self.assertIn(b" 200 ", line.recv(1 << 16))
        body = json.dumps({"event": "pass"}).rjust(60_000)
        head = f"POST /api/sessions/room/events HTTP/1.1\r\n{asked}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
        line.sendall((head + body[:30_000]).encode())
        long = f"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {BODY}\r\n\r\n"
        self.assert_holds(40, long.encode() + b" " * (BODY - 1))
        line.sendall(body[30_000:].encode())
        self.assertIn(b" 200 ", line.recv(1 << 16))

    def test_responses_that_strangers_do_not_read_stay_within_client_bytes(self):
        self.serve("--limit", "client-bytes=2097152")
        self.assert_holds(300, b"GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", room=2_048)

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

    def test_the_status_of_tokens_with_some_sessions_is_theirs_and_does_not_delay_a_view(self):
        flow = {"id": "long", "initial": "on", "states": {"on": {"after": {"20h": "on"}}}}
        with tempfile.NamedTemporaryFile("w", suffix=".json5", delete=False) as file:
            self.addCleanup(os.unlink, file.name)
            json.dump(flow, file)
        self.serve("--flows", file.name, "--limit", "share-percent=100")
        resp = self.server.resp()
        for start in range(0, 10_000, 1_000):
            resp.many([("NEW", f"{'far' if number else 'none'}-{number}", "long") for number in range(start, start + 1_000)])
        readers = [self.reader("greedy", "status") for _ in range(10)]
        for reader in readers:
            self.assertEqual([each["session"] for each in reader.next("status").data["next"]], ["none-0"])
        view, versions = self.reader("root", "session:room"), iter(range(1, 10))

        def change():
            version = next(versions)
            resp.ask("SEND", "room", "pass")
            view.next("view", where=lambda event: event.data["view"]["version"] == version)

        in_time(lambda: seconds_of(change), 3)

    def reader(self, name, topic):
        cookie = self.server.client().post("/login", {"token": f"{name}.{secret(name)}"}).cookie
        stream = Stream(self.server.port, [topic], cookie=cookie)
        self.addCleanup(stream.close)
        return stream

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
