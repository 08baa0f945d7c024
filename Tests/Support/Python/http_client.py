"""The one HTTP client of the Python tests. The page's stream has its own, in events.py."""

import http.client
import json
import re
import socket
import time
import urllib.parse

from waiting import SECONDS


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

    @property
    def cookie(self):
        """The login's secret that the response sets; None if it sets none."""
        found = re.match(r"gamed-\d+=([^;]*);", self.headers.get("Set-Cookie", ""))
        return found and found.group(1)

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class HTTPClient:
    """One connection that is kept open, and a browser's cookie. `context` makes it TLS. With `repeats`, a request is sent once more if the
    daemon had closed the connection meanwhile."""

    def __init__(self, port, cookie=None, headers=None, host="127.0.0.1", context=None, repeats=True):
        self.port, self.host, self.context, self.repeats = port, host, context, repeats
        self.cookie, self.headers = cookie, headers or {}
        self.connection = None

    def ask(self, method, path, body=None, headers=None):
        """Sends a dict as JSON, and bytes unchanged with the content type of JSON. A header that is None is left out."""
        lines = dict(self.headers)
        if self.cookie:
            lines["Cookie"] = f"gamed-{self.port}={self.cookie}"
        if body is not None:
            lines["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines.update(headers or {})
        lines = {name: value for name, value in lines.items() if value is not None}
        while True:
            is_new = self.connection is None
            try:
                return self.exchange(method, path, body, lines)
            except (ConnectionError, http.client.CannotSendRequest):
                self.close()
                if is_new or not self.repeats:
                    raise

    def exchange(self, method, path, body, headers):
        if self.connection is None:
            self.connection = self.new_connection()
        self.connection.request(method, path, body, headers)
        found = self.connection.getresponse()
        return Answer(found.status, found.headers, found.read())

    def new_connection(self):
        if self.context:
            return http.client.HTTPSConnection(self.host, self.port, context=self.context, timeout=SECONDS)
        return http.client.HTTPConnection(self.host, self.port, timeout=SECONDS)

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.ask("POST", path, {} if body is None else body, **more)

    def delete(self, path, **more):
        return self.ask("DELETE", path, **more)

    def send(self, name, event, payload=None, **more):
        """Sends an event to a session."""
        body = {"event": event, **more}
        if payload is not None:
            body["payload"] = payload
        return self.post(f"/api/sessions/{quoted(name)}/events", body)

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None


def exchange_bytes(port, data, seconds=SECONDS):
    """Sends bytes, and returns all bytes received until the other side closes the connection, or within `seconds`."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as line:
        try:
            line.sendall(data)
        except (ConnectionError, TimeoutError):
            pass
        return received_bytes(line, seconds)


def received_bytes(line, seconds):
    """All bytes received until the other side closes the connection, or within `seconds`."""
    found, end, left = b"", time.monotonic() + seconds, seconds
    while left > 0:
        # A process that stood still reads what has come meanwhile.
        left = end - time.monotonic()
        line.settimeout(max(0.01, left))
        try:
            piece = line.recv(65536)
        except (TimeoutError, ConnectionError):
            break
        if not piece:
            break
        found += piece
    return found
