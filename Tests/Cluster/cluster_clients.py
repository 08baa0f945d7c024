"""Clients of Redis Cluster, unmodified, against nodes of gamed over a private PostgreSQL: they find the sessions, and go on after a node was
killed and another was stopped.

cluster_clients.py GAMED DATABASE-URI
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid

import redis
import redis.asyncio
from redis.backoff import ConstantBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import RedisClusterException
from redis.retry import Retry

from nodes import start
from support import PAGE_FLOWS, SECONDS, Daemon, init_store, program_beside, use_program, wait_until

DATABASE = sys.argv[2]
SESSIONS = 40
names = [f"room-{number}" for number in range(SESSIONS)]
# The states of the flow `calm`, and what follows when a turn is passed.
NEXT = {"first": "second", "second": "first"}


class Node(Daemon):
    def __init__(self):
        super().__init__("--listen", "127.0.0.1:0", "--trust-loopback", "--flows", PAGE_FLOWS, store=DATABASE, http="none", is_open=False)

    def ask(self, *words):
        return redis.Redis(port=self.tcp_port, decode_responses=True).execute_command(*words)


def eventually(holds, what):
    """Waits, although nodes may refuse meanwhile, or tell a client different things of the cluster."""
    wait_until(holds, what, every=0.05, ignoring=(redis.RedisError, RedisClusterException, OSError, KeyError))


def shared_by(nodes):
    """Whether all slots are served by these nodes, in fair parts, and all of them know."""
    addresses = {f"127.0.0.1:{node.tcp_port}" for node in nodes}
    for node in nodes:
        status = dict(pairs(node.ask("CLUSTER", "STATUS")))
        counts = {entry["address"]: entry["shards"] for entry in map(dict, map(pairs, status["nodes"]))}
        if set(counts) != addresses or status["loading"] or status["unowned"]:
            return False
        if max(counts.values()) - min(counts.values()) > 1:
            return False
    return True


def steady(nodes, step):
    """Takes a step once more if a node stood still on a busy machine and lost its lease: requests are refused until others have its shards."""
    known = incarnations(nodes)
    try:
        return step()
    except Exception as error:
        if not re.search("CLUSTERDOWN|ClusterDownError", repr(error)) and incarnations(nodes) == known:
            raise
        print(f"once more: {error!r}", file=sys.stderr, flush=True)
    eventually(lambda: shared_by(nodes), "the nodes share the shards again")
    return step()


def incarnations(nodes):
    """A node that has lost its lease has another one."""
    found = [map(dict, map(pairs, dict(pairs(node.ask("CLUSTER", "STATUS")))["nodes"])) for node in nodes]
    return [next(entry["incarnation"] for entry in entries if entry["myself"]) for entries in found]


def pairs(reply):
    return reply.items() if isinstance(reply, dict) else zip(reply[::2], reply[1::2])


def patient(nodes, **options):
    return RedisCluster(
        startup_nodes=[ClusterNode("127.0.0.1", node.tcp_port) for node in nodes], decode_responses=True,
        retry=Retry(ConstantBackoff(0.1), 200), socket_timeout=5, **options)


def text(reply):
    """redis-py reads some replies into its own shapes."""
    return reply.decode() if isinstance(reply, bytes) else reply


def topology(nodes):
    """What the nodes say of the cluster agrees with itself."""
    node = nodes[0]
    covered = sorted(node.ask("CLUSTER", "SLOTS"))
    assert covered[0][0] == 0 and covered[-1][1] == 16383, covered
    assert sum(last - first + 1 for first, last, _ in covered) == 16384, covered
    assert {primary[1] for _, _, primary in covered} == {node.tcp_port for node in nodes}, covered
    listed = [line.split() for line in text(node.ask("CLUSTER", "NODES")).splitlines()]
    assert len(listed) == len(nodes) and sum("myself" in words[2] for words in listed) == 1, listed
    assert text(node.ask("CLUSTER", "MYID")) in {words[0] for words in listed}
    info = text(node.ask("CLUSTER", "INFO"))
    assert "cluster_state:ok" in info and "cluster_slots_assigned:16384" in info, info
    assert len(node.ask("CLUSTER", "SHARDS")) == len(nodes)
    assert node.ask("INFO", "cluster")["cluster_enabled"] == 1
    hello = redis.Redis(port=node.tcp_port, protocol=3, decode_responses=True).execute_command("HELLO", "3")
    assert hello["mode"] == "cluster", hello
    keyslot = node.ask("CLUSTER", "KEYSLOT", "{room-7}:left")
    assert keyslot == node.ask("CLUSTER", "KEYSLOT", "room-7")


def begin(client):
    for name in names:
        assert client.execute_command("NEW", name, "calm") == "first"
    assert client.execute_command("SEND", names[0], "pass") == "second"
    assert client.execute_command("STATE", names[0])["version"] == 1


def repeated(client):
    """redis-py repeats by itself after some errors, but not after UNKNOWN; an event with an id can be sent again."""
    error = redis._parsers.base.BaseParser.parse_error("UNKNOWN it may or may not have been done")
    assert type(error) is redis.ResponseError and type(error) not in RedisCluster.ERRORS_ALLOW_RETRY
    before, id = client.execute_command("STATE", names[2]), uuid.uuid4().hex[:8]
    said = {client.execute_command("SEND", names[2], "pass", "ID", id) for _ in range(3)}
    assert said == {NEXT[before["state"]]} and client.execute_command("STATE", names[2])["version"] == before["version"] + 1, said


def moved(nodes):
    """A client that knows no cluster is sent to the owner."""
    answers = [answer(node, "STATE", names[0]) for node in nodes]
    sent = [text for text in answers if isinstance(text, str)]
    assert len(sent) == len(nodes) - 1, answers
    slot = nodes[0].ask("CLUSTER", "KEYSLOT", names[0])
    owner = next(node for node, text in zip(nodes, answers) if not isinstance(text, str))
    assert all(text == f"MOVED {slot} 127.0.0.1:{owner.tcp_port}" for text in sent), sent
    for words in [("SUBSCRIBE", f"session:{names[0]}"), ("SSUBSCRIBE", f"view:{{{names[0]}}}"), ("WATCH", names[0])]:
        other = next(node for node in nodes if node is not owner)
        assert answer(other, *words).startswith("MOVED"), words
    assert "CROSSSLOT" in answer(owner, "SSUBSCRIBE", "session:{a}", "session:{b}")
    return owner


def answer(node, *words):
    """The reply, or the text of the error, as it went over the wire."""
    connection = redis.connection.Connection(port=node.tcp_port, decode_responses=True, protocol=2)
    connection.connect()
    try:
        connection.send_command(*words)
        return connection.read_response()
    except redis.exceptions.MovedError as error:
        return f"MOVED {error.slot_id} {error.host}:{error.port}"
    except redis.exceptions.ClusterCrossSlotError as error:
        return f"CROSSSLOT {error}"
    except redis.ResponseError as error:
        return f"{type(error).__name__} {error}"
    finally:
        connection.disconnect()


def transactions(nodes, owner):
    """MULTI takes sessions of one slot that are here."""
    connection = redis.connection.Connection(port=owner.tcp_port, decode_responses=True, protocol=2)
    connection.connect()

    def say(*words):
        connection.send_command(*words)
        try:
            return connection.read_response()
        except redis.ResponseError as error:
            return f"{type(error).__name__} {error}"

    elsewhere = next(name for name in names if isinstance(answer(owner, "STATE", name), str))
    assert say("MULTI") == "OK"
    assert say("STATE", elsewhere).startswith("MovedError")
    assert say("EXEC").startswith("ExecAbortError"), "EXEC after MOVED"
    here = next(name for name in names[1:] if not isinstance(answer(owner, "STATE", name), str))
    assert say("MULTI") == "OK"
    assert say("SEND", names[0], "pass") == "QUEUED"
    assert say("SEND", here, "pass").startswith("ClusterCrossSlotError"), "two slots in MULTI"
    assert say("EXEC").startswith("ExecAbortError")
    state = dict(pairs(say("STATE", names[0])))["state"]
    assert say("MULTI") == "OK"
    assert say("SEND", names[0], "pass") == "QUEUED"
    assert say("EXEC") == [NEXT[state]]
    connection.disconnect()


def listening(client):
    """A sharded channel of a session, by a client that finds its node itself: the view first, then what happens."""
    listener = client.pubsub()
    listener.ssubscribe(f"session:{{{names[1]}}}", f"view:{{{names[1]}}}")
    seen = []

    def has(kind, word):
        message = listener.get_sharded_message(timeout=1)
        if message:
            seen.append((message["type"], message["channel"], str(message["data"])))
        return any(entry[0] == kind and word in entry[2] for entry in seen)

    eventually(lambda: has("smessage", '"state":"first"'), "the view comes first")
    client.execute_command("SEND", names[1], "pass")
    eventually(lambda: has("smessage", '"what":"taken"'), "what happens is told")
    listener.close()


async def asynchronous(nodes):
    client = redis.asyncio.RedisCluster(
        startup_nodes=[redis.asyncio.cluster.ClusterNode("127.0.0.1", node.tcp_port) for node in nodes], decode_responses=True)
    # A client that has not seen the cluster yet sends commands that redis-py does not know anywhere.
    await client.initialize()
    states = await asyncio.gather(*(client.execute_command("STATE", name) for name in names))
    assert len(states) == SESSIONS and all(state["flow"] == "calm" for state in states)
    await client.aclose()


def run(*words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def other_clients(nodes):
    ports = [str(node.tcp_port) for node in nodes]
    for name in names[:8]:
        said = run("redis-cli", "-c", "-p", ports[0], "STATE", name)
        assert "calm" in said, said
    # Sessions whose names have the tag that the program puts in: a slot of each node.
    said = run("redis-benchmark", "--cluster", "-p", ports[0], "-n", "600", "-c", "6", "-r", "100000000", "-q",
               "NEW", "bench:{tag}:__rand_int__", "calm")
    assert "requests per second" in said and "Error" not in said, said
    counted = sum(node.ask("INFO", "sessions")["sessions"] for node in nodes)
    assert counted > SESSIONS + 500, counted


def control(nodes):
    """gamectl follows, and asks all."""
    gamectl = program_beside("gamectl")
    for node in nodes:
        said = run(gamectl, "--connect", f"127.0.0.1:{node.tcp_port}", "state", names[0])
        assert "calm" in said, said
        listed = run(gamectl, "--connect", f"127.0.0.1:{node.tcp_port}", "sessions", "--match", "room-*").split()
        assert sorted(listed) == sorted(names), listed
    first = json.loads(run(gamectl, "--json", "--socket", nodes[0].socket_path, "next", "--count", "1000"))
    assert {entry["session"] for entry in first} >= {names[0], names[1]}, first
    shown = run(gamectl, "--socket", nodes[0].socket_path, "cluster")
    assert all(f"127.0.0.1:{node.tcp_port}" in shown for node in nodes), shown


def watching(nodes):
    """A watch tells of the sessions of all nodes."""
    gamectl = program_beside("gamectl")
    watcher = subprocess.Popen(
        [gamectl, "--socket", nodes[0].socket_path, "watch", "room-*"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    os.set_blocking(watcher.stdout.fileno(), False)
    client, told = patient(nodes), set()

    def all_told():
        for name in names[:10]:
            client.execute_command("SEND", name, "pass")
        for line in (watcher.stdout.read() or b"").decode().splitlines():
            told.add(line.split()[0])
        return told >= set(names[:10])

    try:
        eventually(all_told, "watch tells of the sessions of all nodes")
    finally:
        watcher.kill()
        watcher.wait()


def failover(client, nodes, victim, how):
    """Every session answers again, with what was acknowledged."""
    versions = {name: client.execute_command("STATE", name)["version"] for name in names}
    told = watch_leaving(victim) if how == signal.SIGTERM else None
    victim.stop(how)
    rest = [node for node in nodes if node is not victim]
    if told:
        told()

    def goes_on(name):
        state = client.execute_command("SEND", name, "pass")
        assert client.execute_command("STATE", name)["version"] > versions[name], name
        return state in NEXT

    for name in names:
        eventually(lambda: goes_on(name), f"{name} goes on")
    eventually(lambda: shared_by(rest), "the others have all of it")
    return rest


def watch_leaving(victim):
    """A subscriber at a node that is stopped is told that its session has gone."""
    name = next(name for name in names if not isinstance(answer(victim, "STATE", name), str))
    connection = redis.connection.Connection(port=victim.tcp_port, decode_responses=True, protocol=2, socket_timeout=SECONDS)
    connection.connect()
    for words in [("SSUBSCRIBE", f"session:{{{name}}}"), ("SUBSCRIBE", f"session:{name}")]:
        connection.send_command(*words)
        assert connection.read_response()[0] == words[0].lower()

    def told():
        words = set()
        while len(words) < 2:
            message = connection.read_response()
            if "unsubscribe" in message[0]:
                words.add(message[0])
        assert words == {"unsubscribe", "sunsubscribe"}
        connection.disconnect()

    return told


def main():
    use_program(sys.argv[1])
    nodes = []
    began = time.monotonic()

    def step(what):
        print(f"{time.monotonic() - began:5.1f} s  {what}", flush=True)

    try:
        init_store(DATABASE)
        nodes += [Node() for _ in range(3)]
        start(nodes)
        eventually(lambda: shared_by(nodes), "three nodes share the shards")
        step("three nodes")
        topology(nodes)
        client = patient(nodes)
        begin(client)
        steady(nodes, lambda: repeated(client))
        steady(nodes, lambda: transactions(nodes, moved(nodes)))
        step("moved")
        listening(client)
        asyncio.run(asynchronous(nodes))
        step("redis-py")
        other_clients(nodes)
        step("redis-cli and redis-benchmark")
        steady(nodes, lambda: control(nodes))
        if "--without-watch" not in sys.argv:
            watching(nodes)
        step("gamectl")
        rest = failover(client, nodes, nodes[1], signal.SIGTERM)
        step("one is stopped")
        failover(client, rest, rest[-1], signal.SIGKILL)
        step("one is killed")
        asyncio.run(asynchronous(rest[:1]))
        step("done")
    except BaseException:
        for node in nodes:
            print(f"--- {node.last_lines(200)}", file=sys.stderr)
        raise
    finally:
        for node in nodes:
            node.remove()


main()
