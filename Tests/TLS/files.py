"""Certificates, keys and authorities, when it starts and when they change: files.py GAMED"""

import os
import shutil
import ssl

import encrypted
from certificates import openssl
from encrypted import daemon


class Start(encrypted.Case):
    def refused(self, sentence, *words, status=78, **more):
        server = self.serve(*words, **more)
        self.assertEqual((server.process.wait(daemon.PATIENCE), server.errors.count("\n")), (status, 1), server.errors)
        self.assertIn(sentence, server.errors)
        server.process.stdout.close()

    def written(self, name, text, mode=0o600):
        path = self.file(name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def test_what_is_wrong_with_a_file_is_said_in_a_sentence(self):
        other, other_key = self.authority.sign("other")
        self.refused("cannot read the certificate /nowhere: No such file or directory", certificate="/nowhere")
        self.refused("is not a plain file", certificate=self.certificates)
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

    def test_a_key_that_others_can_read_is_refused(self):
        key = self.file("open.key")
        shutil.copy(self.key, key)
        os.chmod(key, 0o644)
        self.refused(f"the TLS key {key} is accessible to other users; run 'chmod 600 {key}'", key=key)
        os.chmod(key, 0o640)
        self.assertIsNotNone(self.serve(key=key).tls)

    def test_one_without_the_other_is_refused(self):
        for words, sentence in [
            (["--tls-cert", self.certificate], "--tls-key FILE"), (["--tls-key", self.key], "--tls-cert FILE"),
            (["--tls-client-ca", self.certificate], "--tls-cert FILE --tls-key FILE"),
            (["--listen", "tls://127.0.0.1:0"], "needs a certificate: --tls-cert FILE --tls-key FILE"),
        ]:
            server = daemon.Daemon(*words, is_open=False, http="none")
            self.addCleanup(server.remove)
            server.start()
            self.assertEqual(server.process.wait(daemon.PATIENCE), 64, server.errors)
            self.assertIn(sentence, server.errors)
            server.process.stdout.close()

    def test_an_expired_certificate_serves_and_is_told(self):
        old, key = self.authority.sign("old", days=-1)
        server = self.serve(certificate=old, key=key)
        server.complains(f"the certificate in {old} has expired")
        with self.assertRaisesRegex(ssl.SSLError, "expired"):
            self.dial(server.tls)

    def test_an_RSA_certificate_and_a_chain_are_served(self):
        certificate, key = self.authority.sign("rsa", kind=["-newkey", "rsa:2048", "-nodes"])
        chain = self.file("chain.pem")
        with open(chain, "w") as file:
            for path in (certificate, self.authority.certificate):
                with open(path) as part:
                    file.write(part.read())
        server = self.serve(certificate=chain, key=key)
        self.assertEqual(self.ask(self.dial(server.tls), b"PING\r\n"), b"+PONG\r\n")

    def test_beyond_loopback_plain_text_is_warned_of(self):
        token = {"GAMED_TOKEN": "correct-horse-battery"}
        server = self.serve("--listen", "tcp://0.0.0.0:0", environment=token)
        server.complains("other machines can reach 0.0.0.0:0, and the connection is not encrypted")
        server = self.serve("--listen", "0.0.0.0:0", environment=token)
        server.resp().say("PING")
        self.assertNotIn("is not encrypted", server.errors)


class Change(encrypted.Case):
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

    def test_old_connections_go_on_and_new_ones_see_the_new_certificate(self):
        server = self.serve_copies(http="127.0.0.1:0")
        old, old_page = self.dial(server.tls), self.dial(server.port)
        self.assertEqual((self.name(old), self.name(old_page)), ("server", "server"))
        self.put(*self.authority.sign("renewed"))
        self.assertEqual(server.resp().say("RELOAD", "DRY"), ["certificate: read again"])
        self.assertEqual(self.name(self.dial(server.tls)), "server")
        server.hang_up()
        server.complains("read the certificate again")
        self.assertEqual(self.name(self.dial(server.tls)), "renewed")
        self.assertEqual(self.name(self.dial(server.port)), "renewed")
        self.assertEqual(self.ask(old, b"SEND room pass\r\n"), b"+second\r\n")
        self.assertIn(b" 200 OK", self.ask(old_page, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))

    def test_wrong_files_are_told_and_the_old_ones_stay(self):
        server = self.serve_copies()
        with open(self.cert, "w") as file:
            file.write("nonsense")
        self.assertIn("kept the old certificate: no certificate in", str(server.resp().say("RELOAD")))
        self.assertEqual(self.name(self.dial(server.tls)), "server")
        self.put(self.certificate, self.authority.sign("fresh")[1])
        server.hang_up()
        server.complains("does not match the certificate")
        self.assertEqual(self.name(self.dial(server.tls)), "server")

    def test_many_changes_leave_nothing(self):
        server = self.serve_copies()
        resp = server.resp()
        sizes = []
        for number in range(300):
            resp.say("RELOAD")
            self.dial(server.tls).close()
            if number % 100 == 99:
                sizes.append(server.memory())
        self.assertLess(sizes[2] - sizes[0], 2_000, sizes)


class ClientCertificates(encrypted.Case):
    def test_only_those_with_a_certificate_of_that_authority_come_in(self):
        clients = encrypted.Authority(self.certificates, "clients")
        server = self.serve("--tls-client-ca", clients.certificate, http="127.0.0.1:0", is_open=True)
        shown = self.trusting()
        shown.load_cert_chain(*clients.sign("player", "DNS:player"))
        self.assertEqual(self.ask(self.dial(server.tls, shown), b"SEND room pass\r\n"), b"+second\r\n")
        page = self.dial(server.port, shown)
        self.assertIn(b" 200 OK", self.ask(page, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        foreign = self.trusting()
        foreign.load_cert_chain(*self.authority.sign("foreigner"))
        for context in (self.trusting(), foreign):
            for port in (server.tls, server.port):
                # With TLS 1.3 a client learns of it once it reads.
                with self.assertRaises((ssl.SSLError, ConnectionError)):
                    self.ask(self.dial(port, context), b"PING\r\n\r\n")
        self.assertEqual(server.resp().say("STATE", "room")[3], "second")

    def test_their_sessions_are_resumed(self):
        clients = encrypted.Authority(self.certificates, "friends")
        server = self.serve("--tls-client-ca", clients.certificate)
        shown = self.trusting(maximum_version=ssl.TLSVersion.TLSv1_2)
        shown.load_cert_chain(*clients.sign("friend", "DNS:friend"))
        first = self.dial(server.tls, shown)
        self.ask(first, b"PING\r\n")
        again = self.dial(server.tls, shown, session=first.session)
        self.assertEqual((again.session_reused, self.ask(again, b"PING\r\n")), (True, b"+PONG\r\n"))


if __name__ == "__main__":
    daemon.main()
