"""The client's side of a WebSocket (RFC 6455), as much of it as DevTools speaks: text frames."""
import base64
import os
import socket
import struct
from urllib.parse import urlsplit


class Closed(Exception):
    """The other side has closed the connection."""


class WebSocket:
    """One connection. Messages that arrive between reads wait in the socket."""

    def __init__(self, url, timeout=30):
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout)
        self.buffer = b""
        self.socket.sendall((
            f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self._more()
        self.buffer = self.buffer.split(b"\r\n\r\n", 1)[1]

    def _more(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise Closed("the other side has closed the connection")
        self.buffer += data

    def _take(self, count):
        while len(self.buffer) < count:
            self._more()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = bytes([0x81, 0x80 | size]) if size < 126 else struct.pack("!BBH", 0x81, 0xFE, size) if size < 65536 \
            else struct.pack("!BBQ", 0x81, 0xFF, size)
        pad = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(pad, "big")).to_bytes(size, "big")
        self.socket.sendall(head + mask + masked)

    def receive(self, timeout):
        """The next message; None if none arrives in time."""
        self.socket.settimeout(timeout)
        try:
            message = b""
            while True:
                first, second = self._take(2)
                size = second & 0x7F
                if size > 125:
                    size = struct.unpack("!H" if size == 126 else "!Q", self._take(2 if size == 126 else 8))[0]
                message += self._take(size)
                if first & 0x80:
                    return message.decode()
        except TimeoutError:
            return None
