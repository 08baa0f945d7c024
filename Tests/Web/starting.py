"""Addresses on which the page is served or refused: starting.py GAMED"""

import os
import socket
import time
import unittest

import daemon
from daemon import Daemon
from events import Stream

STANDARD = ("127.0.0.1", 7650)


class Starting(unittest.TestCase):
    def serve(self, *words, **more):
        server = Daemon(*words, **{"is_open": False, **more})
        self.addCleanup(server.remove)
        return server.start()

    def assert_refused(self, sentence, *words, **more):
        server = self.serve(*words, **more)
        self.assertNotEqual(server.process.wait(daemon.PATIENCE), 0)
        self.assertIn(sentence, server.errors)
        self.assertEqual(server.errors.strip().count("\n"), 0, server.errors)

    def assert_no_page(self, server):
        self.assertEqual(([line for line in server.said if "page:" in line], server.resp().say("PING")), ([], "PONG"))

    def token_file(self):
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"gamed-token-{os.getpid()}")
        with open(path, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write("a-token-that-nobody-guesses\n")
        self.addCleanup(os.unlink, path)
        return path

    def test_beyond_loopback_it_needs_a_token(self):
        for place in ["0.0.0.0:0", "[::]:0"]:
            self.assert_refused("token", http=place)
        server = self.serve("--token-file", self.token_file(), http="0.0.0.0:0")
        self.assertEqual(server.client().get("/api/sessions").status, 401)
        self.assertEqual(server.logged_in().get("/api/sessions").status, 200)
        token = self.serve(http="0.0.0.0:0", environment={"GAMED_TOKEN": "a-token-that-nobody-guesses"})
        headers = {"Authorization": "Bearer a-token-that-nobody-guesses"}
        self.assertEqual(token.client().get("/api/sessions", headers=headers).status, 200)

    def test_beyond_loopback_it_is_never_open(self):
        self.assert_refused("loopback", http="0.0.0.0:0", is_open=True)
        self.assert_refused("loopback", "--token-file", self.token_file(), http="0.0.0.0:0", is_open=True)

    def test_ipv6s_loopback_is_one(self):
        server = self.serve(http="[::1]:0", is_open=True)
        found = server.client(host="::1").get("/api/sessions")
        self.assertEqual(found.status, 200)

    def test_the_usual_port_may_be_taken(self):
        """The port is taken by this test or by another process."""
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                taken.bind(STANDARD)
                taken.listen()
            except OSError:
                pass
            server = self.serve(http=None)
            server.complains("no page: ")
            self.assert_no_page(server)

    def test_a_port_that_was_asked_for_may_not(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.assert_refused("127.0.0.1", http=f"127.0.0.1:{taken.getsockname()[1]}")

    def test_none_is_no_page(self):
        for server in [self.serve(http="none"), self.serve(http=None, environment={"GAMED_HTTP": "none"}),
                       self.serve(http="none", environment={"GAMED_HTTP": "127.0.0.1:0"})]:
            self.assert_no_page(server)
            self.assertNotIn("no page", server.errors)

    def test_the_environment_says_where_unless_the_option_does(self):
        server = self.serve(http=None, environment={"GAMED_HTTP": "127.0.0.1:0"})
        self.assertEqual(server.logged_in().get("/api/sessions").status, 200)
        server = self.serve(http="127.0.0.1:0", environment={"GAMED_HTTP": "none"})
        self.assertEqual(server.logged_in().get("/api/sessions").status, 200)

    def test_what_is_no_place_is_refused_in_one_sentence(self):
        for place in ["nowhere", "127.0.0.1", "127.0.0.1:70000", "127.0.0.1:-1", ":7650", "", "example.invalid:80"]:
            self.assert_refused("--http", http=place or " ")
            self.assert_refused("GAMED_HTTP", http=None, environment={"GAMED_HTTP": place or " "})

    def test_the_link_is_printed_for_people_alone(self):
        """The link is a secret: it is on standard output once, and not in the log."""
        server = self.serve()
        self.assertEqual(len([line for line in server.said if "once=" in line]), 1)
        self.assertNotIn("once=", server.errors)

    def test_a_restart_takes_the_same_port_at_once(self):
        server = self.serve(is_open=True)
        client = server.client()
        self.assertEqual(client.get("/healthz").status, 200)
        server.restart()
        self.assertEqual(server.client().get("/healthz").status, 200)


    def test_it_stops_at_once_however_many_read(self):
        server = self.serve("--session", "room=turns", is_open=True)
        streams = [Stream(server.port, ["sessions", "status", "history:room"]) for _ in range(100)]
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
        began = time.monotonic()
        self.assertEqual(server.end(), 0)
        self.assertLess(time.monotonic() - began, 2)
        for stream in streams:
            with self.assertRaises((EOFError, ConnectionError)):
                while True:
                    stream.poll(1)
            stream.close()
        for line in idle:
            line.close()
        self.assertNotIn("error", server.errors)


if __name__ == "__main__":
    daemon.main()
