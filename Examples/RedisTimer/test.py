#!/usr/bin/env python3
"""Tests question.py against a Redis of its own, in real time: it has no other. The program of Debian's redis-tools is the whole server."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import redis

HERE = os.path.dirname(os.path.abspath(__file__))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def eventually(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


class Question:
    def __init__(self, port):
        self.port = port

    def __call__(self, *words):
        result = subprocess.run(
            [sys.executable, f"{HERE}/question.py", str(self.port), "room", *words], capture_output=True, text=True)
        return result.stdout.strip() or result.stderr.strip()


def start(port, folder):
    words = ["redis-server", "--port", str(port), "--dir", folder, "--appendonly", "yes", "--appendfsync", "always", "--save", ""]
    program = shutil.which("redis-server") or shutil.which("redis-check-rdb")
    process = subprocess.Popen(words, executable=program, stdout=subprocess.DEVNULL)
    server = redis.Redis(port=port, decode_responses=True)

    def answers():
        try:
            return server.ping()
        except redis.ConnectionError:
            return False

    eventually(answers, "Redis answers")
    return process, server


def expect(value, expected):
    if value != expected:
        raise AssertionError(f"{value!r}, and not {expected!r}")


def play(question, server):
    expect(question("ask"), "asking")
    expect(question("answer"), "answered")
    expect(question("answer"), "NOTRANSITION answer is not valid in answered")
    question("ask")
    expect(question("pause"), "paused")
    expect(question("answer"), "NOTRANSITION answer is not valid in asking")
    before = int(server.hget("question:room", "left"))
    expect(question("extend", "-29"), str(before - 29_000))
    heard = server.pubsub()
    heard.subscribe("question:room")
    expect(question("resume"), "asking")
    eventually(lambda: question("state") == "['timedOut']", "the time is up")
    messages = iter(lambda: heard.get_message(timeout=0.3), None)
    expect([message["data"] for message in messages if message["type"] == "message"], ["timedOut"])


def main():
    folder, port = tempfile.mkdtemp(prefix="gamed-redis-"), free_port()
    process, server = start(port, folder)
    workers = [subprocess.Popen([sys.executable, f"{HERE}/question.py", str(port), "worker"]) for _ in range(2)]
    try:
        question = Question(port)
        play(question, server)
        question("ask")
        process.kill()
        process.wait()
        for worker in workers:
            worker.kill()
        process, server = start(port, folder)
        if not question("state").startswith("['asking', "):
            raise AssertionError(f"after a crash: {question('state')}")
        print("ok: the question of Redis and own code")
    finally:
        for program in [process, *workers]:
            program.kill()
            program.wait()
        shutil.rmtree(folder)


main()
