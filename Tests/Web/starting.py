"""Addresses on which the page is served or refused: starting.py GAMED"""

import os
import signal
import socket
import time
import unittest

from support import Daemon, Stream, in_time, run_tests

STANDARD = ("127.0.0.1", 7650)


class Starting(unittest.TestCase):
    def new_daemon(self, *words, **more):
        server = Daemon(*words, **{"is_open": False, **more})
        self.addCleanup(server.remove)
        return server

    def serve(self, *words, **more):
        return self.new_daemon(*words, **more).start()

    def assert_refused(self, sentence, *words, **more):
        server = self.new_daemon(*words, **more)
        server.launch()
        self.assertNotEqual(server.wait(), 0)
        self.assertIn(sentence, server.errors)
        self.assertEqual(server.errors.strip().count("\n"), 0, server.errors)

    def assert_no_page(self, server):
        self.assertEqual(server.resp().ask("PING"), "PONG")
        self.assertNotIn("page:", server.output)

    def token_file(self):
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"gamed-token-{os.getpid()}")
        with open(path, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write("a-token-that-nobody-guesses\n")
        self.addCleanup(os.unlink, path)
        return path

    def test_gamed_serves_the_page_beyond_loopback_only_with_a_token(self):
        for place in ["0.0.0.0:0", "[::]:0"]:
            self.assert_refused("token", http=place)
        server = self.serve("--token-file", self.token_file(), http="0.0.0.0:0")
        self.assertEqual(server.client().get("/api/sessions").status, 401)
        self.assertEqual(server.logged_in().get("/api/sessions").status, 200)
        token = self.serve(http="0.0.0.0:0", environment={"GAMED_TOKEN": "a-token-that-nobody-guesses"})
        headers = {"Authorization": "Bearer a-token-that-nobody-guesses"}
        self.assertEqual(token.client().get("/api/sessions", headers=headers).status, 200)

    def test_gamed_does_not_start_with_an_open_page_beyond_loopback(self):
        self.assert_refused("loopback", http="0.0.0.0:0", is_open=True)
        self.assert_refused("loopback", "--token-file", self.token_file(), http="0.0.0.0:0", is_open=True)

    def test_gamed_serves_an_open_page_at_the_loopback_address_of_IPv6(self):
        server = self.serve(http="[::1]:0", is_open=True)
        found = server.client(host="::1").get("/api/sessions")
        self.assertEqual(found.status, 200)

    def test_gamed_starts_without_a_page_if_the_default_port_is_in_use(self):
        """The port is taken by this test or by another process."""
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                taken.bind(STANDARD)
                taken.listen()
            except OSError:
                pass
            server = self.serve(http=None)
            server.wait_for_error("no page: ")
            self.assert_no_page(server)

    def test_gamed_does_not_start_if_the_given_port_of_the_page_is_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.assert_refused("127.0.0.1", http=f"127.0.0.1:{taken.getsockname()[1]}")

    def test_gamed_serves_no_page_if_its_address_is_none(self):
        for server in [self.serve(http="none"), self.serve(http=None, environment={"GAMED_HTTP": "none"}),
                       self.serve(http="none", environment={"GAMED_HTTP": "127.0.0.1:0"})]:
            self.assert_no_page(server)
            self.assertNotIn("no page", server.errors)

    def test_the_option_http_takes_precedence_over_GAMED_HTTP(self):
        server = self.serve(http=None, environment={"GAMED_HTTP": "127.0.0.1:0"})
        self.assertEqual(server.logged_in().get("/api/sessions").status, 200)
        server = self.serve(http="127.0.0.1:0", environment={"GAMED_HTTP": "none"})
        self.assertEqual(server.logged_in().get("/api/sessions").status, 200)

    def test_gamed_does_not_start_with_a_wrong_address_of_the_page_and_says_so_in_one_line(self):
        for place in ["nowhere", "127.0.0.1", "127.0.0.1:70000", "127.0.0.1:-1", ":7650", "", "example.invalid:80"]:
            self.assert_refused("--http", http=place or " ")
            self.assert_refused("GAMED_HTTP", http=None, environment={"GAMED_HTTP": place or " "})

    def test_the_login_link_is_printed_once_and_never_logged(self):
        """The link is a secret: it is on standard output once, and not in the log."""
        server = self.serve()
        self.assertEqual(server.output.count("once="), 1)
        self.assertNotIn("once=", server.errors)

    def test_a_restarted_daemon_listens_at_the_same_port_at_once(self):
        server = self.serve(is_open=True)
        client = server.client()
        self.assertEqual(client.get("/healthz").status, 200)
        server.restart()
        self.assertEqual(server.client().get("/healthz").status, 200)

    def test_gamed_stops_within_2_s_with_100_streams_open(self):
        in_time(self.stop_with_100_streams, 2)

    def stop_with_100_streams(self):
        """The seconds that it took; the probe's own end does not count."""
        server = self.serve("--session", "room=turns", is_open=True)
        streams = [Stream(server.port, ["sessions", "status", "history:room"]) for _ in range(100)]
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(), 0)
        seconds = time.monotonic() - began
        for stream in streams:
            with self.assertRaises((EOFError, ConnectionError)):
                while True:
                    stream.poll(1)
            stream.close()
        for line in idle:
            line.close()
        self.assertNotIn("error", server.errors)
        return seconds


if __name__ == "__main__":
    run_tests()
