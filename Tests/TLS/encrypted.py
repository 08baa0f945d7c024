"""A gamed that speaks TLS, and connections to it."""

import os
import re
import shutil
import socket
import ssl
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "Web"))

import daemon  # noqa: E402
from certificates import Authority  # noqa: E402

# The machine may be busy.
daemon.PATIENCE = 30
GAMECTL = os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "gamectl") if len(sys.argv) > 1 else None


class Case(unittest.TestCase):
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

    def serve(self, *words, http="none", certificate=None, key=None, listen="127.0.0.1:0", **more):
        """The one place where these tests start a daemon that others can reach."""
        files = ["--tls-cert", certificate or self.certificate, "--tls-key", key or self.key]
        listen = ["--listen", listen] if listen else []
        if "GAMED_TOKEN" not in more.get("environment", {}) and "--token-file" not in words:
            listen.append("--trust-loopback")
        server = daemon.Daemon("--session", "room=turns", *listen, *files, *words, **{"is_open": False, "http": http, **more})
        self.addCleanup(server.remove)
        server.start()
        found = re.search(r"tls://127\.0\.0\.1:(\d+)", server.said[0]) if server.said else None
        server.tls = found and int(found.group(1))
        return server

    def trusting(self, authority=None, **more):
        context = ssl.create_default_context(cafile=(authority or self.authority).certificate)
        for name, value in more.items():
            setattr(context, name, value)
        return context

    def dial(self, port, context=None, **more):
        """An encrypted connection, closed with the test."""
        line = socket.create_connection(("127.0.0.1", port), timeout=daemon.PATIENCE)
        self.addCleanup(line.close)
        line = (context or self.trusting()).wrap_socket(line, server_hostname="localhost", **more)
        self.addCleanup(line.close)
        return line

    def dial_in_clear(self, port):
        line = socket.create_connection(("127.0.0.1", port), timeout=daemon.PATIENCE)
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
