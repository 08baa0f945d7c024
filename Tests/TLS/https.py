"""The page and its API over TLS: https.py GAMED"""

import http.client
import json
import re
import select
import socket
import ssl
import subprocess
import time
import urllib.parse

import encrypted
from encrypted import daemon


class Https(encrypted.Case):
    def page(self, *words, **more):
        return self.serve(*words, **{"http": "127.0.0.1:0", "listen": None, **more})

    def curl(self, server, path, *words):
        found = subprocess.run(["curl", "--silent", "--show-error", "--cacert", self.authority.certificate, "--max-time", "30", *words,
                                f"https://localhost:{server.port}{path}"], capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stderr)
        return found.stdout

    def open(self, server, **more):
        return http.client.HTTPSConnection("localhost", server.port, context=self.trusting(**more), timeout=daemon.PATIENCE)

    def test_curl_reads_the_page_and_plays(self):
        server = self.page("--http-name", "localhost", is_open=True)
        self.assertEqual(server.link, f"https://localhost:{server.port}/")
        self.assertIn("<html", self.curl(server, "/"))
        self.assertEqual(json.loads(self.curl(server, "/api/sessions/room"))["state"], "first")
        found = self.curl(server, "/api/sessions/room/events", "--json", '{"event": "pass"}')
        self.assertIn("second", found)

    def test_curl_hears_the_stream(self):
        server = self.page(is_open=True)
        words = ["curl", "--silent", "--no-buffer", "--cacert", self.authority.certificate,
                 f"https://localhost:{server.port}/api/stream?topic=history:room"]
        listener = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.addCleanup(listener.stdout.close)
        self.addCleanup(listener.wait)
        self.addCleanup(listener.kill)
        while "data:" not in listener.stdout.readline():
            pass
        server.resp().say("SEND", "room", "pass")
        line = listener.stdout.readline()
        while "pass" not in line:
            self.assertTrue(line)
            line = listener.stdout.readline()

    def test_cookies_stay_on_TLS_and_foreign_origins_out(self):
        server = self.page()
        self.assertTrue(server.link.startswith("https://127.0.0.1:"), server.link)
        line = self.open(server)
        line.request("GET", server.link.split(str(server.port), 1)[1])
        found = line.getresponse()
        found.read()
        self.assertIn("; Secure", found.headers["Set-Cookie"])
        cookie = found.headers["Set-Cookie"].split(";")[0]
        for origin, status in [(f"http://localhost:{server.port}", 403), (f"https://localhost:{server.port}", 200)]:
            headers = {"Cookie": cookie, "Origin": origin, "Content-Type": "application/json"}
            line.request("POST", "/api/sessions/room/events", '{"event": "pass"}', headers)
            found = line.getresponse()
            self.assertEqual(found.status, status, found.read())
            found.read()

    def test_a_connection_is_kept_for_many_requests(self):
        server = self.page(is_open=True)
        line = self.open(server)
        for number in range(200):
            line.request("POST", "/api/sessions/room/events", '{"event": "pass"}', {"Content-Type": "application/json"})
            self.assertEqual(line.getresponse().read().count(b"second"), 1 - number % 2)

    def test_large_bodies_and_answers_come_whole(self):
        server = self.page(is_open=True)
        line = self.open(server)
        line.request("POST", "/api/sessions/room/events", json.dumps({"event": "pass", "payload": "x" * 1_000_000}),
                     {"Content-Type": "application/json"})
        self.assertIn(line.getresponse().status, (200, 400, 409, 422))
        line.close()
        for _ in range(3):
            line.request("GET", "/api/openapi.json")
            found = line.getresponse()
            if found.status == 404:
                found.read()
                break
            json.loads(found.read())
        # Larger than a request may be: libevent's limit holds for what comes out of TLS.
        line = self.dial(server.port)
        try:
            line.sendall(b"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50000000\r\n\r\n")
            line.sendall(b" " * 50_000_000)
            self.assertIn(b" 413 ", line.recv(100))
        except (ConnectionError, ssl.SSLError):
            pass
        self.assertEqual(json.loads(self.curl(server, "/api/sessions/room"))["state"], "first")

    def test_a_byte_at_a_time_works(self):
        server = self.page(is_open=True)
        line = self.dial(server.port)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n":
            line.sendall(bytes([byte]))
        self.assertIn(b" 200 OK\r\n", self.read(line, b"\n"))

    def test_old_versions_and_plain_text_are_refused_without_harm(self):
        server = self.page(is_open=True)
        old = self.trusting()
        old.set_ciphers("DEFAULT:@SECLEVEL=0")
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        with self.assertRaises(ssl.SSLError):
            self.dial(server.port, old)
        for nonsense in [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\x02\x00\x01" + b"x" * 600]:
            self.assertNotIn(b"200", server.raw(nonsense))
        self.assertEqual(json.loads(self.curl(server, "/api/sessions/room"))["state"], "first")

    def test_half_handshakes_make_room_and_free_everything(self):
        """Many more than may be there: the oldest goes."""
        server = self.page(is_open=True)
        self.curl(server, "/healthz")
        daemon.until(lambda: server.descriptors() < 40, "curl's connection is gone")
        before = server.descriptors()
        lines = [self.dial_in_clear(server.port) for _ in range(2_200)]
        for line in lines[:1_000]:
            line.sendall(b"\x16\x03\x01\x02\x00\x01")
        self.assertIn('"live":true', self.curl(server, "/healthz"))
        for line in lines:
            line.close()
        daemon.until(lambda: server.descriptors() <= before + 10, "all are closed", 30)

    def test_a_reader_that_takes_nothing_holds_no_more_than_its_bound(self):
        server = self.page("--time", "virtual", "--data", "none", is_open=True)
        line = self.dial(server.port)
        line.sendall(b"GET /api/stream?topic=history:room HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertIn(b" 200 ", line.recv(1_000))
        resp, before = server.resp(), server.memory()
        for _ in range(50):
            resp.many([["SEND", "room", "pass"]] * 1_000)
        self.assertLess(server.memory() - before, 40_000)
        self.assertEqual(json.loads(self.curl(server, "/api/sessions/room"))["flow"], "turns")

    def test_it_stops_at_once_however_many_read(self):
        server = self.page(is_open=True)
        lines = [self.dial(server.port) for _ in range(20)]
        for line in lines:
            line.sendall(b"GET /api/stream?topic=sessions HTTP/1.1\r\nHost: localhost\r\n\r\n")
            line.recv(1_000)
        began = time.monotonic()
        self.assertEqual(server.end(), 0)
        self.assertLess(time.monotonic() - began, 10)

    def test_the_page_may_stay_in_clear(self):
        server = self.page(http="http://127.0.0.1:0", is_open=True)
        self.assertTrue(server.link.startswith("http://127.0.0.1:"))
        self.assertEqual(server.client().get("/healthz").status, 200)


if __name__ == "__main__":
    daemon.main()
