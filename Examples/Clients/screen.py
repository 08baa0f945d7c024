#!/usr/bin/env python3
"""The screen of one session, in a terminal: python3 screen.py SESSION [redis-py's URL]

It draws what gamed shows it, counts the clocks down by itself, sends the lines that are typed (an event, and what it carries), and never
asks: each change brings the whole view. Whatever happens meanwhile (a pause, more time, a drop, a restart of gamed), it stays right.
"""
import json, select, sys, time
import redis


class Screen:
    def __init__(self, session, url="unix:///run/gamed/gamed.sock"):
        self.client = redis.Redis.from_url(url, decode_responses=True)
        self.session, self.view, self.came, self.note = session, None, 0.0, "connecting"
        self.views = self.client.pubsub(ignore_subscribe_messages=True)

    def look(self, seconds):
        """Waits so long for news; true if there are some."""
        try:
            if not self.views.subscribed: self.views.subscribe("view:" + self.session)
            message = self.views.get_message(timeout=seconds)
        except redis.ConnectionError as error:  # redis-py subscribes again with the next call
            self.view, self.note = None, str(error)
            return time.sleep(seconds)
        if message: self.view, self.came, self.note = json.loads(message["data"]), time.monotonic(), ""
        return message is not None

    def remaining(self, timer):
        """What is left of a timer now, in seconds."""
        passed = 0 if timer["paused"] else time.monotonic() - self.came
        return max(0, timer["remaining_ms"] / 1000 - passed)

    def send(self, event, *payload):
        """Sends an event that is meant for what is on the screen; a second tap on the same button is refused as stale."""
        seen = f"{self.view['life']}:{self.view['version']}"
        try: return self.client.execute_command("SEND", self.session, event, *payload, "IF", seen)
        except redis.RedisError as error: self.note = str(error)

    def draw(self):
        if not self.view: return f"{self.session}: {self.note or 'there is no such session'}"
        clocks = " ".join(f"{t['name']} {self.remaining(t):.0f}s{' (paused)' * t['paused']}" for t in self.view["timers"])
        actions = " ".join(a["event"] + (f"({a['payload']['name']})" if a["payload"] else "") for a in self.view["actions"])
        return f"{self.view['title']} {self.view['text']} [{clocks}] {actions} {self.note}"


if __name__ == "__main__":
    screen = Screen(*sys.argv[1:])
    while True:
        screen.look(0.1)
        print("\r\x1b[K" + screen.draw(), end="", flush=True)
        if select.select([sys.stdin], [], [], 0)[0]:
            words = sys.stdin.readline().strip().split(maxsplit=1)
            if words and screen.view: screen.send(*words)
