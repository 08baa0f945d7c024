#!/usr/bin/env python3
"""A quiz question with 30 s to answer, with Redis and your own code: what many venues write instead of gamed.

usage: question.py PORT worker
       question.py PORT NAME ask|answer|pause|resume|state
       question.py PORT NAME extend SECONDS

README.md beside this file lists what is missing, compared with the same flow in gamed."""

import sys
import time

import redis

# All scripts see one session and the clock of the Redis server. Scripts are atomic, so events and timeouts cannot race.
BEGIN = """
local key, name = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state, deadline, left = unpack(redis.call('HMGET', key, 'state', 'deadline', 'left'))
local function run(milliseconds)
  redis.call('HSET', key, 'state', 'asking', 'deadline', now + milliseconds, 'left', '')
  redis.call('ZADD', 'deadlines', now + milliseconds, name)
end
local function enter(next)
  redis.call('HSET', key, 'state', next, 'deadline', '', 'left', '')
  redis.call('ZREM', 'deadlines', name)
  redis.call('PUBLISH', 'question:' .. name, next)
  return next
end
local function remaining() return tonumber(left) or tonumber(deadline) - now end
local function refuse(event) return redis.error_reply('NOTRANSITION ' .. event .. ' is not valid in ' .. tostring(state)) end
"""
EVENTS = {
    "ask": "run(30000); redis.call('PUBLISH', 'question:' .. name, 'asking'); return 'asking'",
    "answer": "if state ~= 'asking' or left ~= '' then return refuse('answer') end; return enter('answered')",
    "pause": """
        if state ~= 'asking' or left ~= '' then return refuse('pause') end
        redis.call('HSET', key, 'left', deadline - now, 'deadline', '')
        redis.call('ZREM', 'deadlines', name)
        return 'paused'""",
    "resume": "if state ~= 'asking' or left == '' then return refuse('resume') end; run(tonumber(left)); return 'asking'",
    "extend": """
        if state ~= 'asking' then return refuse('extend') end
        local length = remaining() + ARGV[2] * 1000
        if left ~= '' then redis.call('HSET', key, 'left', length) else run(length) end
        return length""",
    "state": "if state ~= 'asking' then return {state or 'none'} end; return {state, remaining()}",
    # The deadline may have been moved since the worker read it.
    "timeout": "if state ~= 'asking' or left ~= '' or tonumber(deadline) > now then return 'early' end; return enter('timedOut')",
}


def send(server, name, event, *arguments):
    return server.eval(BEGIN + EVENTS[event], 1, "question:" + name, name, *arguments)


def work(server, interval=0.1):
    """Ends questions whose time is up. Several workers may run; each timeout happens once. Returns never."""
    while True:
        seconds, microseconds = server.time()
        now = seconds * 1000 + microseconds // 1000
        for name in server.zrangebyscore("deadlines", "-inf", now, start=0, num=100):
            send(server, name, "timeout")
        time.sleep(interval)


def main(words):
    if len(words) < 2:
        sys.exit(__doc__)
    server = redis.Redis(port=int(words[0]), decode_responses=True)
    try:
        if words[1] == "worker":
            work(server)
        elif len(words) > 2 and words[2] in EVENTS and len(words) == (4 if words[2] == "extend" else 3):
            print(send(server, words[1], words[2], *words[3:]))
        else:
            sys.exit(__doc__)
    except redis.ResponseError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
