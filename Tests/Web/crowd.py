"""Many streams, and clients that do not read: each is disconnected, and the daemon's memory stays bounded: crowd.py GAMED"""

import socket
import struct
import time
import unittest

from support import Daemon, Stream, run_tests, wait_until
from table import Page, all_rows, streams

# Seconds after which a client that reads nothing is disconnected, and between heartbeats.
STUCK, CUT_OFF_SECONDS, BEAT_SECONDS = 6, 30, 15


class Waits:
    """Checks that take 30 s start with the first test and end with the last one, so that they cost no extra time."""

    def __init__(self):
        self.server = Daemon("--session", "room=turns", "--session", "still=registration").start()
        self.began = time.monotonic()
        self.idle = Stream(self.server.port, ["session:still"])
        self.idle.next("view")
        self.client = self.server.resp()
        # More initial data than the system buffers for a client.
        for start in range(0, 24_000, 1_000):
            self.client.many([("NEW", f"session with a long name {number:060}", "turns") for number in range(start, start + 1_000)])
        self.before = self.server.memory()
        self.stuck = [Stream(self.server.port, ["history:room", "session:room", "sessions"], buffer=4096) for _ in range(STUCK)]

    def flood(self, count):
        for _ in range(count // 1_000):
            self.client.many([("SEND", "room", "pass")] * 1_000)


def setUpModule():
    global waits
    waits = Waits()
    unittest.addModuleCleanup(waits.server.remove)


class Crowd(unittest.TestCase):
    def setUp(self):
        self.server = Daemon("--session", "room=turns").start()
        self.addCleanup(self.server.remove)

    def test_3_000_streams_that_open_and_close_leave_no_descriptor_and_no_memory(self):
        self.open_and_close(300)
        wait_until(lambda: streams(self.server) == 0, "the daemon has no stream")
        descriptors, memory = self.server.descriptors(), self.server.memory()
        self.open_and_close(3_000)
        wait_until(lambda: streams(self.server) == 0, "the daemon has no stream")
        wait_until(lambda: self.server.descriptors() <= descriptors + 1, "the daemon closes the connections that its clients have closed")
        self.assertLess(self.server.memory() - memory, 8 << 10)

    def open_and_close(self, count):
        request = b"GET /api/stream?topic=sessions&topic=session:room&topic=history:room HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for number in range(count):
            with socket.create_connection(("127.0.0.1", self.server.port)) as line:
                line.sendall(request)
                if number % 3:
                    line.recv(1 if number % 3 == 1 else 65536)
                if number % 2:
                    # Closes with a reset.
                    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def test_a_thousand_open_streams_all_get_a_change(self):
        known = [Stream(self.server.port, ["session:room"]) for _ in range(1_000)]
        self.server.client().send("room", "pass")
        for stream in known:
            stream.next("view", where=lambda event: event.data["view"]["version"] == 1)
            stream.close()
        wait_until(lambda: streams(self.server) == 0, "the daemon has no stream")

    def test_a_stream_client_that_stalls_and_reads_on_gets_the_newest_data(self):
        """More lines were sent meanwhile than are kept for a client: older ones are lost, the newest are not."""
        page = Page(self.server, ["history:room", "session:room", "sessions"]).open()
        client, web = self.server.resp(), self.server.client()
        for _ in range(40):
            client.many([("SEND", "room", "pass")] * 1_000)
        # The age of buffered data is unknown here.
        wait_until(lambda: page.read(0.1) and not page.differs(all_rows(web), is_timed=False), "the page has the newest row")
        wait_until(lambda: page.read(0.1) and page.views["room"]["version"] == 40_000, "the page has the newest view")
        fresh = Stream(self.server.port, ["history:room"])
        newest = {(line["life"], line["seq"]) for line in fresh.next("lines").data["lines"]}
        fresh.close()
        wait_until(lambda: page.read(0.1) and newest <= {key[1:] for key in page.lines}, "the page has the newest lines")
        self.assertEqual(page.doubled, [])
        page.close()


class TheLast(unittest.TestCase):
    """Its name sorts last, so that the checks started by the first test are nearly over."""

    def test_a_memory_of_the_daemon_is_bounded_if_stream_clients_do_not_read(self):
        waits.flood(20_000)
        self.assertLess(waits.server.memory() - waits.before, STUCK * (2 << 10) + (16 << 10))

    def test_b_stream_clients_that_do_not_read_are_disconnected(self):
        # On a busy machine it takes longer until the system's buffers are full.
        left = CUT_OFF_SECONDS + 240 - (time.monotonic() - waits.began)
        wait_until(lambda: streams(waits.server) == 1, "only the idle stream is left", max(1, left))
        for stream in waits.stuck:
            stream.close()

    def test_c_an_idle_stream_gets_a_heartbeat(self):
        left = BEAT_SECONDS + 5 - (time.monotonic() - waits.began)
        wait_until(lambda: waits.idle.poll(0.2) is not None and waits.idle.beats, "a heartbeat", max(1, left))
        self.assertFalse(waits.idle.has_ended)
        waits.idle.close()


if __name__ == "__main__":
    run_tests()
