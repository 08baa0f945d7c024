"""The time that hostile requests make other clients wait, measured by the probe beside each daemon: waits.py GAMED

`make soak` runs this with the optimized daemon, whose bound is 20 ms. Each test prints its longest wait.
"""

import hashlib
import json
import os
import random
import tempfile
import threading
import time
import unittest

from support import EXAMPLES, Daemon, Refusal, Stream, run_tests

READER = "a-secret-of-a-reader-of-nothing"
MASTER = "a-secret-of-the-master-of-all"
SEED = int(os.environ.get("GAMED_SEED", "1"))


class Waits(unittest.TestCase):
    def serve(self, *words, flows=None, **more):
        server = Daemon(*words, probe_ms=1, **more)
        self.addCleanup(self.finish, server)
        self.flows = os.path.join(server.folder, "flows")
        os.mkdir(self.flows)
        for name, flow in (flows or {}).items():
            self.write(name, flow)
        server.words += ["--flows", self.flows]
        return server.start()

    def finish(self, server):
        """Ends a daemon, which checks its probe's measurements."""
        try:
            server.remove()
        finally:
            print(f"{self.id().split('.')[-1]}: {'; '.join(server.waits)}", flush=True)

    def write(self, name, flow):
        with open(os.path.join(self.flows, f"{name}.json5"), "w") as file:
            json.dump({"id": name, **flow}, file)

    def tokens(self):
        """Options of a daemon with a token that may read sessions that do not exist, and one for everything."""
        lines = [f"reader read sessions=none-* sha256={hashlib.sha256(READER.encode()).hexdigest()}",
                 f"master master sha256={hashlib.sha256(MASTER.encode()).hexdigest()}"]
        path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "tokens")
        with open(path, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write("\n".join(lines) + "\n")
        return ["--token-file", path, "--listen", "127.0.0.1:0"]

    def dial(self, server):
        """A connection over TCP."""
        client = server.resp_over_tcp()
        self.addCleanup(client.close)
        return client

    def play(self, server, name, event, times, batch=500):
        """Sends the event `times` times, and ignores the replies."""
        client = server.resp()
        for _ in range(0, times, batch):
            client.many([("SEND", name, event)] * batch)
        client.close()


class FewRights(Waits):
    """A client whose token may only read, limited to sessions that do not exist."""

    def test_ten_thousand_patterns_of_a_reader_do_not_delay_others(self):
        server = self.serve("--session", "room=turns", *self.tokens(), is_open=False)
        client = self.dial(server)
        self.assertEqual(client.must("AUTH", "reader", READER), "OK")
        for first in range(0, 10_000, 100):
            client.send([("PSUBSCRIBE", *(f"session:none-*{number}*a*b*c*" for number in range(first, first + 100)))])
            end = time.monotonic() + 0.05
            while time.monotonic() < end:
                client.socket.settimeout(0.02)
                try:
                    client.socket.recv(1 << 20)
                except TimeoutError:
                    break
        self.play(server, "room", "pass", 2_000)

    def test_300_logins_do_not_delay_others(self):
        server = self.serve(*self.tokens(), is_open=False)
        for _ in range(300):
            server.client().post("/login", {"token": f"reader.{READER}"})

    def test_all_streams_that_a_client_can_open_do_not_delay_others(self):
        server = self.serve("--session", "room=turns", *self.tokens(), is_open=False)
        client = server.client()
        found = client.post("/login", {"token": f"reader.{READER}"})
        cookie = found.cookie if found.status == 204 else None
        streams = []
        for _ in range(2_100):
            try:
                streams.append(Stream(server.port, ["sessions", "status"], cookie=cookie))
            except (OSError, EOFError):
                break
        self.play(server, "room", "pass", 2_000)
        for stream in streams:
            stream.close()

    def test_all_connections_that_a_client_can_open_do_not_delay_others(self):
        server = self.serve("--session", "room=turns", *self.tokens(), is_open=False)
        clients = []
        for _ in range(3_000):
            try:
                clients.append(self.dial(server))
                clients[-1].send([("PING",)])
            except OSError:
                break
        self.play(server, "room", "pass", 2_000)
        for client in clients:
            client.close()


class Flows(Waits):
    def test_sandboxes_with_a_fast_pendulum_do_not_delay_others(self):
        pendulum = {"initial": "a", "states": {"a": {"after": {"1ms": "b"}}, "b": {"after": {"1ms": "a"}}}}
        server = self.serve("--session", "room=turns", flows={"pendulum": pendulum})

        def swing():
            client = server.client()
            begun = client.post("/api/sandboxes", {"flow": "pendulum"})
            if begun.status == 201:
                for number in range(3):
                    client.post(f"/api/sandboxes/{begun.json['id']}/time", {"at_ms": begun.json["limit_ms"] - number})

        threads = [threading.Thread(target=swing) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def test_a_flow_that_invokes_itself_does_not_delay_others(self):
        invokes = [{"flow": "many", "id": f"child{number}"} for number in range(32)]
        server = self.serve(flows={"many": {"initial": "a", "states": {"a": {"invoke": invokes}}}})
        client = server.resp()
        client.socket.settimeout(60)
        client.must("NEW", "top", "many")
        client.ask("DROP", "top")

    def test_the_record_of_20_000_bluetooth_packets_does_not_delay_others(self):
        record = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "record")
        devices = os.path.join(EXAMPLES, "devices.json")
        server = self.serve("--session", "hall=turns", "--bluetooth", devices, "--bluetooth-record", record)
        client = server.resp()
        for _ in range(40):
            client.many([("BLUETOOTH", "NOTIFY", "turn-button")] * 500)

    def test_the_reload_of_a_big_flow_does_not_delay_others(self):
        def state(number, round):
            return {"description": f"Round {round} " + "so it goes " * 14,
                    "on": {f"e{number % 500}": [{"guard": f"rounds % {number + 2} == {number % 7}", "target": f"s{(number * 7 + 1) % 2_000}",
                                                 "actions": {"assign": {"rounds": f"rounds + {number}"}}},
                                                {"target": f"s{(number + 1) % 2_000}"}]},
                    "after": {f"{number + 1}s": {"name": f"t{number}", "target": f"s{(number + 2) % 2_000}"}} if number < 1_000 else {}}

        def big(round):
            return {"context": {"rounds": 0}, "initial": "s0", "states": {f"s{number}": state(number, round) for number in range(2_000)}}

        server = self.serve(flows={"big": big(0)})
        self.assertGreater(os.path.getsize(os.path.join(self.flows, "big.json5")), 600_000)
        client = server.resp()
        client.socket.settimeout(60)
        for found in client.many([("NEW", f"b{number}", "big") for number in range(200)]):
            self.assertNotIsInstance(found, Refusal)
        for number in range(1, 6):
            self.write("big", big(number))
            found = client.ask("RELOAD")
            self.assertIn("big: changed", str(found))

    def test_diagrams_and_lists_of_the_largest_flows_do_not_delay_others(self):
        def states(count, edges):
            return {f"state{number}": {"on": {f"e{(number * 7 + edge) % 300}": f"state{(number + 1 + edge * 17) % count}"
                                              for edge in range(edges)}} for number in range(count)}

        server = self.serve("--session", "room=turns", flows={
            "long": {"initial": "state0", "states": states(9_900, 1)}, "dense": {"initial": "state0", "states": states(990, 10)}})
        client, line = server.client(), server.resp()
        line.socket.settimeout(60)
        for name in ["long", "dense"]:
            line.must("NEW", name, name)
            for words in [("STATE", name), ("EVENTS", name), ("VIEW", name), ("DESCRIBE", name), ("DIAGRAM", name)]:
                line.ask(*words)
            self.assertEqual(len(client.get(f"/api/flows/{name}/graph").json["states"]), {"long": 9_900, "dense": 990}[name])
            for rest in ["", "/diagram", "/diagram?format=dot", "/diagram?format=mermaid"]:
                self.assertIn(client.get(f"/api/flows/{name}{rest}").status, [200, 400])
            self.assertEqual(client.get(f"/api/sessions/{name}").status, 200)
        self.assertEqual(client.get("/api/flows").status, 200)

    def test_random_big_charts_do_not_delay_others(self):
        numbers = random.Random(SEED)
        flows = {f"random{number}": random_chart(numbers) for number in range(12)}
        server = self.serve("--time", "virtual", flows=flows)
        client = server.resp()
        client.socket.settimeout(60)
        for name in flows:
            client.must("NEW", name, name)
            for _ in range(60):
                client.ask("SEND", name, f"e{numbers.randrange(8)}")
            for words in [("STATE", name), ("EVENTS", name), ("VIEW", name), ("DESCRIBE", name), ("TIMERS", name), ("ADVANCE", "10s")]:
                client.ask(*words)

    def test_many_events_of_a_parallel_flow_do_not_delay_others(self):
        def region(number):
            return {"initial": "s0", "states": {f"s{state}": {"on": {f"r{number}": f"s{(state + 1) % 10}"}} for state in range(10)}}
        flow = {"type": "parallel", "states": {f"region{number}": region(number) for number in range(30)}}
        server = self.serve(flows={"wide": flow})
        client = server.resp()
        client.socket.settimeout(60)
        client.must("NEW", "wide", "wide")
        numbers = random.Random(SEED)
        for _ in range(140):
            client.many([("SEND", "wide", f"r{numbers.randrange(30)}") for _ in range(500)])
        self.assertNotIn("too many states", str(client.ask("STATE", "wide")))


def random_chart(numbers, states=1_500):
    """States within states, some of them parallel, with guards that compute, and transitions to anywhere."""
    places, rest = [], iter(range(1, states))

    def state(path):
        made = {"id": "i" + "-".join(path)} if path else {}
        places.append(made)
        names = [f"s{number}" for number, _ in zip(rest, range(numbers.randrange(2, 8)))] if len(path) < 9 else []
        if names:
            made.update({"type": "parallel"} if numbers.random() < 0.3 else {"initial": names[0]})
            made["states"] = {name: state([*path, name]) for name in names}
        return made

    def target():
        return "#" + numbers.choice(places[1:])["id"]

    chart = state([])
    for place in places:
        place["on"] = {f"e{numbers.randrange(8)}": [
            {"guard": f"rounds % {numbers.randrange(2, 9)} == 0", "target": target(), "actions": {"assign": {"rounds": "rounds + 1"}}},
            {"target": target()}] for _ in range(numbers.randrange(3))}
        place["entry"] = {"assign": {"rounds": "rounds + 1"}}
        if numbers.random() < 0.3 and "id" in place:
            place["after"] = {f"{numbers.randrange(1, 9_000)}ms": target()}
            place["always"] = [{"guard": f"rounds % {numbers.randrange(7, 99)} == 0", "target": target(),
                                "actions": {"assign": {"rounds": "rounds + 1"}}}]
    return {"context": {"rounds": 0}, "events": {f"e{number}": {} for number in range(8)}, **chart}


class Bodies(Waits):
    def test_hostile_bodies_and_requests_do_not_delay_others(self):
        server = self.serve("--session", "room=turns")
        client = server.client()
        place = "/api/sessions/room/events"
        bodies = [b"[" * 60_000, b"{\"a\":" * 10_000, b"\"" + b"\\u0000" * 10_000 + b"\"", b"1" * 60_000, b" " * 60_000,
                  json.dumps({"event": "pass", "payload": {f"n{number}": number for number in range(5_000)}}).encode(),
                  json.dumps({"event": "x" * 60_000}).encode(), json.dumps({"event": "pass", "payload": [[0] * 10] * 2_000}).encode(),
                  *(b'{"event":"pass","payload":[' + piece * (2_000_000 // len(piece)) + b"1]}" for piece in [b"1,", b"1e-300,", b'{"a":1},'])]
        for body in bodies:
            self.assertLess(client.ask("POST", place, body).status, 500)
        head = f"POST {place} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
        for chunks in ["0x2\r\n{}\r\n0\r\n\r\n", "2\n{}\n0\n\n", "1\r\n{\r\n" * 20_000 + "0\r\n\r\n"]:
            server.raw((head + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunks).encode(), 2)
        server.raw((head + "".join(f"X-{number}: y\r\n" for number in range(10_000)) + "\r\n").encode(), 2)
        line = server.resp()
        for text in [b"*1\r\n$" + b"9" * 60_000, b"*1000000\r\n" + b"$1\r\na\r\n" * 100_000, b"PING " * 100_000 + b"\r\n"]:
            try:
                line.socket.sendall(text)
                line.socket.settimeout(1)
                line.socket.recv(1 << 16)
            except (OSError, TimeoutError):
                pass
            line = server.resp()

    def test_bodies_that_are_too_long_do_not_delay_others(self):
        server = self.serve("--session", "room=turns")
        client = server.client()
        begun = client.post("/api/sandboxes", {"flow": "turns"}).json["id"]
        body = b'{"token":[' + b"1," * ((1 << 20) - 10) + b"1]}"
        for path in ["/login", "/logout", "/api/sandboxes", f"/api/sandboxes/{begun}/events", "/api/sessions",
                     "/api/sessions/room/events", "/api/sessions/room/pause", "/api/config"]:
            for _ in range(3):
                self.assertIn(client.post(path, body).status, [403, 413])


class Payloads(Waits):
    PIECES = ["1,", "[1],", '{"a":1},', '"a",', '"\\u00e9",', '"日本語",', "0.12345678901234567,", "1.7e308,", "1e-300,", "null,",
              '{"a":{"a":{"a":[[[]]]}}},', "\n                ", '"some text that is longer than others",']

    def texts(self, before, after=""):
        """Lists of about a megabyte."""
        for piece in self.PIECES:
            yield f"{before}[{piece * (((1 << 20) - 40) // len(piece.encode()))}1]{after}".encode()

    def test_payloads_of_the_maximum_length_do_not_delay_others(self):
        server = self.serve("--session", "room=game", "--time", "virtual")
        client = server.resp()
        for text in self.texts('{"episode":', "}"):
            for _ in range(3):
                self.assertIn("BADEVENT", str(client.ask("SEND", "room", "chooseEpisode", text)))

    def test_payloads_of_the_maximum_length_for_a_flow_file_do_not_delay_others(self):
        number = {"type": "integer"}
        read = {"any": "a", "field": {"target": "a", "guard": "event.v == nil"}, "value": {"target": "a", "guard": "#event.value > 0"}}
        server = self.serve("--time", "virtual", flows={
            "declared": {"events": {"one": {"payload": {"a": number}}, "two": {"payload": {"a": number, "b": number}}},
                         "initial": "a", "states": {"a": {"on": {"one": "a", "two": "a"}}}},
            "free": {"initial": "a", "states": {"a": {"on": read}}}})
        client = server.resp()
        client.must("NEW", "declared", "declared")
        client.must("NEW", "free", "free")
        for before, after in [("", ""), ('{"a":', "}"), ('{"v":', ',"a":1,"b":2}')]:
            for text in self.texts(before, after):
                found = [str(client.ask("SEND", "declared", event, text)) for event in ["one", "two"]]
                self.assertEqual(["BADEVENT" in reply for reply in found], [not after.startswith(",")] * 2, (found, text[:40]))
                for event in read:
                    client.ask("SEND", "free", event, text)

    def test_long_JSON_of_NEW_and_FORCE_does_not_delay_others(self):
        server = self.serve("--time", "virtual", flows={"free": {"context": {"n": 0}, "initial": "a", "states": {"a": {}}}})
        client = server.resp()
        client.must("NEW", "room", "free")
        for text in self.texts('{"n":', "}"):
            self.assertIn("BADEVENT", str(client.ask("FORCE", "room", "a", text)))
            self.assertIn("BADEVENT", str(client.ask("NEW", "other", "free", b'{"context":' + text + b"}")))


if __name__ == "__main__":
    run_tests()
