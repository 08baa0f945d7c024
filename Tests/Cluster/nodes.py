# A gamed that is a node of the cluster under test.

import os
import time

from network import Network
from support import FLOWS, Daemon, free_port


class Node(Daemon):
    def __init__(self, database, folder, name, *options, environment=None, unprobed=None):
        self.name, self.network, self.fixed_port = name, Network(database.port), free_port()
        super().__init__(
            "--listen", f"127.0.0.1:{self.fixed_port}", "--trust-loopback", "--flows", FLOWS, *options, folder=os.path.join(folder, name),
            store=database.uri(self.network.port), http="none", is_open=False, log="notice", environment=environment, unprobed=unprobed)

    @property
    def address(self):
        return ("127.0.0.1", self.fixed_port)

    def leave(self):
        """Asks it to hand over its shards and end. Returns how long that took; it must end by itself and well."""
        began = time.monotonic()
        status = self.stop()
        assert status == 0, f"{self.name} has ended with {status} after SIGTERM\n{self.last_lines()}"
        return time.monotonic() - began

    def remove(self):
        try:
            super().remove()
        finally:
            self.network.end()


def start(nodes):
    """Starts nodes at the same time."""
    for node in nodes:
        node.launch()
    for node in nodes:
        node.wait_until_started()
