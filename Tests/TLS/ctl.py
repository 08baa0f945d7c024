"""gamectl over TLS: ctl.py GAMED"""

import os
import signal
import socket
import subprocess

import encrypted
from encrypted import daemon


class Gamectl(encrypted.Case):
    def ctl(self, server, *words, input="", environment=None):
        return subprocess.run([encrypted.GAMECTL, "--connect", f"localhost:{server.tls}", *words], input=input, capture_output=True,
                              text=True, env={**os.environ, **(environment or {})}, timeout=60)

    def test_it_plays_and_asks_much(self):
        server = self.serve()
        found = self.ctl(server, "--tls-ca", self.authority.certificate, "send", "room", "pass")
        self.assertEqual((found.stdout, found.returncode), ("second\n", 0), found.stderr)
        found = self.ctl(server, "send", "room", "pass", environment={"GAMED_TLS": "1", "GAMED_TLS_CA": self.authority.certificate})
        self.assertEqual((found.stdout, found.returncode), ("first\n", 0), found.stderr)
        found = self.ctl(server, "--tls-ca", self.authority.certificate, input="new a turns\n" + "send a pass\n" * 500)
        self.assertEqual(found.stdout.splitlines()[-1], "first", found.stderr)
        found = self.ctl(server, "--tls", "--tls-ca", self.authority.certificate, "health")
        self.assertEqual((found.stdout, found.returncode), ("healthy\n", 0), found.stderr)

    def test_it_watches(self):
        server = self.serve()
        watch = subprocess.Popen([encrypted.GAMECTL, "--connect", f"localhost:{server.tls}", "--tls-ca", self.authority.certificate, "watch"],
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        daemon.until(lambda: "subscribed_clients:1" in server.resp().say("INFO"), "it listens", 30)
        for state in ("second", "first"):
            server.resp().say("SEND", "room", "pass")
            line = watch.stdout.readline()
            while state not in line:
                self.assertTrue(line)
                line = watch.stdout.readline()

    def assert_no_daemon(self, found, sentence):
        self.assertEqual((found.stdout, found.returncode), ("", 2), found.stderr)
        self.assertIn(sentence, found.stderr)

    def test_it_believes_nobody_else(self):
        server = self.serve()
        stranger = encrypted.Authority(self.certificates, "stranger")
        self.assert_no_daemon(self.ctl(server, "--tls-ca", stranger.certificate, "state", "room"), "is not trusted: unable to get local issuer")
        self.assert_no_daemon(self.ctl(server, "--tls", "state", "room"), "--tls-ca FILE names the authorities to trust")
        elsewhere = self.serve(certificate=self.authority.sign("elsewhere", "DNS:elsewhere.example")[0], key=self.file("elsewhere.key"))
        self.assert_no_daemon(self.ctl(elsewhere, "--tls-ca", self.authority.certificate, "state", "room"), "hostname mismatch")

    def test_what_is_wrong_is_said(self):
        server = self.serve("--listen", "tcp://127.0.0.1:0")
        found = self.ctl(server, "state", "room")
        self.assertIn("this address requires TLS", found.stderr)
        found = self.ctl(server, "--token", "any", "state", "room")
        self.assertIn("this address requires TLS; start redis-cli or gamectl with --tls", found.stderr)
        plain = server.said[0].rsplit(":", 1)[1]
        found = subprocess.run([encrypted.GAMECTL, "--connect", f"localhost:{plain}", "--tls", "health", "--within", "300ms"],
                               capture_output=True, text=True)
        self.assert_no_daemon(found, "no response; does it speak TLS?")
        for answer in (b"-ERR what?\r\n" * 10, b""):
            self.assert_no_daemon(self.talking_to(answer), "connection closed" if not answer else "does not speak TLS; try without --tls")
        self.assert_no_daemon(self.ctl(server, "--tls-ca", "/nowhere", "state", "room"), "cannot read the authorities' certificates /nowhere")

    def talking_to(self, answer):
        """What gamectl says of somebody who answers its greeting with this, and hangs up."""
        with socket.create_server(("127.0.0.1", 0)) as listening:
            words = [encrypted.GAMECTL, "--connect", f"localhost:{listening.getsockname()[1]}", "--tls", "state", "room"]
            client = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            line, _ = listening.accept()
            with line:
                line.recv(65_536)
                line.sendall(answer)
            output, errors = client.communicate(timeout=60)
            return subprocess.CompletedProcess(words, client.returncode, output, errors)

    def test_it_shows_a_certificate_where_one_is_asked_for(self):
        server = self.serve("--tls-client-ca", self.authority.certificate)
        certificate, key = self.authority.sign("player", "DNS:player")
        words = ["--tls-ca", self.authority.certificate]
        found = self.ctl(server, *words, "--tls-cert", certificate, "--tls-key", key, "send", "room", "pass")
        self.assertEqual((found.stdout, found.returncode), ("second\n", 0), found.stderr)
        self.assert_no_daemon(self.ctl(server, *words, "state", "room"), "--tls-cert FILE and --tls-key FILE give one")

    def test_it_waits_for_no_daemon_that_hangs(self):
        server = self.serve()
        server.process.send_signal(signal.SIGSTOP)
        try:
            found = self.ctl(server, "--tls-ca", self.authority.certificate, "health", "--within", "500ms")
        finally:
            server.process.send_signal(signal.SIGCONT)
        self.assertEqual(found.returncode, 2, found.stderr)


if __name__ == "__main__":
    daemon.main()
