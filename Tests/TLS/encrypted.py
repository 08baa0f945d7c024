"""A gamed that speaks TLS, and connections to it."""

import os
import shutil
import socket
import ssl
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Support", "Python"))

from certificates import Authority, openssl  # noqa: E402, F401
from gamed import Daemon, program_beside, run_tests  # noqa: E402, F401
from resp import as_dict  # noqa: E402, F401
from waiting import SECONDS, wait_until  # noqa: E402, F401


class TLSTest(unittest.TestCase):
    """Certificates are made once for all tests of a file."""

    @classmethod
    def setUpClass(cls):
        cls.certificates = tempfile.mkdtemp(prefix="gamed-tls-")
        cls.authority = Authority(cls.certificates)
        cls.certificate, cls.key = cls.authority.sign("server")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.certificates, ignore_errors=True)

    def file(self, name):
        return os.path.join(self.certificates, name)

    def new_daemon(self, *words, http="none", certificate=None, key=None, listen="127.0.0.1:0", **more):
        """A daemon that takes TLS over TCP, and over HTTP if it gets an address."""
        files = ["--tls-cert", certificate or self.certificate, "--tls-key", key or self.key]
        listen = ["--listen", listen] if listen else []
        if "GAMED_TOKEN" not in more.get("environment", {}) and "--token-file" not in words:
            listen.append("--trust-loopback")
        server = Daemon("--session", "room=turns", *listen, *files, *words, **{"is_open": False, "http": http, **more})
        self.addCleanup(server.remove)
        return server

    def serve(self, *words, **more):
        return self.new_daemon(*words, **more).start()

    def trusting(self, authority=None, **more):
        context = ssl.create_default_context(cafile=(authority or self.authority).certificate)
        for name, value in more.items():
            setattr(context, name, value)
        return context

    def dial(self, port, context=None, **more):
        """An encrypted connection, closed with the test."""
        line = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self.addCleanup(line.close)
        line = (context or self.trusting()).wrap_socket(line, server_hostname="localhost", **more)
        self.addCleanup(line.close)
        return line

    def dial_in_clear(self, port):
        line = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self.addCleanup(line.close)
        return line

    def ask(self, line, request, end=b"\r\n"):
        """Sends bytes, and returns what comes up to that end."""
        line.sendall(request)
        return self.read(line, end)

    def read(self, line, end=b"\r\n"):
        found = b""
        while not found.endswith(end):
            piece = line.recv(65536)
            if not piece:
                break
            found += piece
        return found
