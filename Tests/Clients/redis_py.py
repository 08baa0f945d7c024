"""redis-py, unmodified, against a gamed that runs in virtual time with a session `room` of the flow `turns`."""

import asyncio
import json
import os
import sys

import redis
import redis.asyncio

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Support", "Python"))

from waiting import SECONDS  # noqa: E402

path = sys.argv[1]


def synchronous():
    client = redis.Redis(unix_socket_path=path, decode_responses=True)
    assert client.ping()
    assert client.execute_command("STATE", "room")["state"] == "first"
    assert client.execute_command("SEND", "room", "pass") == "second"
    timers = client.execute_command("TIMERS", "room")
    assert timers[0]["name"] == "turn" and timers[0]["remaining_ms"] == 30000, timers
    with client.pipeline(transaction=False) as pipe:
        for _ in range(100):
            pipe.execute_command("SEND", "room", "pass")
        assert pipe.execute()[-1] == "second"
    try:
        client.execute_command("SEND", "room", "jump")
        raise AssertionError("an unknown event was taken")
    except redis.ResponseError as error:
        assert str(error) == "BADEVENT 'turns' has no event 'jump'; available: pass", error


def transactional():
    client = redis.Redis(unix_socket_path=path, decode_responses=True)
    with client.pipeline() as pipe:
        for _ in range(100):
            pipe.execute_command("SEND", "room", "pass")
        pipe.execute_command("STATE", "room")
        replies = pipe.execute()
    assert replies[:2] == ["first", "second"] and len(replies) == 101, replies
    with client.pipeline() as pipe:
        pipe.execute_command("SEND", "room", "jump").execute_command("SEND", "room", "pass")
        replies = pipe.execute(raise_on_error=False)
        assert isinstance(replies[0], redis.ResponseError) and replies[1] == "first", replies
        pipe.execute_command("SEND", "room").execute_command("SEND", "room", "pass")
        try:
            pipe.execute()
            raise AssertionError("a pipeline with a mistake was carried out")
        except redis.ResponseError as error:
            assert "wrong number of arguments" in str(error), error
    assert client.execute_command("STATE", "room")["version"] == 202
    client.execute_command("SEND", "room", "pass")


def published():
    client = redis.Redis(unix_socket_path=path, decode_responses=True)
    with client.pubsub() as listener:
        listener.subscribe("session:room")
        assert listener.get_message(timeout=SECONDS)["type"] == "subscribe"
        client.execute_command("ADVANCE", "30s")
        message = json.loads(listener.get_message(timeout=SECONDS)["data"])
        assert (message["source"], message["timer"], message["to"]) == ("timer", "turn", "first"), message


def viewed():
    client = redis.Redis(unix_socket_path=path, decode_responses=True)
    with client.pubsub() as listener:
        listener.subscribe("view:room", "view:nowhere")
        assert [listener.get_message(timeout=SECONDS)["type"] for _ in range(2)] == ["subscribe", "subscribe"]
        first = json.loads(listener.get_message(timeout=SECONDS)["data"])
        assert first["session"] == "room" and first["timers"][0]["name"] == "turn", first
        assert listener.get_message(timeout=SECONDS)["data"] == "null"
        with client.pipeline() as pipe:
            pipe.execute_command("SEND", "room", "pass").execute_command("SEND", "room", "pass").execute()
        second = json.loads(listener.get_message(timeout=SECONDS)["data"])
        assert second["version"] == first["version"] + 2, second
        listener.psubscribe("view:*")
        assert listener.get_message(timeout=SECONDS)["type"] == "psubscribe"
        assert json.loads(listener.get_message(timeout=SECONDS)["data"]) | {"at_ms": 0} == second | {"at_ms": 0}


async def asynchronous():
    client = redis.asyncio.Redis(unix_socket_path=path, decode_responses=True, protocol=3)
    async with client.pubsub() as listener:
        await listener.psubscribe("session:*")
        assert (await listener.get_message(timeout=SECONDS))["type"] == "psubscribe"
        assert await client.execute_command("SEND", "room", "pass") == "second"
        message = await listener.get_message(timeout=SECONDS)
        assert message["channel"] == "session:room", message
    state = await client.execute_command("STATE", "room")
    assert state["paused"] is False and state["version"] == 207, state
    await client.aclose()


synchronous()
transactional()
published()
viewed()
asyncio.run(asynchronous())
print("redis-py", redis.__version__, "is content")
