"""Hostile names and malformed bodies: hostile.py GAMED"""

import concurrent.futures
import json
import os
import random
import unittest

from support import Daemon, Stream, quoted, run_tests

NAMES = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "{{constructor}}", "&lt;b&gt;", "'; DROP TABLE sessions; --",
    "\u202eemit fo dne\u202c", "\u200f\u061c\u2067abc\u2069", "\ufeffbom", "a\u2028b\u2029c", "😀" * 63 + "abc", "👩‍👩‍👧‍👦", "e\u0301", "é", "\u0301abc", "\u200dabc", "\ufe0f", "ﷺ" * 85,
    "a/b", "/", "//", "%2F", "%", "%00", "a%20b", "a+b", "a b", " ", "...", "../../etc/passwd", "a\\b", "a\"b'c", "a?b#c&d=e;f",
    "events", "history", "0", "-1", "null", "*", "[a-z]", "\U0010ffff", "~" * 255,
]
REFUSED_NAMES = ["", ".", "..", "x" * 256, "😀" * 64, "a\nb", "a\r\nSet-Cookie: x=y", "a\tb", "a\0b", "\x7f", "\x1b[31m", "\x85"]

# Bodies that are not a JSON object of known members.
BODIES = [
    b"", b" ", b"{", b"}", b"[]", b"null", b"7", b"\"pass\"", b"{}", b"{}x", b"{} {}", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\x00",
    b"\xef\xbb\xbf{\"event\":\"pass\"}", "{\"event\":\"pass\"}".encode("utf-16"), b"{'event':'pass'}", b"{\"event\":\"pass\",}", b"{event:\"pass\"}",
    b"{\"event\":\"pass\"/**/}", b"{\"event\":\"pa\nss\"}", b"{\"event\":\"\\ud800\"}", b"{\"event\":\"\\x41\"}", b"{\"event\":\"pass\",\"event\":\"jump\"}",
    b"{\"event\":[\"pass\"]}", b"{\"event\":{\"event\":\"pass\"}}", b"{\"event\":null}", b"{\"__proto__\":{},\"event\":\"pass\"}",
    b"[" * 100_000, b"{\"event\":" * 100_000, b"{\"event\":\"pass\",\"payload\":" + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b"{\"event\":\"pass\",\"payload\":" + b"{\"a\":" * 100_000 + b"1" + b"}" * 100_000 + b"}",
    b"{\"event\":\"pass\",\"if\":1e0}", b"{\"event\":\"pass\",\"if\":1.5}", b"{\"event\":\"pass\",\"if\":true}", b"{\"event\":\"pass\",\"if\":\"1:\"}",
    b"{\"event\":\"pass\",\"if\":99999999999999999999}", b"{\"event\":\"pass\",\"if\":18446744073709551616}", b"{\"event\":\"pass\",\"if\":NaN}",
    b"{\"event\":\"pass\",\"if\":01}", b"{\"event\":\"pass\",\"if\":+1}", b"{\"event\":\"" + b"x" * 10_000 + b"\"}",
]
NUMBERS = [b"1e999", b"-1e999", b"0", b"-1", b"-0", b"5", b"1.5", b"9223372036854775808", b"1" + b"0" * 400, b"1e-400", b"0x1", b"Infinity",
           b"1" * 100_000]


