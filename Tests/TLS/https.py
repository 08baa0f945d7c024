"""The page and its API over TLS: https.py GAMED"""

import json
import socket
import ssl
import subprocess
import time

from encrypted import TLSTest, run_tests, wait_until


class Https(TLSTest):
    def page(self, *words, **more):
        return self.serve(*words, **{"http": "127.0.0.1:0", "listen": None, **more})

    def curl(self, server, path, *words):
        found = subprocess.run(["curl", "--silent", "--show-error", "--cacert", self.authority.certificate, "--max-time", "30", *words,
                                f"https://localhost:{server.port}{path}"], capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stderr)
        return found.stdout

    def open(self, server, **more):
        return server.client(host="localhost", context=self.trusting(**more), repeats=False)

    def test_curl_reads_the_page_and_sends_an_event_over_TLS(self):
        server = self.page("--http-name", "localhost", is_open=True)
        self.assertEqual(server.link, f"https://localhost:{server.port}/")
        self.assertIn("<html", self.curl(server, "/"))
        self.assertEqual(json.loads(self.curl(server, "/api/sessions/room"))["state"], "first")
        found = self.curl(server, "/api/sessions/room/events", "--json", '{"event": "pass"}')
        self.assertIn("second", found)

    def test_curl_receives_the_stream_over_TLS(self):
        server = self.page(is_open=True)
        words = ["curl", "--silent", "--no-buffer", "--cacert", self.authority.certificate,
                 f"https://localhost:{server.port}/api/stream?topic=history:room"]
        listener = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.addCleanup(listener.stdout.close)
        self.addCleanup(listener.wait)
        self.addCleanup(listener.kill)
        while "data:" not in listener.stdout.readline():
            pass
        server.resp().ask("SEND", "room", "pass")
        line = listener.stdout.readline()
        while "pass" not in line:
            self.assertTrue(line)
            line = listener.stdout.readline()

    def test_a_cookie_over_TLS_is_secure_and_the_origin_over_plain_HTTP_is_refused(self):
        server = self.page()
        self.assertTrue(server.link.startswith("https://127.0.0.1:"), server.link)
        client = self.open(server)
        found = client.get(server.link.split(str(server.port), 1)[1])
        self.assertIn("; Secure", found.headers["Set-Cookie"])
        client.cookie = found.cookie
        for origin, status in [(f"http://localhost:{server.port}", 403), (f"https://localhost:{server.port}", 200)]:
            found = client.post("/api/sessions/room/events", {"event": "pass"}, headers={"Origin": origin})
            self.assertEqual(found.status, status, found)

    def test_a_TLS_connection_serves_200_requests(self):
        server = self.page(is_open=True)
        client = self.open(server)
        for number in range(200):
            self.assertEqual(client.send("room", "pass").body.count(b"second"), 1 - number % 2)

    def test_large_requests_and_responses_over_TLS_arrive_whole_and_too_large_ones_are_refused(self):
        server = self.page(is_open=True)
        client = self.open(server)
        self.assertIn(client.send("room", "pass", "x" * 1_000_000).status, (200, 400, 409, 422))
        client.close()
        for _ in range(3):
            found = client.get("/api/openapi.json")
            if found.status == 404:
                break
            json.loads(found.body)
        # Larger than a request may be: libevent's limit holds for what comes out of TLS.
        line = self.dial(server.port)
        try:
            line.sendall(b"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50000000\r\n\r\n")
            line.sendall(b" " * 50_000_000)
            self.assertIn(b" 413 ", line.recv(100))
        except (ConnectionError, ssl.SSLError):
            pass
        self.assertEqual(json.loads(self.curl(server, "/api/sessions/room"))["state"], "first")

    def test_an_HTTPS_request_is_answered_if_each_byte_is_a_TLS_record(self):
        server = self.page(is_open=True)
        line = self.dial(server.port)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n":
            line.sendall(bytes([byte]))
        self.assertIn(b" 200 OK\r\n", self.read(line, b"\n"))

    def test_the_HTTPS_port_refuses_old_TLS_versions_and_plain_text_and_continues(self):
        server = self.page(is_open=True)
        old = self.trusting()
        old.set_ciphers("DEFAULT:@SECLEVEL=0")
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        with self.assertRaises(ssl.SSLError):
            self.dial(server.port, old)
        server.wait_for_error("TLS handshake with tls:127.0.0.1")
        answer = server.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Filler: " + b"x" * 4_000 + b"\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 400 Bad Request\r\n"), answer)
        self.assertIn(b"this address requires TLS; use https://", answer)
        server.wait_for_error("failed: http request")
        self.assertIn(b"-ERR this address requires TLS", server.raw(b"*1\r\n$4\r\nPING\r\n"))
        self.assertNotIn(b"200", server.raw(b"\x16\x03\x01\x02\x00\x01" + b"x" * 600))
        self.assertIn("failed_tls_handshakes:4", server.resp().ask("INFO", "clients"))
        self.assertEqual(json.loads(self.curl(server, "/api/sessions/room"))["state"], "first")

    def test_the_HTTPS_port_closes_the_oldest_half_handshakes_and_frees_their_descriptors(self):
        """Many more than may be there: the oldest goes."""
        server = self.page(is_open=True)
        self.curl(server, "/healthz")
        wait_until(lambda: server.descriptors() < 40, "curl's connection is gone")
        before = server.descriptors()
        lines = [self.dial_in_clear(server.port) for _ in range(2_200)]
        for line in lines[:1_000]:
            line.sendall(b"\x16\x03\x01\x02\x00\x01")
        self.assertIn('"live":true', self.curl(server, "/healthz"))
        for line in lines:
            line.close()
        wait_until(lambda: server.descriptors() <= before + 10, "all are closed")

    def test_a_stream_client_over_TLS_that_does_not_read_uses_bounded_memory(self):
        server = self.page("--time", "virtual", "--data", "none", is_open=True)
        line = self.dial(server.port)
        line.sendall(b"GET /api/stream?topic=history:room HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertIn(b" 200 ", line.recv(1_000))
        resp, before = server.resp(), server.memory()
        for _ in range(50):
            resp.many([["SEND", "room", "pass"]] * 1_000)
        self.assertLess(server.memory() - before, 40_000)
        self.assertEqual(json.loads(self.curl(server, "/api/sessions/room"))["flow"], "turns")

    def test_gamed_stops_within_10_s_with_20_streams_open_over_TLS(self):
        server = self.page(is_open=True)
        lines = [self.dial(server.port) for _ in range(20)]
        for line in lines:
            line.sendall(b"GET /api/stream?topic=sessions HTTP/1.1\r\nHost: localhost\r\n\r\n")
            line.recv(1_000)
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 10)

    def test_gamed_serves_the_page_unencrypted_at_an_http_address_beside_TLS(self):
        server = self.page(http="http://127.0.0.1:0", is_open=True)
        self.assertTrue(server.link.startswith("http://127.0.0.1:"))
        self.assertEqual(server.client().get("/healthz").status, 200)


if __name__ == "__main__":
    run_tests()
