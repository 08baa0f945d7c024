"""The one client of the page's stream: server-sent events over HTTP's chunks, read as a browser does."""

import json
import select
import socket
import time
import urllib.parse

from waiting import SECONDS


class Event:
    def __init__(self, kind, id, data):
        self.kind, self.id, self.data = kind, id, data

    def __repr__(self):
        return f"{self.kind} {self.id} {json.dumps(self.data)[:300]}"


class Stream:
    """An open stream of these topics. `since` is the id of the last received event."""

    def __init__(self, port, topics, since=None, in_query=False, cookie=None, buffer=None):
        query = [("topic", topic) for topic in topics] + ([("since", since)] if since and in_query else [])
        lines = [f"GET /api/stream?{urllib.parse.urlencode(query)} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
        lines += [f"Cookie: gamed-{port}={cookie}"] if cookie else []
        lines += [f"Last-Event-ID: {since}"] if since and not in_query else []
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(SECONDS)
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.raw, self.text, self.ready, self.beats, self.last_id = b"", b"", [], 0, since
        self.has_ended = False
        while b"\r\n\r\n" not in self.raw:
            self.receive()
        head, _, self.raw = self.raw.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])
        self.head = head.decode()

    def receive(self):
        piece = self.socket.recv(1 << 18)
        if not piece:
            self.has_ended = True
            raise EOFError("the stream has ended")
        self.raw += piece

    def decode(self):
        """Parses complete chunks, and the events in them."""
        while True:
            size, end, rest = self.raw.partition(b"\r\n")
            if not end:
                break
            count = int(size, 16)
            if len(rest) < count + 2:
                break
            if count == 0:
                self.has_ended = True
            self.text += rest[:count]
            self.raw = rest[count + 2:]
        *blocks, self.text = self.text.split(b"\n\n")
        for block in blocks:
            self.take(block.decode())

    def take(self, block):
        fields = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        self.last_id = fields.get("id", self.last_id)
        if fields["event"] == "beat":
            self.beats += 1
            return
        self.ready.append(Event(fields["event"], fields.get("id"), json.loads(fields["data"])))

    def poll(self, seconds=0):
        """The events received so far and within `seconds`; may be empty. Raises EOFError once the stream has ended."""
        self.decode()
        if not self.ready and self.readable(seconds):
            self.receive()
            self.decode()
        found, self.ready = self.ready, []
        if self.has_ended and not found:
            raise EOFError("the stream has ended")
        return found

    def readable(self, seconds):
        # Not select.select, which is limited to 1,024 descriptors.
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return poll.poll(1000 * seconds)

    def next(self, kind=None, seconds=SECONDS, where=lambda event: True):
        """The next event of a kind."""
        end = time.monotonic() + seconds
        while True:
            found = self.poll(max(0, end - time.monotonic()))
            for place, event in enumerate(found):
                if (kind is None or event.kind == kind) and where(event):
                    self.ready = found[place + 1:] + self.ready
                    return event
            if not found and time.monotonic() > end:
                raise AssertionError(f"no event {kind or ''} within {seconds} s")

    def close(self):
        self.socket.close()
