# A client that goes where MOVED sends it, and says what is known of each request.

from support import Refusal, RESPClient


class Unknown(Exception):
    """Nobody can say whether it was done."""


class NotDone(Exception):
    """It was certainly not done."""


def new_place(moved):
    """The address to which a MOVED sends a client."""
    host, port = str(moved).split(" ")[2].rsplit(":", 1)
    return host, int(port)


class Client:
    """Finds the session's node, and asks it once."""

    def __init__(self, addresses, random, seconds=3):
        self.addresses, self.random, self.seconds = addresses, random, seconds
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
                answer = connection.must(command, session, *words)
                self.places[session] = place
                return answer
            except Refusal as refusal:
                if refusal.code == "MOVED":
                    place = new_place(refusal)
                    continue
                if refusal.code not in ("CLUSTERDOWN", "TRYAGAIN", "LOADING", "UNKNOWN"):
                    raise
                self.places.pop(session, None)
                raise (Unknown if refusal.code == "UNKNOWN" else NotDone)(str(refusal)) from refusal
            except OSError as error:
                self.forget(place)
                self.places.pop(session, None)
                raise Unknown(f"{place}: {error}") from error
        raise NotDone("MOVED in a circle")

    def connection(self, place):
        if place not in self.connections:
            self.connections[place] = RESPClient(place, self.seconds)
        return self.connections[place]

    def forget(self, place):
        connection = self.connections.pop(place, None)
        if connection:
            connection.close()

    def close(self):
        for place in list(self.connections):
            self.forget(place)