class Hostile(unittest.TestCase):
    def setUp(self):
        self.server = Daemon("--time", "virtual", "--session", "room=turns", "--session", "main=game").start()
        self.addCleanup(self.server.remove)
        self.client = self.server.client()

    def test_a_session_name_of_any_UTF_8_is_accepted_and_returned_unchanged(self):
        for name in NAMES:
            with self.subTest(name):
                found = self.client.post("/api/sessions", {"name": name, "flow": "turns"})
                self.assertEqual((found.status, found.json.get("session")), (201, name), found)
                place = f"/api/sessions/{quoted(name)}"
                self.assertEqual(self.client.get(place).json["session"], name)
                self.assertEqual(self.client.send(name, "pass").json["state"], "second")
                self.assertEqual(len(self.client.get(place + "/history").json["lines"]), 2)
        listed = [row["name"] for row in self.client.get("/api/sessions?count=1000").json["sessions"]]
        self.assertEqual(sorted(listed), sorted(NAMES + ["room", "main"]))
        self.assert_told()
        for name in NAMES:
            self.assertEqual(self.client.delete(f"/api/sessions/{quoted(name)}").status, 200, name)

    def assert_told(self):
        rows = Stream(self.server.port, ["sessions"])
        self.assertLessEqual(set(NAMES), {row["name"] for row in rows.next("rows").data["rows"]})
        rows.close()
        for name in NAMES:
            with self.subTest(f"the stream of {name!r}"):
                stream = Stream(self.server.port, [f"session:{name}"])
                self.assertEqual(stream.status, 200, stream.raw)
                self.assertEqual(stream.next("view").data["view"]["session"], name)
                stream.close()
        # Names that look the same are different, and both are reported.
        stream = Stream(self.server.port, ["session:e\u0301", "session:é"])
        self.assertEqual({stream.next("view").data["view"]["session"] for _ in "12"}, {"e\u0301", "é"})
        stream.close()

    def test_a_session_name_with_control_characters_or_of_wrong_length_is_refused(self):
        for name in REFUSED_NAMES:
            found = self.client.post("/api/sessions", {"name": name, "flow": "turns"})
            self.assertIn(found.code, ["BADNAME", "LIMIT"], repr(name))
            if name:
                self.assertEqual(self.client.get(f"/api/sessions/{quoted(name)}").code, "NOSESSION", repr(name))
        self.assertIn(self.client.get("/api/sessions//events").status, [400, 404])

    def test_a_path_that_is_not_UTF_8_is_refused(self):
        for path in ["%ff", "%c3%28", "%ed%a0%80", "%", "%4", "%zz", "%u0041"]:
            self.assertEqual(self.client.get(f"/api/sessions/{path}").status, 400, path)
        found = self.server.raw(b"GET /api/sessions/\xff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assertIn(b" 400 ", found.split(b"\r\n")[0])

    def test_a_body_that_is_not_a_JSON_object_of_known_members_is_refused_and_changes_nothing(self):
        for body in BODIES:
            found = self.client.post("/api/sessions/room/events", body)
            with self.subTest(body[:60]):
                self.assertEqual(found.status, 400, found)
                self.assertLess(len(found.json["message"]), 500)
        self.assertEqual(self.client.get("/api/sessions/room").json["version"], 0)

    def test_a_name_that_occurs_twice_in_an_object_of_the_body_is_refused_and_named(self):
        for body in [b'{"event":"pass","event":"pass"}', b'{"event":"pass","payload":[{"event":1,"\\u0065vent":2}]}']:
            found = self.client.post("/api/sessions/room/events", body)
            self.assertEqual((found.status, found.code), (400, "ERR"), found)
            self.assertIn("'event' occurs twice", found.json["message"])
        self.assertEqual(self.client.get("/api/sessions/room").json["version"], 0)

    def test_a_parameter_or_a_header_that_occurs_twice_is_refused_and_named(self):
        for path, name in [("/api/sessions?count=1&count=2", "'count'"), ("/api/stream?topic=status&since=a&since=b", "'since'")]:
            found = self.client.get(path)
            self.assertEqual((found.status, found.code), (400, "ERR"), found)
            self.assertIn(f"{name} occurs twice", found.json["message"])
        self.assertEqual(self.client.get("/api/info?section=server&section=server").status, 200)
        for name in ["Authorization", "Idempotency-Key", "Last-Event-ID", "Content-Type", "Origin"]:
            lines = f"{name}: application/json\r\n{name.lower()}: x\r\n"
            text = f"POST /api/sessions/room/pause HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n{lines}\r\n"
            found = self.server.raw(text.encode())
            self.assertIn(b" 400 ", found.split(b"\r\n")[0])
            self.assertIn(f"the header {name.lower()} occurs twice".encode(), found)
        self.assertFalse(self.client.get("/api/sessions/room").json["paused"])

    def test_a_body_of_more_than_20_000_values_is_refused(self):
        for count, message in [(19_997, "carries nothing"), (19_998, "the body has more than 20000 values,")]:
            found = self.client.post("/api/sessions/room/events", b"{\"event\":\"pass\",\"payload\":[" + b"1," * (count - 1) + b"1]}")
            self.assertEqual(found.status, 400, found)
            self.assertIn(message, found.json["message"])

    def test_a_number_out_of_range_is_refused(self):
        self.client.send("main", "startPlaying")
        for number in NUMBERS:
            found = self.client.post("/api/sessions/main/events", b"{\"event\":\"chooseEpisode\",\"payload\":" + number + b"}")
            self.assertEqual(found.status, 400, (number[:30], found))
        for by in [b"9223372036854775807", b"-9223372036854775808", b"9223372036854775808", b"1e3", b"\"1e3\"", b"\"9999999999999999h\"", b"\"\""]:
            found = self.client.post("/api/sessions/room/extend", b"{\"timer\":\"turn\",\"by\":" + by + b"}")
            self.assertEqual(found.status, 400, (by, found))
        for count in ["99999999999999999999", "-1", "0", "1e3", "%2B1x", ""]:
            self.assertEqual(self.client.get(f"/api/sessions?count={count}").status, 400, count)
        self.assertEqual(self.client.send("main", "chooseEpisode", 4).status, 200)

    def test_the_daemon_survives_random_bodies(self):
        seed = int(os.environ.get("GAMED_SEED", 7))
        print(f"hostile.py: seed {seed}")
        dice, whole = random.Random(seed), bytearray(json.dumps({"event": "pass", "payload": {"a": [1, "é", None]}, "if": "1:0"}).encode())
        for _ in range(400):
            body = bytearray(whole)
            for _ in range(dice.randrange(1, 4)):
                place, what = dice.randrange(len(body)), dice.randrange(3)
                if what == 0:
                    body[place] = dice.randrange(256)
                elif what == 1:
                    del body[place:place + dice.randrange(1, 9)]
                else:
                    body[place:place] = bytes(dice.randrange(256) for _ in range(3))
                body = body or bytearray(b"{")
            found = self.client.post("/api/sessions/room/events", bytes(body))
            self.assertIn(found.status, [200, 400, 409], (seed, bytes(body), found))
            json.loads(found.body)
        self.assertEqual(self.client.get("/healthz").status, 200)

    def test_the_daemon_survives_random_requests(self):
        seed = int(os.environ.get("GAMED_SEED", 7))
        print(f"hostile.py: seed {seed}")
        dice = random.Random(seed)
        body = b'{"event":"pass","if":0}'
        whole = [
            b"POST /api/sessions/room/events?a=b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n" + body,
            b"POST /api/sessions/room/pause HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            b"GET /api/stream?topic=sessions&topic=history:room&since=a-1 HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: b-2\r\n\r\n",
        ]
        texts = [self.mutated(dice, dice.choice(whole)) for _ in range(400)]
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            for text, found in zip(texts, pool.map(lambda text: self.server.raw(text, seconds=0.2), texts)):
                # libevent replies with the requested version, even if it does not exist.
                self.assertRegex(found or b"HTTP/1.1 4", rb"^HTTP/-?\d+\.-?\d+ [2-5]", (seed, text, found[:100]))
        self.assertEqual(self.client.get("/healthz").status, 200)
        self.assertTrue(self.server.is_running, (seed, self.server.errors[-2000:]))

    @staticmethod
    def mutated(dice, text):
        text = bytearray(text)
        for _ in range(dice.randrange(1, 5)):
            place, other = dice.randrange(len(text)), dice.randrange(len(text))
            change = dice.choice(["byte", "cut", "copy", "break", "end"])
            if change == "byte":
                text[place] = dice.randrange(256)
            elif change == "cut":
                del text[place:place + dice.randrange(1, 12)]
            elif change == "copy":
                text[place:place] = text[other:other + dice.randrange(1, 30)]
            elif change == "break":
                text[place:place] = dice.choice([b"\r\n", b"\r", b"\n", b"\0", b": ", b"%", b" ", b"99999999999"])
            else:
                text = text[:place]
            text = text or bytearray(b"G")
        return bytes(text)


if __name__ == "__main__":
    run_tests()
