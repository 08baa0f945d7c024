"""The one RESP client of the Python tests."""

import socket

from waiting import SECONDS


class Refusal(Exception):
    """An error of the daemon. `code` is its first word."""

    @property
    def code(self):
        return str(self).split(" ", 1)[0]


class RESPClient:
    """A connection to a UNIX socket's path or a TCP address (HOST, PORT), if need be from an address of this machine, `source`."""

    def __init__(self, address, seconds=SECONDS, protocol=2, source=None):
        self.socket = self.connected(address, seconds, source)
        self.file = self.socket.makefile("rb")
        if protocol == 3:
            self.must("HELLO", "3")

    @staticmethod
    def connected(address, seconds, source):
        if isinstance(address, tuple):
            found = socket.create_connection(address, seconds, source and (source, 0))
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return found
        found = socket.socket(socket.AF_UNIX)
        found.settimeout(seconds)
        try:
            found.connect(address)
        except OSError:
            found.close()
            raise
        return found

    def ask(self, *words):
        """The reply to a command. An error is a `Refusal`, and returned."""
        return self.many([words])[0]

    def must(self, *words):
        """The reply to a command. Raises an error."""
        reply = self.ask(*words)
        if isinstance(reply, Refusal):
            raise reply
        return reply

    def many(self, commands):
        """The replies to commands that are sent together."""
        self.send(commands)
        return [self.reply() for _ in commands]

    def send(self, commands):
        text = b""
        for words in commands:
            words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
            text += b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
        self.socket.sendall(text)

    def reply(self):
        """The next reply or message. Bytes that are not UTF-8 become lone surrogates."""
        line = self.line()
        kind, rest = line[:1], line[1:].decode("utf-8", "surrogateescape")
        if kind == b"-":
            return Refusal(rest)
        if kind == b"+":
            return rest
        if kind == b":":
            return int(rest)
        if kind == b"#":
            return rest == "t"
        if kind == b"_" or rest == "-1":
            return None
        if kind in b"$=":
            return self.bulk(int(rest)).decode("utf-8", "surrogateescape")
        if kind == b"%":
            return {self.reply(): self.reply() for _ in range(int(rest))}
        if kind in b"*~>":
            return [self.reply() for _ in range(int(rest))]
        raise ConnectionError(f"not RESP: {line!r}")

    def line(self):
        """The next line, without its end."""
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the daemon has closed the connection")
        return line[:-2]

    def bulk(self, size):
        data = self.file.read(size + 2)
        if len(data) != size + 2:
            raise ConnectionError("the daemon has closed the connection")
        return data[:-2]

    def close(self):
        self.file.close()
        self.socket.close()


def as_dict(reply):
    """A map, which RESP2 sends as a list of keys and values."""
    return reply if isinstance(reply, dict) else dict(zip(reply[::2], reply[1::2]))
