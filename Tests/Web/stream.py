"""The stream: first the whole, then changes, over disconnects and restarts: stream.py GAMED"""

import json
import os
import random
import signal
import unittest

from support import Daemon, Stream, run_tests, wait_until
from table import Page, all_rows, streams


class Topics(unittest.TestCase):
    def setUp(self):
        self.server = Daemon("--session", "room=turns", "--session", "main=game").start()
        self.addCleanup(self.server.remove)
        self.client = self.server.client()

    def open(self, *topics, **more):
        stream = Stream(self.server.port, topics, **more)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        return stream

    def test_a_stream_begins_with_hello_and_each_event_has_an_id(self):
        stream = self.open("sessions", "status", "flows", "session:room", "history:room")
        hello = stream.next()
        self.assertEqual((hello.kind, hello.data["clock"]), ("hello", "system"))
        self.assertEqual(set(hello.data), {"boot", "version", "clock", "now_ms"})
        for kind in ["lines", "status", "rows", "view", "flows"]:
            event = self.open("sessions", "status", "flows", "session:room", "history:room").next(kind)
            self.assertTrue(event.id.startswith(hello.data["boot"]), event)
        self.assertIn("text/event-stream", stream.head)
        self.assertIn("no-store", stream.head)
        self.assertIn("connection: close", stream.head.lower(), "its connection is not used for other requests")

    def test_a_stream_sends_all_rows_first_and_then_changes(self):
        stream = self.open("sessions", "session:room", "history:room")
        whole = stream.next("rows").data
        self.assertEqual((whole["whole"], whole["more"], {row["name"] for row in whole["rows"]}), (True, False, {"room", "main"}))
        self.client.send("room", "pass")
        rows = stream.next("rows").data
        self.assertEqual((rows["whole"], rows["gone"], [(row["name"], row["state"]) for row in rows["rows"]]), (False, [], [("room", "second")]))
        self.client.delete("/api/sessions/room")
        self.assertEqual(stream.next("rows").data["gone"], ["room"])

    def test_a_stream_of_the_table_alone_gets_each_change_of_a_session(self):
        stream = self.open("sessions")
        stream.next("rows")
        for version in range(1, 6):
            self.client.send("room", "pass")
            self.assertEqual([(row["name"], row["version"]) for row in stream.next("rows").data["rows"]], [("room", version)])
        late = self.open("sessions")
        late.next("rows")
        self.client.send("room", "pass")
        for reader in (stream, late):
            self.assertEqual(reader.next("rows").data["rows"][0]["version"], 6)

    def test_a_stream_of_a_session_gets_its_view_at_once_and_after_each_change(self):
        stream = self.open("session:room", "session:nobody")
        first = {event.data["session"]: event.data["view"] for event in (stream.next("view"), stream.next("view"))}
        self.assertEqual((first["room"]["state"], first["nobody"]), ("first", None))
        found = self.client.send("room", "pass").json
        view = stream.next("view").data["view"]
        self.assertEqual((view["version"], view["state"], view["timers"][0]["generation"]), (1, "second", found["timers"][0]["generation"]))
        self.client.post("/api/sessions/room/pause")
        self.assertTrue(stream.next("view").data["view"]["paused"])
        self.client.delete("/api/sessions/room")
        self.assertIsNone(stream.next("view").data["view"])
        self.client.post("/api/sessions", {"name": "nobody", "flow": "turns"})
        self.assertEqual(stream.next("view", where=lambda event: event.data["session"] == "nobody").data["view"]["state"], "first")

    def test_a_stream_of_a_history_gets_the_oldest_line_first_and_refused_events(self):
        for _ in range(60):
            self.client.send("room", "pass")
        stream = self.open("history:room")
        lines = stream.next("lines").data["lines"]
        self.assertEqual([line["seq"] for line in lines], list(range(lines[0]["seq"], lines[0]["seq"] + 50)))
        self.client.send("room", "pass", **{"if": 3})
        line = stream.next("lines").data["lines"][0]
        self.assertEqual((line["what"], line["code"], line["seq"]), ("refused", "STALE", lines[-1]["seq"] + 1))

    def test_a_stream_of_the_status_gets_one_each_second(self):
        stream = self.open("status")
        status = [stream.next("status").data for _ in range(3)][-1]
        self.assertEqual((status["sessions"], status["trouble"], status["streams"]), (2, None, 1))
        wanted = {"sessions", "aside", "events_per_s", "refused_per_s", "lateness_p99_ms", "lateness_max_ms", "turn_max_ms", "journal", "clock_ms",
                  "connections", "streams", "memory_bytes", "uptime_s", "trouble", "next", "devices"}
        self.assertLessEqual(wanted, set(status))

    def test_a_stream_accepts_16_known_topics_and_no_more(self):
        self.open(*[f"session:s{number}" for number in range(16)])
        self.assertEqual(self.client.get("/api/stream?" + 17 * "topic=status&").code, "LIMIT")
        for topic in ["weather", "", "Sessions", "session", "sessions:room", "session%00:x"]:
            self.assertEqual(self.client.get(f"/api/stream?topic={topic}").status, 400, topic)

    def test_a_stream_with_an_unknown_id_gets_all_rows(self):
        boot = self.open("status").next("hello").data["boot"]
        ids = ["x", "-", "0", f"{boot}", f"{boot}-", f"{boot}--1", f"{boot}-999999", f"{boot}-18446744073709551616", f"{boot}-0-0",
               "0123456789ab-0", "\xff".encode("latin-1").decode("latin-1"), f"{boot}-0x0", f"{boot}-" + "9" * 4000]
        for since in ids:
            for in_query in (False, True):
                if since.isascii() or in_query:
                    rows = self.open("sessions", since=since, in_query=in_query).next("rows").data
                    self.assertTrue(rows["whole"], since)

    def test_a_stream_with_the_id_of_one_without_sessions_gets_all_rows(self):
        stream = self.open("status", "session:room")
        stream.next("status")
        self.assertTrue(self.open("sessions", since=stream.last_id).next("rows").data["whole"])

    def test_a_stream_that_reconnects_gets_the_changes_that_it_missed_even_if_no_other_was_open(self):
        stream = self.open("sessions")
        stream.next("rows")
        stream.close()
        wait_until(lambda: streams(self.server) == 0, "the daemon has no stream")
        self.client.send("room", "pass")
        rows = self.open("sessions", since=stream.last_id).next("rows").data
        self.assertEqual((rows["whole"], [(row["name"], row["version"]) for row in rows["rows"]]), (False, [("room", 1)]))

    def test_a_lone_stream_that_reconnects_and_missed_nothing_gets_no_rows_before_the_next_change(self):
        stream = self.open("sessions")
        stream.next("rows")
        for version in range(1, 4):
            stream.close()
            wait_until(lambda: streams(self.server) == 0, "the daemon has no stream")
            stream = self.open("sessions", since=stream.last_id)
            stream.next("hello")
            self.client.send("room", "pass")
            rows = stream.next("rows").data
            self.assertEqual((rows["whole"], [(row["name"], row["version"]) for row in rows["rows"]]), (False, [("room", version)]))

    def test_a_stream_of_a_session_that_had_no_stream_before_gets_its_changes(self):
        self.open("sessions").next("rows")
        self.client.send("room", "pass")
        view, lines = self.open("session:room"), self.open("history:room")
        view.next("view", where=lambda event: event.data["view"]["version"] == 1)
        lines.next("lines", where=lambda event: event.data["lines"][-1]["version"] == 1)
        self.client.send("room", "pass")
        view.next("view", where=lambda event: event.data["view"]["version"] == 2)
        lines.next("lines", where=lambda event: event.data["lines"][-1]["version"] == 2)

    def test_a_stream_of_a_missing_session_gets_it_when_it_is_created(self):
        stream = self.open("session:later")
        self.assertIsNone(stream.next("view").data["view"])
        for name in ["before", "later"]:
            self.client.post("/api/sessions", {"name": name, "flow": "turns"})
            self.client.send(name, "pass")
            if name == "before":
                self.client.delete("/api/sessions/before")
        stream.next("view", where=lambda event: event.data["view"] and event.data["view"]["version"] == 1)

    def test_a_stream_sends_5_000_rows_in_parts(self):
        self.server.resp().many([("NEW", f"n{number}", "turns") for number in range(5_000)])
        page = Page(self.server, ["sessions"]).open()
        wait_until(lambda: page.read(0.1) and len(page.rows) == 5_002, "all rows have arrived")
        self.assertEqual(page.wholes, 1)
        # The time that data waited to be read is unknown here.
        self.assertEqual(page.differs(all_rows(self.client), is_timed=False), "")


    def test_a_stream_without_room_gets_a_gap_for_lines_of_sessions_that_are_gone(self):
        resp, stream = self.server.resp(), self.open("history:room", buffer=4096)
        stream.next("lines")
        for _ in range(1_000):
            resp.many([("SEND", "room", "pass")] * 45 + [("DROP", "room"), ("NEW", "room", "turns")])
        resp.ask("SEND", "room", "pass", "IF", 999)
        events = [stream.next("lines")]
        while not any(line.get("code") == "STALE" for line in events[-1].data["lines"]):
            events.append(stream.next("lines"))
        self.assertTrue(any(event.data.get("gap") for event in events), "a gap")
        self.assertLess(sum(len(json.dumps(event.data)) for event in events), 8 << 20, "the rest of 45,000 lines is left out")


