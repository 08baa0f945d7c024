"""Malformed and hostile HTTP: too much, too slow, two requests in one, and paths that lead out: wire.py GAMED"""

import concurrent.futures
import json
import os
import shutil
import socket
import tempfile
import threading
import time
import unittest

from support import HERE, SECONDS, Daemon, in_time, run_tests, seconds_of, wait_until

HOST = b"Host: localhost\r\n"
NEXT = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
LAST = b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
PAUSE = b"POST /api/sessions/room/pause HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
REQUEST_SECONDS, CONNECTIONS = 30, 2048

# Another parser could read each of these as two requests: they are refused, and nothing after them is read.
SMUGGLED = {
    "two lengths": PAUSE + b"Content-Length: 2\r\nContent-Length: %d\r\n\r\n{}" % (2 + len(NEXT)) + NEXT,
    "the same length twice": PAUSE + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}" + NEXT,
    "a list of lengths": PAUSE + b"Content-Length: 2, 2\r\n\r\n{}" + NEXT,
    "a length and chunks": PAUSE + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT,
    "chunks and a length": PAUSE + b"Transfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a blank before the colon": PAUSE + b"Content-Length : %d\r\n\r\n" % len(NEXT) + NEXT,
    "another coding": PAUSE + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + NEXT,
    "a coding that is none": PAUSE + b"Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}" + NEXT,
    "a coding twice": PAUSE + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + NEXT,
    "a vertical tab": PAUSE + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + NEXT,
    "a tab before a coding": PAUSE + b"Transfer-Encoding:\tchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a tab before a length": PAUSE + b"Content-Length:\t2\r\n\r\n{}" + NEXT,
    "a signed length": PAUSE + b"Content-Length: +2\r\n\r\n{}" + NEXT,
    "a negative length": PAUSE + b"Content-Length: -2\r\n\r\n{}" + NEXT,
    "a hexadecimal length": PAUSE + b"Content-Length: 0x2\r\n\r\n{}" + NEXT,
    "a length beyond numbers": PAUSE + b"Content-Length: 18446744073709551618\r\n\r\n{}" + NEXT,
    "a signed chunk": PAUSE + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a chunk with a prefix": PAUSE + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a chunk with a plus": PAUSE + b"Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a chunk with a blank": PAUSE + b"Transfer-Encoding: chunked\r\n\r\n 2\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a chunk's bare line feed": PAUSE + b"Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n" + NEXT,
    "a bare line feed behind a chunk": PAUSE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\n0\r\n\r\n" + NEXT,
    "a bare line feed at the end of chunks": PAUSE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\n\n" + NEXT,
    "an empty line before a chunk": PAUSE + b"Transfer-Encoding: chunked\r\n\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a coding in a folded line": PAUSE + b"Transfer-Encoding:\r\n chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + NEXT,
    "a folded header": PAUSE + b" Content-Length: %d\r\n\r\n" % len(NEXT) + NEXT,
    "a chunk longer than it says": PAUSE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n" + NEXT,
    "two hosts": b"GET /healthz HTTP/1.1\r\n" + HOST + b"Host: evil.example\r\n\r\n" + NEXT,
    "a bare carriage return": b"GET /healthz HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n" + NEXT,
    "a header without a colon": b"GET /healthz HTTP/1.1\r\n" + HOST + b"Transfer-Encoding\r\n\r\n" + NEXT,
    "no version": b"GET /healthz\r\n" + HOST + b"\r\n" + NEXT,
    "a version that is none": b"GET /healthz HTTP/9.9\r\n" + HOST + b"\r\n" + NEXT,
    "another place": b"GET http://evil.example/healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "binary": bytes(range(256)) * 8,
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500 + b"\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "RESP": b"*1\r\n$4\r\nPING\r\n\r\n",
}
# Bodies that must not hide the next request, which is answered separately, once; with the statuses of all answers.
BODIES = {
    "a GET with a body": ([200, 200], b"GET /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(NEXT) + NEXT),
    "a DELETE with a body": ([404, 200], b"DELETE /api/sessions/none HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(NEXT) + NEXT),
    "a HEAD": ([200, 200], b"HEAD /healthz HTTP/1.1\r\n" + HOST + b"\r\n"),
    "a TRACE with a body": ([405], b"TRACE /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(NEXT) + NEXT),
    "a CONNECT with a body": ([405, 200], b"CONNECT /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(NEXT) + NEXT),
    "chunks": ([200, 200], PAUSE + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"),
}


class Slow:
    """Slow clients start with the first test and are checked by the last one."""

    def __init__(self, server):
        self.server, self.ends = server, {}
        starts = {"nothing": b"", "half a line": b"GET /heal", "a header": b"GET / HTTP/1.1\r\n" + HOST,
                  "a body": PAUSE + b"Content-Length: 1000\r\n\r\n", "a chunk": PAUSE + b"Transfer-Encoding: chunked\r\n\r\n3e8\r\n",
                  "a second request": NEXT}
        for name, start in starts.items():
            threading.Thread(target=self.dribble, args=(name, start), daemon=True).start()
        self.count = len(starts)

    def dribble(self, name, start):
        """Sends a byte each half second, until the daemon closes the connection."""
        with socket.create_connection(("127.0.0.1", self.server.port)) as line:
            line.settimeout(0.5)
            began = time.monotonic()
            try:
                line.sendall(start)
                while True:
                    try:
                        if not line.recv(4096):
                            break
                    except TimeoutError:
                        line.sendall(b"a" if name != "nothing" else b"")
            except OSError:
                pass
            self.ends[name] = time.monotonic() - began

    def longest(self):
        """The seconds until the last of them was disconnected."""
        wait_until(lambda: len(self.ends) == self.count, lambda: f"the slow clients are disconnected, and not only {self.ends}")
        return max(self.ends.values())


def setUpModule():
    global slow
    server = Daemon("--session", "room=turns").start()
    unittest.addModuleCleanup(server.remove)
    slow = Slow(server)


class Wire(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Daemon("--session", "room=turns").start()
        cls.addClassCleanup(cls.server.remove)

    def setUp(self):
        self.client = self.server.client()

    def each(self, texts):
        """Sends all at once. The daemon closes the connection of each."""
        with concurrent.futures.ThreadPoolExecutor(len(texts)) as pool:
            return list(zip(texts, pool.map(self.server.raw, texts.values())))

    def statuses(self, found):
        return [int(part[:3]) for part in found.split(b"HTTP/1.1 ")[1:]] if found.startswith(b"HTTP/1.1 ") else []

    def test_a_request_that_another_parser_could_read_as_two_is_refused(self):
        for name, found in self.each(SMUGGLED):
            with self.subTest(name):
                statuses = self.statuses(found)
                self.assertEqual(len(statuses), 1, found)
                self.assertTrue(all(400 <= status < 600 for status in statuses), found)
                self.assertNotIn(b'"paused":true', found)
        self.assertFalse(self.client.get("/api/sessions/room").json["paused"])

    def test_a_body_is_never_read_as_the_next_request(self):
        for name, found in self.each({name: text + LAST for name, (_, text) in BODIES.items()}):
            with self.subTest(name):
                self.assertEqual(self.statuses(found), BODIES[name][0], found)
        self.client.post("/api/sessions/room/resume")

    def test_a_body_reaches_its_request_on_a_connection_that_reuses_a_descriptor(self):
        """A connection that is closed with unread data must not read further: the next one may have its descriptor."""
        for _ in range(4_000):
            for method, status in (("TRACE", 405), ("POST", 404)):
                self.assertEqual(self.client.ask(method, "/api/sessions/none/pause", b"{}").status, status)

    def test_requests_in_one_packet_are_answered_in_order(self):
        texts = [b"GET /healthz", b"GET /api/sessions/none", b"GET /api/flows/turns", b"GET /%zz", b"GET /healthz"]
        found = self.server.raw(b"".join(text + b" HTTP/1.1\r\n" + HOST + b"\r\n" for text in texts) + LAST)
        self.assertEqual(self.statuses(found), [200, 404, 200, 400, 200, 200])

    def test_a_request_that_is_too_large_is_refused_and_uses_no_memory(self):
        self.server.raw(LAST)
        lines = b"x: y\r\n" * 1_000_000
        for text in [b"GET /" + b"a" * 20_000_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000_000 + b"\r\n\r\n",
                     b"GET / HTTP/1.1\r\n" + lines + b"\r\n", PAUSE + b"Content-Length: 20000000\r\n\r\n" + b" " * 20_000_000,
                     PAUSE + b"Transfer-Encoding: chunked\r\n\r\n" + (b"100000\r\n" + b" " * 0x100000 + b"\r\n") * 20,
                     PAUSE + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"x" * 20_000_000, b"\r\n" * 1_000_000,
                     b"GET /api/stream?topic=flows HTTP/1.1\r\n" + HOST + b"\r\n" + b"x" * 20_000_000]:
            with self.subTest(text[:60]):
                # Empty if the response was lost because the client was still sending. A stream stays open.
                before = self.server.memory()
                found = self.server.raw(text, seconds=2)
                self.assertIn(self.statuses(found)[:1], [[], [400], [413], [414], [431]] + ([[200]] if b"stream" in text[:20] else []))
                self.assertLess(self.server.memory() - before, 8 << 10)
                in_time(lambda: seconds_of(lambda: self.assertEqual(self.server.client().get("/healthz").status, 200)), 1)

    def test_a_body_of_1_MB_is_read(self):
        found = self.client.post("/api/sessions/room/events", b'{"event":"pass","payload":"' + b"x" * 1_000_000 + b'"}')
        self.assertIn(found.code, ["BADEVENT", "LIMIT"], found)

    def test_an_unknown_method_is_refused(self):
        for method in ["TRACE", "CONNECT", "BREW", "get", "PROPFIND", "G" * 5000]:
            found = self.server.raw(f"{method} / HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(), seconds=2)
            self.assertIn(self.statuses(found), [[], [400], [405]], method)
        self.assertNotIn(b"<script>", self.server.raw(b"<script>alert(1)</script> /<script> HTTP/1.1\r\n" + HOST + b"\r\n", seconds=2))

    def test_each_error_is_JSON_with_a_code_of_its_status(self):
        chunked = PAUSE + b"Transfer-Encoding: chunked\r\n\r\n"
        texts = {
            "long headers": (400, "ERR", b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 17_000 + b"\r\n\r\n"),
            "a long target": (400, "ERR", b"GET /" + b"a" * 17_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n"),
            "no version": (400, "ERR", b"GET /healthz\r\n" + HOST + b"\r\n"),
            "a header without a colon": (400, "ERR", b"GET /healthz HTTP/1.1\r\n" + HOST + b"X\r\n\r\n"),
            "an unknown method": (405, "NOMETHOD", b"BREW /healthz HTTP/1.1\r\n" + HOST + b"\r\n"),
            "a method in lower case": (405, "NOMETHOD", b"get /healthz HTTP/1.1\r\n" + HOST + b"\r\n"),
            "a TRACE with a body": (405, "NOMETHOD", b"TRACE / HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n\r\n{}"),
            "another expectation": (400, "ERR", PAUSE + b"Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}"),
            "a chunk extension": (400, "ERR", chunked + b"2;x=y\r\n{}\r\n0\r\n\r\n"),
            "a trailer without a colon": (400, "ERR", chunked + b"2\r\n{}\r\n0\r\nX\r\n\r\n"),
            "a long trailer": (400, "ERR", chunked + b"2\r\n{}\r\n0\r\nX: " + b"a" * 17_000 + b"\r\n\r\n"),
            "many trailers": (400, "ERR", chunked + b"2\r\n{}\r\n0\r\n" + b"X: y\r\n" * 5_000 + b"\r\n"),
            "a long body": (413, "TOOLARGE", PAUSE + b"Content-Length: 3000000\r\n\r\n{}"),
        }
        for before in (b"", NEXT, NEXT * 3):
            for name, found in self.each({name: before + text for name, (_, _, text) in texts.items()}):
                with self.subTest(name, before=before):
                    status, code, _ = texts[name]
                    self.assertEqual(self.statuses(found), [200] * before.count(NEXT) + [status], found)
                    head, _, body = found[found.rindex(b"HTTP/1.1 "):].partition(b"\r\n\r\n")
                    self.assertIn(b"Content-Type: application/json\r\n", head + b"\r\n")
                    self.assertIn(b"Connection: close\r\n", head + b"\r\n")
                    self.assertEqual(json.loads(body)["error"], code)
                    self.assertGreater(len(json.loads(body)["message"]), 8)

    def test_a_connection_ends_after_a_request_whose_header_Connection_has_close_among_others(self):
        for lines in [b"Connection: close\r\n", b"Connection: close, TE\r\n", b"Connection: TE,CLOSE\r\n", b"Connection: TE\r\nConnection: close\r\n"]:
            found = self.server.raw(b"GET /healthz HTTP/1.1\r\n" + HOST + lines + b"\r\n" + NEXT)
            with self.subTest(lines):
                self.assertEqual(self.statuses(found), [200], found)
                self.assertIn(b"Connection: close\r\n", found)
        found = self.server.raw(b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: TE, closed\r\n\r\n" + LAST)
        self.assertEqual(self.statuses(found), [200, 200])

    def test_a_stream_that_ends_closes_a_connection_whose_header_Connection_has_close_among_others(self):
        for value in ["close", "close, TE", "TE,CLOSE"]:
            server = Daemon(is_open=False).start()
            self.addCleanup(server.remove)
            client = server.logged_in()
            lines = [f"Host: 127.0.0.1:{server.port}", f"Cookie: gamed-{server.port}={client.cookie}", f"Connection: {value}"]
            with self.subTest(value), socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as line:
                line.sendall("\r\n".join(["GET /api/stream?topic=status HTTP/1.1", *lines, "", ""]).encode())
                found = line.recv(1 << 16)
                self.assertEqual(client.post("/logout").status, 204)
                while piece := line.recv(1 << 16):
                    found += piece
                self.assertEqual(self.statuses(found), [200], found)
                self.assertIn(b"Connection: close\r\n", found)
                self.assertTrue(found.endswith(b"\r\n0\r\n\r\n"), found)

    def test_no_path_leads_out_of_the_pages_files(self):
        server = Daemon(environment={"GAMED_PAGE": HERE}).start()
        self.addCleanup(server.remove)
        for known in (self.server, server):
            for path in ["/page/../support.py", "/page/..%2fsupport.py", "/page/%2e%2e/%2e%2e/etc/passwd", "/page/..%2f..%2f..%2fetc%2fpasswd",
                         "/page/%2fetc%2fpasswd", "/page//etc/passwd", "/../etc/passwd", "/page/..\\..\\etc\\passwd", "/page/.%00.css", "/page/.",
                         "/page/", "/page/none.js%00.css", "/page/support.py%00.js", "/page/support.py", "/page/%2e%2e%2fWeb%2fsupport.py", "/page/..;/x.js",
                         "//etc/passwd", "/page/" + "a" * 300 + ".js", "/page/~root.js"]:
                found = known.raw(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                self.assertIn(self.statuses(found)[0], [400, 404], path)
                self.assertNotIn(b"root:", found)
                self.assertNotIn(b"import", found)

    def test_a_file_of_the_page_is_sent_again_only_if_it_has_changed(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "a.js")
        with open(path, "w") as file:
            file.write("first")
        server = Daemon(environment={"GAMED_PAGE": folder}).start()
        self.addCleanup(server.remove)
        client = server.client()
        tag = client.get("/page/a.js").headers["ETag"]
        for known in [tag, f"W/{tag}", f'"other", {tag}', f'"other",W/{tag}', "*"]:
            for method in ["GET", "HEAD"]:
                found = client.ask(method, "/page/a.js", headers={"If-None-Match": known})
                with self.subTest(f"{method} {known}"):
                    self.assertEqual((found.status, found.body, found.headers["ETag"]), (304, b"", tag))
                    self.assertIsNone(found.headers["Content-Length"])
        for unknown in ['"other"', tag.strip('"'), f"w/{tag}", "W/", "", "x" * 5000]:
            with self.subTest(unknown[:30]):
                self.assertEqual(client.get("/page/a.js", headers={"If-None-Match": unknown}).body, b"first")
        with open(path, "w") as file:
            file.write("second")
        found = client.get("/page/a.js", headers={"If-None-Match": tag})
        self.assertEqual((found.status, found.body), (200, b"second"))
        self.assertNotEqual(found.headers["ETag"], tag)

    def test_silent_connections_give_way_to_a_new_one(self):
        crowd = [socket.create_connection(("127.0.0.1", self.server.port), timeout=SECONDS) for _ in range(CONNECTIONS + 100)]
        self.assertEqual(self.client.get("/healthz").status, 200)
        wait_until(lambda: self.server.descriptors() < CONNECTIONS + 64, "no more connections than are allowed")
        self.assertEqual(crowd[0].recv(1), b"", "the daemon has closed it")
        for line in crowd:
            line.close()
        wait_until(lambda: self.server.descriptors() < 64, "the closed connections are closed")


class Yielding(unittest.TestCase):
    """Its name sorts last, so that the checks started by the first test are nearly over."""

    def test_slow_clients_are_disconnected_in_time(self):
        first = iter([slow])
        in_time(lambda: (next(first, None) or Slow(slow.server)).longest(), REQUEST_SECONDS + 4)
        self.assertEqual(slow.server.client().get("/healthz").status, 200)


if __name__ == "__main__":
    run_tests()
