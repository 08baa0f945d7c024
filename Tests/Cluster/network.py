# A network between a node and the database that delays, cuts and swallows, as it is told.

import random
import selectors
import socket
import threading
import time

from support import free_port


class Network:
    """Passes bytes on between whoever connects to `port` and the database. One thread per connection."""

    def __init__(self, target):
        self.target = target
        self.port = free_port()
        self.delay = 0.0
        # What goes to the database, and what comes from it.
        self.swallows = {"up": False, "down": False}
        self.refuses = False
        self.pairs = set()
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                if self.refuses:
                    raise OSError
                server = socket.create_connection(("127.0.0.1", self.target), timeout=2)
            except OSError:
                client.close()
                continue
            threading.Thread(target=self.carry, args=(client, server), daemon=True).start()

    def carry(self, client, server):
        pair = (client, server)
        with self.lock:
            self.pairs.add(pair)
        chooser = selectors.DefaultSelector()
        for source, target, way in ((client, server, "up"), (server, client, "down")):
            source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            source.settimeout(30)
            chooser.register(source, selectors.EVENT_READ, (target, way))
        try:
            while True:
                for key, _ in chooser.select():
                    target, way = key.data
                    data = key.fileobj.recv(65_536)
                    if not data:
                        return
                    if self.delay:
                        time.sleep(random.random() * self.delay)
                    if not self.swallows[way]:
                        target.sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                self.pairs.discard(pair)
            chooser.close()
            for end in pair:
                end.close()

    def cut(self):
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def heal(self):
        """What has swallowed something is not to be trusted any more: such a connection is cut."""
        lossy = any(self.swallows.values())
        self.delay, self.refuses, self.swallows = 0.0, False, {"up": False, "down": False}
        if lossy:
            self.cut()

    def end(self):
        self.listener.close()
        self.cut()
