"""TCP ports of this machine for programs that a test starts."""

import random
import socket


def free_port():
    """A port of loopback below those that the system gives to clients and to port 0, so that it is free again after a restart. No port is
    returned twice."""
    for port in random.sample(range(15_000, 32_000), 200):
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in free_port.returned:
            free_port.returned.add(port)
            return port
    raise OSError("no port is free")


free_port.returned = set()
