"""A node of the cluster that nodes.py starts."""
import subprocess
import sys
import time

import support
from support import Daemon, HTTPClient, as_dict

DATABASE = sys.argv.pop(2) if len(sys.argv) > 2 else None


class NodeClient(HTTPClient):
    """Notes a request that waited for a node that stood still, until its lease was nearly over."""

    def ask(self, *words, **more):
        began = time.monotonic()
        answer = super().ask(*words, **more)
        if answer.status == 503 and time.monotonic() - began > 1:
            Node.has_stood_still = True
        return answer


class Node(Daemon):
    """A gamed that shares its sessions with others."""
    has_stood_still = False

    def __init__(self, tokens, *words, flows=support.FLOWS):
        super().__init__("--listen", "127.0.0.1:0", "--token-file", tokens, "--flows", flows, *words, store=DATABASE, is_open=False, environment=support.PAGE)
        self.browser = None

    def start(self):
        super().start()
        # Only other nodes connect to the one that uses TLS.
        self.browser = self.logged_in() if self.link.startswith("http:") else None
        return self

    def client(self, **more):
        return NodeClient(self.port, **more)

    def incarnation(self):
        """Another one once it has lost its lease; 0 without one."""
        nodes = map(as_dict, as_dict(self.resp().ask("CLUSTER", "STATUS"))["nodes"])
        return next(each["incarnation"] for each in nodes if each["myself"])

    def own(self):
        """The names of this node's sessions."""
        found = self.browser.get("/api/sessions?nodes=own&count=1000")
        return {row["name"] for row in found.json["sessions"]} if found.status == 200 else set()

    def door(self):
        """The key with which other nodes sign requests that they forward to this one."""
        sql = f"SELECT standing->'http'->>'key' FROM node WHERE ended IS NULL AND standing->'http'->>'port' = '{self.port}'"
        return subprocess.run(["psql", "-XAtq", "-d", DATABASE, "-c", sql], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