class ReconnectedHistory(unittest.TestCase):
    """A client that reconnects gets the lines that it has missed, or is told that there were more."""

    def setUp(self):
        self.server = Daemon("--session", "room=turns", "--session", "hall=turns").start()
        self.addCleanup(self.server.remove)
        self.client = self.server.client()

    def open(self, *topics, since=None):
        stream = Stream(self.server.port, topics, since=since)
        self.addCleanup(stream.close)
        return stream

    def left(self, *topics):
        """The id that a client has after the first lines of these histories, and no connection any more."""
        stream = self.open(*[f"history:{name}" for name in topics])
        for _ in topics:
            self.assertTrue(stream.next("lines").data["whole"])
        stream.close()
        return stream.last_id

    def play(self, name, times):
        for _ in range(times):
            self.client.send(name, "pass")

    def test_a_reconnected_history_gets_only_the_missed_lines(self):
        since = self.left("room")
        self.play("room", 3)
        stream = self.open("history:room", since=since)
        data = stream.next("lines").data
        self.assertEqual([line["version"] for line in data["lines"]], [1, 2, 3])
        self.assertEqual(data.keys() & {"whole", "gap"}, set())

    def test_a_reconnected_history_gets_all_lines_if_only_hello_had_arrived(self):
        since = self.open("history:room", "history:nobody").next("hello").id
        data = self.open("history:room", since=since).next("lines").data
        self.assertTrue(data["whole"])
        since = self.left("room")
        self.play("room", 1)
        since = self.open("history:room", since=since).next("hello").id
        self.play("room", 1)
        self.assertEqual([line["version"] for line in self.open("history:room", since=since).next("lines").data["lines"]], [1, 2])

    def test_a_reconnected_history_gets_no_lines_if_none_were_missed(self):
        since = self.left("room")
        stream = self.open("history:room", since=since)
        stream.next("hello")
        self.play("room", 1)
        self.assertEqual([line["version"] for line in stream.next("lines").data["lines"]], [1])

    def test_a_reconnected_history_gets_a_gap_and_the_newest_50_lines_if_more_were_missed(self):
        since = self.left("room")
        self.play("room", 60)
        data = self.open("history:room", since=since).next("lines").data
        self.assertEqual([line["version"] for line in data["lines"]], list(range(11, 61)))
        self.assertTrue(data["gap"])

    def test_a_reconnected_history_gets_no_gap_if_50_lines_were_missed(self):
        since = self.left("room")
        self.play("room", 50)
        data = self.open("history:room", since=since).next("lines").data
        self.assertEqual((len(data["lines"]), data.get("gap")), (50, None))

    def test_a_reconnected_history_gets_a_gap_if_the_session_was_restarted(self):
        since = self.left("room")
        self.client.post("/api/sessions/room/restart")
        data = self.open("history:room", since=since).next("lines").data
        self.assertTrue(data["gap"])
        self.assertEqual(data["lines"][0]["what"], "begun")

    def test_a_reconnected_history_gets_a_gap_without_lines_if_the_session_was_dropped(self):
        since = self.left("room")
        self.client.delete("/api/sessions/room")
        stream = self.open("history:room", since=since)
        self.assertEqual(stream.next("lines").data, {"session": "room", "lines": [], "gap": True})
        self.client.post("/api/sessions", {"name": "room", "flow": "turns"})
        data = stream.next("lines").data
        self.assertEqual(([line["what"] for line in data["lines"]], data.get("gap")), (["begun"], None))

    def test_a_reconnected_stream_continues_each_history_by_its_name(self):
        since = self.left("room", "hall")
        self.play("room", 1)
        self.play("hall", 2)
        # The order of topics is another one, and one history is new.
        self.client.post("/api/sessions", {"name": "new", "flow": "turns"})
        stream = self.open("history:new", "history:hall", "history:room", since=since)
        found = {data["session"]: data for data in (stream.next("lines").data for _ in range(3))}
        self.assertEqual({name: len(data["lines"]) for name, data in found.items()}, {"room": 1, "hall": 2, "new": 1})
        self.assertEqual({name for name, data in found.items() if data.get("whole")}, {"new"})

    def test_a_history_with_the_id_of_another_stream_or_run_gets_the_newest_lines(self):
        since = self.left("hall")
        self.play("room", 2)
        self.assertTrue(self.open("history:room", since=since).next("lines").data["whole"])
        for other in ["0123456789abcdef" + since[16:], since.replace("~", "~~"), since + "~x.1.1", since.split("~")[0] + "~1.2", since + "~1.-2.3"]:
            self.assertTrue(self.open("history:room", since=other).next("lines").data["whole"], other)


