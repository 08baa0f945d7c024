# A client that goes where MOVED sends it, and says what is known of each request.

import socket


class Refusal(Exception):
    """The daemon's error: its first word is `code`."""

    def __init__(self, text):
        super().__init__(text)
        self.code = text.split(" ", 1)[0]

    @property
    def leaves_open(self):
        """Whether what was asked may have been done all the same."""
        return self.code == "UNKNOWN"


class Connection:
    def __init__(self, address, patience):
        self.socket = socket.create_connection(address, timeout=patience)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = self.socket.makefile("rb")

    def ask(self, *words):
        parts = [word.encode() for word in words]
        self.socket.sendall(
            b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts))
        return self.read()

    def read(self):
        line = self.reader.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("closed")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            raise Refusal(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            size = int(rest)
            if size < 0:
                return None
            data = self.reader.read(size + 2)
            if len(data) != size + 2:
                raise ConnectionError("closed")
            return data[:-2].decode()
        if kind == b"*":
            return [self.read() for _ in range(int(rest))]
        raise ConnectionError(f"not RESP: {line!r}")

    def close(self):
        self.socket.close()


class Unknown(Exception):
    """Nobody can say whether it was done."""


class NotDone(Exception):
    """It was certainly not done."""


class Client:
    """Finds the session's node, and asks it once."""

    def __init__(self, addresses, random, patience=3):
        self.addresses, self.random, self.patience = addresses, random, patience
        self.connections = {}
        # Where sessions were last.
        self.places = {}

    def ask(self, command, session, *words):
        place = self.places.get(session) or self.random.choice(self.addresses)
        for _ in range(6):
            try:
                connection = self.connection(place)
            except OSError as error:
                self.places.pop(session, None)
                raise NotDone(f"{place}: {error}") from error
            try:
                answer = connection.ask(command, session, *words)
                self.places[session] = place
                return answer
            except Refusal as refusal:
                if refusal.code == "MOVED":
                    host, port = str(refusal).split(" ")[2].rsplit(":", 1)
                    place = (host, int(port))
                    continue
                if refusal.code not in ("CLUSTERDOWN", "TRYAGAIN", "LOADING", "UNKNOWN"):
                    raise
                self.places.pop(session, None)
                raise (Unknown if refusal.leaves_open else NotDone)(str(refusal)) from refusal
            except OSError as error:
                self.forget(place)
                self.places.pop(session, None)
                raise Unknown(f"{place}: {error}") from error
        raise NotDone("MOVED in a circle")

    def connection(self, place):
        if place not in self.connections:
            self.connections[place] = Connection(place, self.patience)
        return self.connections[place]

    def forget(self, place):
        connection = self.connections.pop(place, None)
        if connection:
            connection.close()

    def close(self):
        for place in list(self.connections):
            self.forget(place)
