"""A page's data, built from a stream's events alone by the contract, and compared with the API's."""

import time

from support import Stream


class Page:
    """A reader of topics that survives disconnects: it reconnects with the id of the last received event."""

    def __init__(self, daemon, topics, in_query=False):
        self.daemon, self.topics, self.in_query, self.client = daemon, topics, in_query, daemon.client()
        self.rows, self.fresh, self.views, self.lines, self.doubled = {}, None, {}, {}, []
        self.stream, self.since, self.wholes, self.boots, self.flows = None, None, 0, [], []

    def open(self):
        self.fresh, self.heard = None, time.monotonic()
        self.stream = Stream(self.daemon.port, self.topics, since=self.since, in_query=self.in_query)
        return self

    def close(self):
        if self.stream:
            self.stream.close()
        self.stream = None

    def read(self, seconds=0):
        """Applies the received events. Returns whether the stream is still open."""
        if not self.stream:
            return False
        try:
            for event in self.stream.poll(seconds):
                self.take(event)
            self.note_time()
        except (EOFError, ConnectionError):
            self.close()
        return self.stream is not None

    def note_time(self):
        """Later events are not older than this time, if the daemon has replied since and nothing is left to be read."""
        asked = time.monotonic()
        self.client.get("/healthz")
        if not self.stream.readable(0):
            self.heard = asked

    def take(self, event):
        data, self.since = event.data, event.id
        if event.kind == "hello":
            self.boots.append(data["boot"])
        elif event.kind == "rows":
            self.take_rows(data)
        elif event.kind == "view":
            self.views[data["session"]] = data["view"]
        elif event.kind == "flows":
            self.flows = data["flows"]
        elif event.kind == "lines":
            for line in data["lines"]:
                self.take_line(data["session"], line)

    def take_rows(self, data):
        if data["whole"]:
            self.fresh = {}
            self.wholes += 1
        table = self.rows if self.fresh is None else self.fresh
        for row in data["rows"]:
            table[row["name"]] = {**row, "between": (self.heard, time.monotonic())}
        for name in data["gone"]:
            table.pop(name, None)
        if self.fresh is not None and not data["more"]:
            self.rows, self.fresh = self.fresh, None

    def take_line(self, name, line):
        key = (name, line["life"], line["seq"])
        line = {member: value for member, value in line.items() if member != "at_ms"}
        if self.lines.setdefault(key, line) != line:
            self.doubled.append((key, self.lines[key], line))

    def missing(self):
        """Sequence numbers between others of their session's life that were not received."""
        lives = {}
        for name, life, seq in self.lines:
            lives.setdefault((name, life), set()).add(seq)
        return [(life, seq) for life, seqs in lives.items() for seq in range(min(seqs), max(seqs)) if seq not in seqs]

    def differs(self, rows, is_timed=True):
        """Describes how the table differs from these current rows; empty if it does not."""
        truth = {row["name"]: row for row in rows}
        if truth.keys() != self.rows.keys():
            return f"names: missing {sorted(truth.keys() - self.rows.keys())[:5]}, too many {sorted(self.rows.keys() - truth.keys())[:5]}"
        for name, row in truth.items():
            if self.timeless(row) != self.timeless(self.rows[name]):
                return f"{name}: {row} and not {self.rows[name]}"
            if is_timed and not self.agree(row, self.rows[name]):
                return f"{name}: the remaining time is that of {row}, and not of {self.rows[name]}"
        return ""

    @staticmethod
    def timeless(row):
        timer = row["timer"] and {name: value for name, value in row["timer"].items() if name != "remaining_ms"}
        return {**{name: value for name, value in row.items() if name not in ("since_ms", "between")}, "timer": timer}

    @staticmethod
    def agree(row, other):
        """Whether both timers end at the same instant, within the uncertainty of when the rows were written."""
        if not row["timer"]:
            return True
        left, other_left = row["timer"]["remaining_ms"] / 1000, other["timer"]["remaining_ms"] / 1000
        if row["timer"]["paused"] or row["paused"]:
            return left == other_left
        (first, last), (other_first, other_last) = row["between"], other["between"]
        return first + left <= other_last + other_left + 0.05 and other_first + other_left <= last + left + 0.05


def all_rows(client):
    """All sessions' rows, as the API lists them."""
    rows, cursor = [], "0"
    while True:
        asked = time.monotonic()
        found = client.get(f"/api/sessions?count=1000&cursor={cursor}").json
        between = (asked, time.monotonic())
        rows += [{**row, "between": between} for row in found["sessions"]]
        cursor = found["cursor"]
        if cursor == "0":
            return rows


def streams(server):
    """The daemon's number of streams, without the one of this request."""
    stream = Stream(server.port, ["status"])
    found = stream.next("status").data["streams"] - 1
    stream.close()
    return found