class VirtualTime(unittest.TestCase):
    def test_rows_and_views_of_a_stream_follow_the_virtual_clock(self):
        with Daemon("--time", "virtual", "--session", "room=turns") as server:
            page, client = Page(server, ["sessions", "session:room", "history:room"]).open(), server.client()
            wait_until(lambda: page.read(0.1) and "room" in page.rows, "the first rows have arrived")
            for by in ["10s", "19s", "1s", "10m"]:
                client.post("/api/clock/advance", {"by": by})
                wait_until(lambda: page.read(0.1) and not self.differs(page, client), f"the page knows that {by} have passed")
            self.assertEqual((page.missing(), page.doubled), ([], []))
            page.close()

    def test_all_rows_arrive_although_virtual_time_moves_on(self):
        with Daemon("--time", "virtual") as server:
            client = server.resp()
            client.many([("NEW", f"n{number}", "turns") for number in range(10_000)])
            stream = Stream(server.port, ["sessions"], buffer=4096)
            self.addCleanup(stream.close)
            for _ in range(100):
                client.must("ADVANCE", "10ms")
                if not stream.next("rows").data["more"]:
                    return
            self.fail("the table begins again and again")

    @staticmethod
    def differs(page, client):
        truth, row = client.get("/api/sessions/room").json, page.rows["room"]
        return (row["timer"]["remaining_ms"], row["version"], page.views["room"]["timers"][0]["remaining_ms"]) != (
            truth["timers"][0]["remaining_ms"], truth["version"], truth["timers"][0]["remaining_ms"])


