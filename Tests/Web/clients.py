"""Clients of a gamed: HTTP, and the UNIX socket. The stream's is in events.py."""

import http.client
import json
import socket
import urllib.parse

PATIENCE = 10


def quoted(name):
    """A name, escaped as a part of a path."""
    return urllib.parse.quote(name, safe="")


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The error's code; None if there is none."""
        return self.json.get("error") if self.status >= 400 and self.body else None

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Client:
    """One connection that is kept alive, and a browser's cookie."""

    def __init__(self, port, cookie=None, headers=None, host="127.0.0.1"):
        self.port, self.host, self.cookie, self.headers = port, host, cookie, headers or {}
        self.connection = None

    def ask(self, method, path, body=None, headers=None):
        """Sends a dict as JSON, and bytes unchanged with the content type of JSON."""
        words = dict(self.headers)
        if self.cookie:
            words["Cookie"] = f"gamed={self.cookie}"
        if body is not None:
            words["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        words.update(headers or {})
        words = {name: value for name, value in words.items() if value is not None}
        for attempt in (1, 2):
            fresh = self.connection is None
            try:
                if fresh:
                    self.connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
                self.connection.request(method, path, body, words)
                found = self.connection.getresponse()
                return Answer(found.status, found.headers, found.read())
            except (http.client.RemoteDisconnected, ConnectionError, http.client.CannotSendRequest):
                # The daemon may have closed an idle connection; a new one must work.
                self.close()
                if fresh or attempt == 2:
                    raise

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.ask("POST", path, {} if body is None else body, **more)

    def delete(self, path, **more):
        return self.ask("DELETE", path, **more)

    def send(self, name, event, payload=None, **more):
        body = {"event": event, **more}
        if payload is not None:
            body["payload"] = payload
        return self.post(f"/api/sessions/{quoted(name)}/events", body)

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


class Resp:
    """A client of the UNIX socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def say(self, *words):
        self.tell([words])
        return self.reply()

    def tell(self, commands):
        text = b""
        for words in commands:
            text += b"*%d\r\n" % len(words)
            for word in words:
                word = word if isinstance(word, bytes) else str(word).encode()
                text += b"$%d\r\n%s\r\n" % (len(word), word)
        self.socket.sendall(text)

    def many(self, commands):
        self.tell(commands)
        return [self.reply() for _ in commands]

    def reply(self):
        line = self.file.readline()
        if not line:
            raise ConnectionError("the daemon hung up")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            return Exception(rest.decode())
        if kind in b"+:":
            return int(rest) if kind == b":" else rest.decode()
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2].decode()
        return [self.reply() for _ in range(int(rest))]

    def close(self):
        self.file.close()
        self.socket.close()
