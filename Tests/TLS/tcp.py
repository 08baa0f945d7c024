"""Clients over TCP with TLS, other people's and hostile ones: tcp.py GAMED"""

import os
import re
import select
import signal
import socket
import ssl
import subprocess
import time

import redis

from encrypted import SECONDS, Authority, TLSTest, as_dict, run_tests, wait_until


class Clients(TLSTest):
    def redis(self, server, **more):
        return redis.Redis(host="localhost", port=server.tls_port, ssl=True, ssl_ca_certs=self.authority.certificate,
                           decode_responses=True, socket_timeout=SECONDS, **more)

    def test_redis_cli_sends_an_event_over_TLS(self):
        server = self.serve()
        found = subprocess.run(["redis-cli", "-h", "localhost", "-p", str(server.tls_port), "--tls", "--cacert", self.authority.certificate,
                                "SEND", "room", "pass"], capture_output=True, text=True)
        self.assertEqual(found.stdout, "second\n", found.stderr)

    def test_redis_py_sends_events_pipelines_and_subscribes_over_TLS(self):
        server = self.serve()
        client, listener = self.redis(server), self.redis(server).pubsub()
        listener.subscribe("session:room")
        self.assertEqual(listener.get_message(timeout=SECONDS)["type"], "subscribe")
        self.assertEqual(client.execute_command("SEND", "room", "pass"), "second")
        self.assertIn('"taken"', listener.get_message(timeout=SECONDS)["data"])
        with client.pipeline(transaction=False) as pipe:
            for _ in range(1_000):
                pipe.execute_command("SEND", "room", "pass")
            self.assertEqual(pipe.execute()[-2:], ["first", "second"])
        self.assertEqual(client.info()["tls_clients"], 2)

    def test_redis_benchmark_completes_over_TLS(self):
        server = self.serve()
        found = subprocess.run(["redis-benchmark", "-h", "localhost", "-p", str(server.tls_port), "--tls", "--cacert", self.authority.certificate,
                                "-n", "2000", "-P", "16", "-q", "SEND", "room", "pass"], capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("requests per second", found.stdout)

    def test_a_client_over_TLS_must_log_in_if_there_is_a_token(self):
        server = self.serve(environment={"GAMED_TOKEN": "correct-horse-battery"})
        line = self.dial(server.tls_port)
        self.assertTrue(self.ask(line, b"SEND room pass\r\n").startswith(b"-NOAUTH"))
        self.assertEqual(self.ask(line, b"AUTH correct-horse-battery\r\n"), b"+OK\r\n")
        self.assertEqual(self.ask(line, b"SEND room pass\r\n"), b"+second\r\n")

    def test_gamed_listens_at_an_unencrypted_address_beside_TLS(self):
        server = self.serve("--listen", "tcp://127.0.0.1:0")
        plain = server.tcp_port
        self.assertEqual(self.ask(self.dial_in_clear(plain), b"PING\r\n"), b"+PONG\r\n")
        self.assertEqual(self.ask(self.dial(server.tls_port), b"PING\r\n"), b"+PONG\r\n")
        self.assertEqual(server.resp().ask("PING"), "PONG")


class Versions(TLSTest):
    def test_gamed_refuses_TLS_1_1_and_accepts_TLS_1_2_and_1_3(self):
        server = self.serve()
        for version, name in [(ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")]:
            line = self.dial(server.tls_port, self.trusting(minimum_version=version, maximum_version=version))
            self.assertEqual((line.version(), self.ask(line, b"PING\r\n")), (name, b"+PONG\r\n"))
        old = self.trusting()
        # This machine's rules would not let the client try.
        old.set_ciphers("DEFAULT:@SECLEVEL=0")
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        with self.assertRaisesRegex(ssl.SSLError, "protocol version"):
            self.dial(server.tls_port, old)
        server.wait_for_error("TLS handshake with tls:127.0.0.1")

    def test_a_client_resumes_its_TLS_session(self):
        server = self.serve()
        context = self.trusting(maximum_version=ssl.TLSVersion.TLSv1_2)
        first = self.dial(server.tls_port, context)
        self.ask(first, b"PING\r\n")
        self.assertTrue(self.dial(server.tls_port, context, session=first.session).session_reused)

    def test_a_client_that_trusts_another_authority_does_not_connect(self):
        stranger = Authority(self.certificates, "stranger")
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.dial(self.serve().tls_port, self.trusting(stranger))


class Bytes(TLSTest):
    def test_a_payload_of_4_MB_is_echoed_whole_over_TLS(self):
        server = self.serve()
        line, text = self.dial(server.tls_port), os.urandom(2_000_000).hex().encode()
        answer = self.ask(line, b"*2\r\n$4\r\nECHO\r\n$%d\r\n%s\r\n" % (len(text), text), text[-64:] + b"\r\n")
        self.assertTrue(answer == b"$%d\r\n%s\r\n" % (len(text), text))

    def test_100_000_pipelined_requests_over_TLS_are_answered_in_order(self):
        server = self.serve("--time", "virtual", "--data", "none")
        line, count = self.dial(server.tls_port), 100_000
        line.setblocking(False)
        request = memoryview(b"".join(b"ECHO %d\r\n" % number for number in range(count)))
        wanted = b"".join(b"$%d\r\n%d\r\n" % (len(str(number)), number) for number in range(count))
        sent, found, end = 0, bytearray(), time.monotonic() + SECONDS
        while len(found) < len(wanted) and time.monotonic() < end:
            select.select([line], [line] if sent < len(request) else [], [], 0.1)
            try:
                while sent < len(request):
                    sent += line.send(request[sent:sent + 16_384])
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                pass
            try:
                while piece := line.recv(65_536):
                    found += piece
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                pass
        self.assertTrue(bytes(found) == wanted, len(found))

    def test_gamed_stops_reading_from_a_TLS_client_that_does_not_read_and_loses_no_reply(self):
        server = self.serve("--time", "virtual", "--data", "none")
        line, text = self.dial(server.tls_port), b"x" * 10_000
        line.settimeout(5)         # longer than a busy machine lets the daemon stand still
        request, sent = b"*2\r\n$4\r\nECHO\r\n$10000\r\n" + text + b"\r\n", 0
        try:
            while sent < 10_000:
                line.sendall(request)
                sent += 1
        except TimeoutError:
            pass
        # Sending has stopped in the middle of a request, as everything between is full.
        self.assertLess(sent, 10_000)
        line.settimeout(SECONDS)
        answer, found = b"$10000\r\n" + text + b"\r\n", 0
        while found < sent * len(answer):
            piece = line.recv(65_536)
            self.assertTrue(piece)
            found += len(piece)
        self.assertEqual(self.dial(server.tls_port) and server.resp().ask("PING"), "PONG")

    def test_a_request_is_answered_if_each_byte_is_a_TLS_record(self):
        """Each in a record of its own, and the handshake's bytes one by one."""
        server = self.serve()
        outgoing, incoming = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = self.trusting().wrap_bio(incoming, outgoing, server_hostname="localhost")
        line = self.dial_in_clear(server.tls_port)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def trickle():
            for byte in outgoing.read():
                line.sendall(bytes([byte]))

        def complete(step):
            while True:
                try:
                    found = step()
                    trickle()
                    return found
                except ssl.SSLWantReadError:
                    trickle()
                    incoming.write(line.recv(65_536))

        complete(session.do_handshake)
        for byte in b"SEND room pass\r\n":
            complete(lambda: session.write(bytes([byte])))
        self.assertEqual(complete(lambda: session.read(100)), b"+second\r\n")

    def test_a_TLS_client_that_closes_its_sending_half_still_gets_its_replies(self):
        """With TLS's farewell, and with the end of the connection alone."""
        server = self.serve()
        for has_farewell in (True, False):
            outgoing, incoming = ssl.MemoryBIO(), ssl.MemoryBIO()
            session = self.trusting().wrap_bio(incoming, outgoing, server_hostname="localhost")
            line = self.dial_in_clear(server.tls_port)

            def send():
                if waiting := outgoing.read():
                    line.sendall(waiting)

            def complete(step):
                while True:
                    try:
                        found = step()
                        send()
                        return found
                    except ssl.SSLWantReadError:
                        send()
                        piece = line.recv(65_536)
                        if not piece:
                            incoming.write_eof()
                        incoming.write(piece)

            complete(session.do_handshake)
            session.write(b"PING\r\n" * 1_000)
            if has_farewell:
                try:
                    session.unwrap()
                except ssl.SSLWantReadError:
                    pass
            send()
            line.shutdown(socket.SHUT_WR)
            found = b""
            while len(found) < 7_000:
                try:
                    found += complete(lambda: session.read(65_536))
                except ssl.SSLZeroReturnError:
                    break
                except ssl.SSLError as error:
                    # After its own farewell, Python's reading ends; what has come is in the clear only for others.
                    self.assertTrue(has_farewell, error)
                    break
            if not has_farewell:
                self.assertEqual(found, b"+PONG\r\n" * 1_000)
            self.assertEqual(server.resp().ask("PING"), "PONG")


class Strangers(TLSTest):
    def test_gamed_answers_plain_text_at_a_TLS_address_with_an_error_and_continues(self):
        server = self.serve()
        self.assertIn(b"-ERR this address requires TLS", self.ask(self.dial_in_clear(server.tls_port), b"*1\r\n$4\r\nPING\r\n"))
        for nonsense in [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", os.urandom(100), b"\x16\x03\x01\xff\xff" + os.urandom(3_000), b"\x00" * 50]:
            line = self.dial_in_clear(server.tls_port)
            line.sendall(nonsense)
            # The daemon may have hung up before any of this.
            try:
                line.shutdown(socket.SHUT_WR)
                while line.recv(65_536):
                    pass
            except OSError as error:
                self.assertNotIsInstance(error, TimeoutError)
        self.assertEqual(self.ask(self.dial(server.tls_port), b"PING\r\n"), b"+PONG\r\n")

    def test_gamed_closes_a_connection_whose_TLS_handshake_stalls(self):
        server = self.serve("--limit", "stranger-ms=300")
        line = self.dial_in_clear(server.tls_port)
        line.sendall(b"\x16\x03\x01\x02\x00\x01")
        self.assertEqual(line.recv(100), b"")
        server.wait_for_error("no TLS handshake within 300 ms")

        # A busy machine may need longer than that for a handshake.
        def attempt():
            line = self.dial(server.tls_port)
            return self.ask(line, b"PING\r\n") == b"+PONG\r\n" and line

        # Who is through has as much time as it likes.
        through = wait_until(attempt, "a handshake succeeds in time", ignoring=OSError)
        silent = self.dial_in_clear(server.tls_port)
        self.assertEqual(silent.recv(100), b"")
        self.assertEqual(self.ask(through, b"PING\r\n"), b"+PONG\r\n")

    def test_gamed_limits_half_TLS_handshakes_like_other_clients_that_have_not_logged_in(self):
        server = self.serve("--limit", "strangers=10", environment={"GAMED_TOKEN": "correct-horse-battery"})
        lines = [self.dial_in_clear(server.tls_port) for _ in range(200)]
        for line in lines[:150]:
            line.sendall(b"\x16\x03\x01\x02\x00\x01")
        wait_until(lambda: b"strangers:10" in self.info(server), "ten of them are left")
        for line in lines[:190]:
            self.assertEqual(self.end_of(line), b"")
        line = self.dial(server.tls_port)
        self.assertEqual(self.ask(line, b"AUTH correct-horse-battery\r\n"), b"+OK\r\n")
        self.assertEqual(self.ask(line, b"PING\r\n"), b"+PONG\r\n")

    def test_half_TLS_handshakes_count_as_memory_of_clients(self):
        server = self.serve()
        memory = lambda: int(re.search(rb"client_memory:(\d+)", self.info(server)).group(1))
        lines = [self.dial_in_clear(server.tls_port) for _ in range(20)]
        wait_until(lambda: memory() >= 20 * 40_000, "all of them are counted")
        through = self.dial(server.tls_port)
        self.assertEqual(self.ask(through, b"PING\r\n"), b"+PONG\r\n")
        for line in lines:
            line.close()
        wait_until(lambda: memory() < 100_000, "closed connections hold no memory, and a completed handshake holds less")

    def end_of(self, line):
        try:
            return line.recv(100)
        except ConnectionError:
            return b""

    def info(self, server):
        return server.resp().ask("INFO").encode()

    def test_TLS_connections_are_limited_and_their_end_frees_their_descriptors(self):
        server = self.serve(
            "--limit", "connections=20", "--limit", "share-percent=100", "--limit", "reserve-percent=0", unprobed="it takes every connection"
        )
        lines = [self.dial(server.tls_port) for _ in range(19)]
        for line in lines:
            self.assertEqual(self.ask(line, b"PING\r\n"), b"+PONG\r\n")
        resp = server.resp()
        self.assertEqual(resp.ask("PING"), "PONG")
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.dial(server.tls_port)
        full = server.descriptors()
        for line in lines:
            line.close()
        resp.close()
        wait_until(lambda: server.descriptors() <= full - 20, "all are closed")

    def test_180_TLS_connections_that_come_and_go_do_not_use_more_memory(self):
        server = self.serve(unprobed="it waits until one client is left")
        rounds = []
        for _ in range(3):
            for number in range(60):
                line = self.dial_in_clear(server.tls_port)
                if number % 3 == 0:
                    line.sendall(os.urandom(20))
                if number % 3 == 1:
                    line = self.trusting().wrap_socket(line, server_hostname="localhost")
                    line.sendall(b"PING\r\n")
                line.close()
            wait_until(lambda: b"connected_clients:1\r" in self.info(server), "they are gone")
            rounds.append(server.memory())
        self.assertLess(rounds[2] - rounds[0], 2_000, rounds)


class Stopping(TLSTest):
    def test_events_acknowledged_over_TLS_are_there_after_a_stop(self):
        server = self.serve("--durability", "always")
        lines, passed = [self.dial(server.tls_port) for _ in range(5)], 0
        for line in lines:
            line.sendall(b"NEW hall turns\r\n" if line is lines[0] else b"PING\r\n")
            self.read(line)
        for line in lines:
            line.sendall(b"SEND hall pass\r\n" * 200)
        time.sleep(0.02)
        server.send_signal(signal.SIGTERM)
        for line in lines:
            try:
                while piece := line.recv(65_536):
                    passed += piece.count(b"\r\n")
            except (ConnectionError, ssl.SSLError) as error:
                self.fail(f"an answer was cut off: {error}")
        self.assertEqual(server.wait(), 0)
        server.start()
        self.assertGreater(passed, 0)
        self.assertGreaterEqual(as_dict(server.resp().ask("STATE", "hall"))["version"], passed)


if __name__ == "__main__":
    run_tests()