class Model(unittest.TestCase):
    """Random actions of RESP clients, random disconnects and restarts: in the end the pages' data equals the daemon's."""

    NAMES = [f"s{number}" for number in range(40)]
    STEADY = ["h0", "h1"]

    def test_pages_have_the_daemons_data_after_random_actions_disconnects_and_restarts(self):
        seed = int(os.environ.get("GAMED_SEED", 7))
        print(f"stream.py: seed {seed}")
        self.dice = random.Random(seed)
        with Daemon("--durability", "always", "--session", "h0=turns", "--session", "h1=turns") as server:
            topics = [["sessions"], ["sessions", "session:s1", "history:h0"], ["history:h0", "history:h1", "session:s2", "sessions", "status"]]
            pages = [Page(server, known, in_query=number == 1) for number, known in enumerate(topics)]
            for lives, restart in enumerate([signal.SIGTERM, signal.SIGKILL, None], 1):
                self.play(server, pages)
                for page in pages:
                    wait_until(lambda: (page.read(0.05) or page.open()) and len(set(page.boots)) == lives, "the page knows this daemon")
                if restart:
                    server.restart(restart)
            self.settle(server, pages, seed)

    def play(self, server, pages):
        client = server.resp()
        for _ in range(120):
            client.many([self.deed() for _ in range(self.dice.randrange(12))])
            for page in pages:
                is_open = page.read()
                if is_open and self.dice.random() < 0.08:
                    page.close()
                elif not is_open and self.dice.random() < 0.4:
                    page.open()
        client.close()

    def deed(self):
        name = self.dice.choice(self.NAMES)
        word = self.dice.choice(["NEW", "NEW", "SEND", "SEND", "SEND", "STALE", "PAUSE", "RESUME", "EXTEND", "FORCE", "DROP", "STEADY"])
        return {
            "NEW": ("NEW", name, "turns"), "SEND": ("SEND", name, "pass"), "STALE": ("SEND", name, "pass", "IF", 4711), "DROP": ("DROP", name),
            "EXTEND": ("EXTEND", name, "turn", "1m"), "FORCE": ("FORCE", name, self.dice.choice(["first", "second"])),
            "PAUSE": ("PAUSE", name), "RESUME": ("RESUME", name), "STEADY": ("SEND", self.dice.choice(self.STEADY), "pass"),
        }[word]

    def settle(self, server, pages, seed):
        client = server.client()
        for page in pages:
            if not page.read():
                page.open()
            wait_until(
                lambda: (page.read(0.05) or page.open()) and not page.differs(all_rows(client)),
                lambda: f"seed {seed}: a page knows what is true; {page.differs(all_rows(client))}")
            for name, view in page.views.items():
                truth = client.get(f"/api/sessions/{name}")
                self.assertEqual(view and (view["life"], view["version"]), (truth.json["life"], truth.json["version"]) if truth.status == 200 else None)
            self.assertEqual((page.missing(), page.doubled), ([], []), f"seed {seed}")
            self.assertEqual(len(set(page.boots)), 3, f"seed {seed}")
            for name in [topic.removeprefix("history:") for topic in page.topics if topic.startswith("history:")]:
                last = Stream(server.port, [f"history:{name}"])
                newest = last.next("lines").data["lines"][-1]
                last.close()
                self.assertIn((name, newest["life"], newest["seq"]), page.lines, f"seed {seed}")
            page.close()


if __name__ == "__main__":
    run_tests()
