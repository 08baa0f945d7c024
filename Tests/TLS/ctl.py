"""gamectl over TLS: ctl.py GAMED"""

import os
import shutil
import socket
import subprocess

from encrypted import SECONDS, Authority, TLSTest, program_beside, run_tests, wait_until


class Gamectl(TLSTest):
    def ctl(self, server, *words, input="", environment=None):
        return subprocess.run([program_beside("gamectl"), "--connect", f"localhost:{server.tls_port}", *words], input=input, capture_output=True,
                              text=True, env={**os.environ, **(environment or {})}, timeout=SECONDS)

    def test_gamectl_sends_single_commands_and_many_from_its_input_over_TLS(self):
        server = self.serve()
        found = self.ctl(server, "--tls-ca", self.authority.certificate, "send", "room", "pass")
        self.assertEqual((found.stdout, found.returncode), ("second\n", 0), found.stderr)
        found = self.ctl(server, "send", "room", "pass", environment={"GAMED_TLS": "1", "GAMED_TLS_CA": self.authority.certificate})
        self.assertEqual((found.stdout, found.returncode), ("first\n", 0), found.stderr)
        found = self.ctl(server, "state", "room", environment={"GAMED_TLS": "maybe"})
        self.assertEqual((found.stdout, found.returncode), ("", 64), "nothing is sent in clear text")
        self.assertIn("GAMED_TLS is true or false, not 'maybe'", found.stderr)
        off = {"GAMED_TLS": "no", "GAMED_TLS_CA": self.authority.certificate}
        found = self.ctl(server, "state", "room", environment=off)
        self.assertEqual((found.stdout, found.returncode), ("", 1), found.stderr)
        self.assertIn("this address requires TLS", found.stderr)
        found = self.ctl(server, "--tls", "health", environment=off)
        self.assertEqual((found.stdout, found.returncode), ("healthy\n", 0), found.stderr)
        found = self.ctl(server, "--tls-ca", self.authority.certificate, input="new a turns\n" + "send a pass\n" * 500)
        self.assertEqual(found.stdout.splitlines()[-1], "first", found.stderr)
        found = self.ctl(server, "--tls", "--tls-ca", self.authority.certificate, "health")
        self.assertEqual((found.stdout, found.returncode), ("healthy\n", 0), found.stderr)

    def test_gamectl_watch_prints_changes_over_TLS(self):
        server = self.serve()
        watch = subprocess.Popen([program_beside("gamectl"), "--connect", f"localhost:{server.tls_port}", "--tls-ca", self.authority.certificate, "watch"],
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        wait_until(lambda: "subscribed_clients:1" in server.resp().ask("INFO"), "gamectl has subscribed")
        for state in ("second", "first"):
            server.resp().ask("SEND", "room", "pass")
            line = watch.stdout.readline()
            while state not in line:
                self.assertTrue(line)
                line = watch.stdout.readline()

    def test_gamectl_completes_the_names_of_a_daemon_behind_TLS(self):
        server = self.serve()
        found = self.ctl(server, "complete", "--", "--connect", f"localhost:{server.tls_port}", "--tls-ca", self.authority.certificate, "state", "ro")
        self.assertEqual((found.stdout, found.returncode), ("room\n", 0), found.stderr)
        settings = {"GAMED_TLS": "1", "GAMED_TLS_CA": self.authority.certificate}
        found = self.ctl(server, "complete", "--", "state", "ro", environment=settings)
        self.assertEqual((found.stdout, found.returncode), ("room\n", 0), found.stderr)

    def assert_no_daemon(self, found, sentence):
        self.assertEqual((found.stdout, found.returncode), ("", 2), found.stderr)
        self.assertIn(sentence, found.stderr)

    def test_gamectl_does_not_talk_to_a_daemon_whose_certificate_it_does_not_trust(self):
        server = self.serve()
        stranger = Authority(self.certificates, "stranger")
        self.assert_no_daemon(self.ctl(server, "--tls-ca", stranger.certificate, "state", "room"), "is not trusted: unable to get local issuer")
        self.assert_no_daemon(self.ctl(server, "--tls", "state", "room"), "--tls-ca FILE names the authorities to trust")
        elsewhere = self.serve(certificate=self.authority.sign("elsewhere", "DNS:elsewhere.example")[0], key=self.file("elsewhere.key"))
        self.assert_no_daemon(self.ctl(elsewhere, "--tls-ca", self.authority.certificate, "state", "room"), "hostname mismatch")

    def test_gamectl_explains_a_failed_TLS_connection_and_names_the_remedy(self):
        server = self.serve("--listen", "tcp://127.0.0.1:0")
        found = self.ctl(server, "state", "room")
        self.assertIn("this address requires TLS", found.stderr)
        found = self.ctl(server, "--token", "any", "state", "room")
        self.assertIn("this address requires TLS; start redis-cli or gamectl with --tls", found.stderr)
        plain = server.tcp_port
        found = subprocess.run([program_beside("gamectl"), "--connect", f"localhost:{plain}", "--tls", "health", "--within", "300ms"],
                               capture_output=True, text=True)
        self.assert_no_daemon(found, "no response; does it speak TLS?")
        for answer in (b"-ERR what?\r\n" * 10, b""):
            self.assert_no_daemon(self.talking_to(answer), "connection closed" if not answer else "does not speak TLS; try without --tls")
        found = self.ctl(server, "--tls-ca", "/nowhere", "state", "room")
        self.assertEqual(found.returncode, 74, found.stderr)
        self.assertIn("cannot read the authorities' certificates /nowhere", found.stderr)
        found = self.ctl(server, "--tls-ca", __file__, "state", "room")
        self.assertEqual(found.returncode, 65, found.stderr)

    def test_gamectl_ends_a_script_at_a_bad_file_of_TLS(self):
        server = self.serve()
        for path, status in [("/nowhere", 74), (__file__, 65)]:
            found = self.ctl(server, "--tls-ca", path, input="state room\n" * 3)
            self.assertEqual(found.returncode, status, found.stderr)
            self.assertEqual(len(found.stderr.splitlines()), 1, found.stderr)

    def test_gamectl_doctor_does_not_take_a_bad_file_of_TLS_for_a_missing_daemon(self):
        server = self.serve()
        for path, status in [("/nowhere", 74), (__file__, 65)]:
            found = self.ctl(server, "--tls-ca", path, "doctor")
            self.assertEqual((found.returncode, found.stdout), (status, ""), found.stderr)
            self.assertIn(path, found.stderr)

    def test_gamectl_watch_tries_again_while_a_file_of_TLS_is_being_replaced(self):
        server = self.serve()
        # A restarted daemon listens at the same port.
        server.words[server.words.index("127.0.0.1:0")] = f"127.0.0.1:{server.tls_port}"
        authorities = self.file("renewed.pem")
        shutil.copyfile(self.authority.certificate, authorities)
        watch = subprocess.Popen([program_beside("gamectl"), "--connect", f"localhost:{server.tls_port}", "--tls-ca", authorities, "watch"],
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        wait_until(lambda: "subscribed_clients:1" in server.resp().ask("INFO"), "gamectl has subscribed")
        os.remove(authorities)
        server.restart()
        wait_until(lambda: "failed_tls_handshakes:0" not in server.resp().ask("INFO"), "gamectl has tried without the file")
        shutil.copyfile(self.authority.certificate, authorities)
        wait_until(lambda: "subscribed_clients:1" in server.resp().ask("INFO"), "gamectl has subscribed again")
        self.assertIsNone(watch.poll())

    def talking_to(self, answer):
        """What gamectl prints if its greeting is answered with this and the connection is closed."""
        with socket.create_server(("127.0.0.1", 0)) as listening:
            words = [program_beside("gamectl"), "--connect", f"localhost:{listening.getsockname()[1]}", "--tls", "state", "room"]
            client = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            line, _ = listening.accept()
            with line:
                line.recv(65_536)
                line.sendall(answer)
            output, errors = client.communicate(timeout=SECONDS)
            return subprocess.CompletedProcess(words, client.returncode, output, errors)

    def test_gamectl_shows_its_certificate_to_a_daemon_that_requires_one(self):
        server = self.serve("--tls-client-ca", self.authority.certificate)
        certificate, key = self.authority.sign("player", "DNS:player")
        words = ["--tls-ca", self.authority.certificate]
        found = self.ctl(server, *words, "--tls-cert", certificate, "--tls-key", key, "send", "room", "pass")
        self.assertEqual((found.stdout, found.returncode), ("second\n", 0), found.stderr)
        self.assert_no_daemon(self.ctl(server, *words, "state", "room"), "--tls-cert FILE and --tls-key FILE give one")

    def test_gamectl_health_ends_in_time_if_the_daemon_hangs(self):
        server = self.serve()
        server.freeze()
        try:
            found = self.ctl(server, "--tls-ca", self.authority.certificate, "health", "--within", "500ms")
        finally:
            server.resume()
        self.assertEqual(found.returncode, 2, found.stderr)


if __name__ == "__main__":
    run_tests()
