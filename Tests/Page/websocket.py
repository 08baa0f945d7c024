"""The client's side of a WebSocket (RFC 6455), as much of it as DevTools speaks: text frames."""
import base64
import os
import socket
import struct
from urllib.parse import urlsplit


class Closed(Exception):
    """The other side has closed the connection."""


class WebSocket:
    """One connection. Messages that arrive between reads wait in the socket, and the beginning of one in the buffer."""

    def __init__(self, url, timeout=30):
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout)
        self.buffer, self.message = b"", b""
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

    def _need(self, count):
        while len(self.buffer) < count:
            self._more()

    def _frame(self):
        """The next frame: whether it is its message's last, and its content. It stays in the buffer until it is whole."""
        self._need(2)
        start, size = 2, self.buffer[1] & 0x7F
        if size > 125:
            start = 4 if size == 126 else 10
            self._need(start)
            size = int.from_bytes(self.buffer[2:start], "big")
        self._need(start + size)
        is_last, content = self.buffer[0] & 0x80, self.buffer[start:start + size]
        self.buffer = self.buffer[start + size:]
        return is_last, content

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
            is_last = False
            while not is_last:
                is_last, content = self._frame()
                self.message += content
        except TimeoutError:
            return None
        message, self.message = self.message, b""
        return message.decode()
