"""Certificates, keys and authorities, when it starts and when they change: files.py GAMED"""

import os
import shutil
import ssl

from encrypted import Authority, Daemon, TLSTest, openssl, run_tests


class Start(TLSTest):
    def refused(self, sentence, *words, status=78, **more):
        server = self.new_daemon(*words, **more)
        server.launch()
        self.assertEqual((server.wait(), server.errors.count("\n")), (status, 1), server.errors)
        self.assertIn(sentence, server.errors)

    def written(self, name, text, mode=0o600):
        path = self.file(name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def test_gamed_does_not_start_with_a_wrong_certificate_or_key_and_says_why_in_one_line(self):
        other, other_key = self.authority.sign("other")
        self.refused("cannot read the certificate /nowhere: No such file or directory", certificate="/nowhere")
        self.refused("is not a regular file", certificate=self.certificates)
        self.refused("no certificate in " + self.key, certificate=self.key)
        self.refused("no certificate in", certificate=self.written("empty", ""))
        with open(self.certificate) as file:
            damaged = self.written("damaged", file.read().replace("M", "A"))
        self.refused(f"{damaged} is damaged: ", certificate=damaged)
        self.refused("cannot read the TLS key /nowhere: No such file or directory", key="/nowhere")
        nonsense = self.written("nonsense", "nonsense")
        self.refused(f"no private key in {nonsense}", key=nonsense)
        self.refused(f"the key in {other_key} does not match the certificate in {self.certificate}", key=other_key)
        secret = self.file("secret")
        openssl("pkey", "-in", self.key, "-aes256", "-passout", "pass:guess", "-out", secret)
        os.chmod(secret, 0o600)
        self.refused(f"the key in {secret} is encrypted", key=secret)
        self.refused("no certificate in " + self.key, "--tls-client-ca", self.key)

    def test_gamed_does_not_start_with_a_key_that_other_users_can_read(self):
        key = self.file("open.key")
        shutil.copy(self.key, key)
        os.chmod(key, 0o644)
        self.refused(f"the TLS key {key} is accessible to other users; run 'chmod 600 {key}'", key=key)
        os.chmod(key, 0o640)
        self.assertIsNotNone(self.serve(key=key).tls_port)

    def test_gamed_does_not_start_with_a_certificate_but_no_key_or_the_reverse(self):
        for words, sentence in [
            (["--tls-cert", self.certificate], "--tls-key FILE"), (["--tls-key", self.key], "--tls-cert FILE"),
            (["--tls-client-ca", self.certificate], "--tls-cert FILE --tls-key FILE"),
            (["--listen", "tls://127.0.0.1:0"], "needs a certificate: --tls-cert FILE --tls-key FILE"),
        ]:
            server = Daemon(*words, is_open=False, http="none")
            self.addCleanup(server.remove)
            server.launch()
            self.assertEqual(server.wait(), 64, server.errors)
            self.assertIn(sentence, server.errors)

    def test_gamed_serves_an_expired_certificate_and_logs_a_warning(self):
        old, key = self.authority.sign("old", days=-1)
        server = self.serve(certificate=old, key=key)
        server.wait_for_error(f"the certificate in {old} has expired")
        with self.assertRaisesRegex(ssl.SSLError, "expired"):
            self.dial(server.tls_port)

    def test_gamed_serves_an_RSA_certificate_with_its_chain(self):
        certificate, key = self.authority.sign("rsa", kind=["-newkey", "rsa:2048", "-nodes"])
        chain = self.file("chain.pem")
        with open(chain, "w") as file:
            for path in (certificate, self.authority.certificate):
                with open(path) as part:
                    file.write(part.read())
        server = self.serve(certificate=chain, key=key)
        self.assertEqual(self.ask(self.dial(server.tls_port), b"PING\r\n"), b"+PONG\r\n")

    def test_gamed_warns_of_an_unencrypted_address_that_other_machines_can_reach(self):
        token = {"GAMED_TOKEN": "correct-horse-battery"}
        server = self.serve("--listen", "tcp://0.0.0.0:0", environment=token)
        server.wait_for_error("other machines can reach 0.0.0.0:0, and the connection is not encrypted")
        server = self.serve("--listen", "0.0.0.0:0", environment=token)
        server.resp().ask("PING")
        self.assertNotIn("is not encrypted", server.errors)


class Change(TLSTest):
    def serve_copies(self, *words, **more):
        """From files that a test may change."""
        self.cert, self.secret = self.file("now.pem"), self.file("now.key")
        self.put(self.certificate, self.key)
        return self.serve(*words, certificate=self.cert, key=self.secret, **more)

    def put(self, certificate, key):
        shutil.copy(certificate, self.cert)
        shutil.copy(key, self.secret)

    def name(self, line):
        return dict(part[0] for part in line.getpeercert()["subject"])["commonName"]

    def test_old_connections_continue_after_a_reload_and_new_ones_get_the_new_certificate(self):
        server = self.serve_copies(http="127.0.0.1:0")
        old, old_page = self.dial(server.tls_port), self.dial(server.port)
        self.assertEqual((self.name(old), self.name(old_page)), ("server", "server"))
        self.put(*self.authority.sign("renewed"))
        self.assertEqual(server.resp().ask("RELOAD", "DRY"), ["certificate: read again"])
        self.assertEqual(self.name(self.dial(server.tls_port)), "server")
        server.reload()
        server.wait_for_error("read the certificate again")
        self.assertEqual(self.name(self.dial(server.tls_port)), "renewed")
        self.assertEqual(self.name(self.dial(server.port)), "renewed")
        self.assertEqual(self.ask(old, b"SEND room pass\r\n"), b"+second\r\n")
        self.assertIn(b" 200 OK", self.ask(old_page, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))

    def test_a_reload_of_a_wrong_certificate_is_logged_and_keeps_the_old_one(self):
        server = self.serve_copies()
        with open(self.cert, "w") as file:
            file.write("nonsense")
        self.assertIn("kept the old certificate: no certificate in", str(server.resp().ask("RELOAD")))
        self.assertEqual(self.name(self.dial(server.tls_port)), "server")
        self.put(self.certificate, self.authority.sign("fresh")[1])
        server.reload()
        server.wait_for_error("does not match the certificate")
        self.assertEqual(self.name(self.dial(server.tls_port)), "server")

    def test_300_reloads_of_a_certificate_do_not_use_more_memory(self):
        server = self.serve_copies()
        resp = server.resp()
        sizes = []
        for number in range(300):
            resp.ask("RELOAD")
            self.dial(server.tls_port).close()
            if number % 100 == 99:
                sizes.append(server.memory())
        self.assertLess(sizes[2] - sizes[0], 2_000, sizes)


class ClientCertificates(TLSTest):
    def test_gamed_admits_only_clients_with_a_certificate_of_the_client_authority(self):
        clients = Authority(self.certificates, "clients")
        server = self.serve("--tls-client-ca", clients.certificate, http="127.0.0.1:0", is_open=True)
        shown = self.trusting()
        shown.load_cert_chain(*clients.sign("player", "DNS:player"))
        self.assertEqual(self.ask(self.dial(server.tls_port, shown), b"SEND room pass\r\n"), b"+second\r\n")
        page = self.dial(server.port, shown)
        self.assertIn(b" 200 OK", self.ask(page, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        foreign = self.trusting()
        foreign.load_cert_chain(*self.authority.sign("foreigner"))
        for context in (self.trusting(), foreign):
            for port in (server.tls_port, server.port):
                # With TLS 1.3 a client learns of it once it reads.
                with self.assertRaises((ssl.SSLError, ConnectionError)):
                    self.ask(self.dial(port, context), b"PING\r\n\r\n")
        self.assertEqual(server.resp().ask("STATE", "room")[3], "second")

    def test_a_client_with_a_certificate_resumes_its_TLS_session(self):
        clients = Authority(self.certificates, "friends")
        server = self.serve("--tls-client-ca", clients.certificate)
        shown = self.trusting(maximum_version=ssl.TLSVersion.TLSv1_2)
        shown.load_cert_chain(*clients.sign("friend", "DNS:friend"))
        first = self.dial(server.tls_port, shown)
        self.ask(first, b"PING\r\n")
        again = self.dial(server.tls_port, shown, session=first.session)
        self.assertEqual((again.session_reused, self.ask(again, b"PING\r\n")), (True, b"+PONG\r\n"))


if __name__ == "__main__":
    run_tests()
