"""Makes the screenshots of README and the guides: screenshots.py GAMED FOLDER [NAME…]"""
import os
import random
import subprocess
import sys

import support
from support import EXAMPLES, Browser, Daemon, use_program
from speed import Changes

FLOWS = os.path.join(EXAMPLES, "Flows")
DEVICES = os.path.join(EXAMPLES, "devices.json")
# flow, the event that begins it, the timer that runs then, and how many seconds of it may have passed
MIXED = [("turns", "pass", "turn", 25), ("escapeRoom", "letIn", "hour", 3000), ("kiosk", "touch", "idle", 50), ("pomodoro", "start", "phase", 1400),
         ("lobby", "join", "lobby", 500)]


def quiz(client):
    client.post("/api/sessions", {"name": "quiz-main", "flow": "quiz"})
    for event, payload in [("start", None), ("buzz", "red"), ("right", None), ("next", None)]:
        client.send("quiz-main", event, payload)


def escape(client):
    client.post("/api/sessions", {"name": "room-7", "flow": "escapeRoom"})
    for event, payload in [("letIn", None), ("solve", "picture"), ("solve", "dial"), ("askHint", None)]:
        client.send("room-7", event, payload)
    client.post("/api/sessions/room-7/extend", {"timer": "hour", "by": "-18m43s"})


def walk(tab):
    for name in ["Start playing", "Choose episode: 3", "Choose level: 2"]:
        tab.click_on(support.called(name, ".card"))
        tab.wait("!document.querySelector('[aria-busy=true]')")
    for _ in range(2):
        tab.click_on(support.called("+10s"))
        tab.pause(0.3)


def arrange(tab):
    """By name, and one is selected."""
    tab.js(f"(e => {{ e.value = 'name'; e.dispatchEvent(new Event('change')) }})({support.called('Sort by')})")
    tab.wait("document.querySelector('.virtual').ariaRowCount === '10001'", 30)
    for _ in range(3):
        tab.key("ArrowDown")


def crowd(server):
    """10,000 sessions that started at different times, some of them paused."""
    dice, line = random.Random(7), server.resp()
    for first in range(8, 10_006, 500):
        commands = []
        for number in range(first, min(first + 500, 10_006)):
            flow, event, timer, length = MIXED[number * 7919 % len(MIXED)]
            commands += [["NEW", f"room-{number}", flow], ["SEND", f"room-{number}", event]]
            commands += [["EXTEND", f"room-{number}", timer, f"-{dice.randrange(length)}s"]]
            commands += [["PAUSE", f"room-{number}"]] if dice.random() < 0.1 else []
        line.many(commands)
    line.close()


def passes(number):
    """A command of the load: `pass` for sessions of turns, `next` for others, which may refuse it."""
    return ["SEND", f"room-{8 + number * 7919 % 9_998}", "pass" if MIXED[(8 + number * 7919 % 9_998) * 7919 % len(MIXED)][0] == "turns" else "next"]


# name, path, width, height, dark, an element that must be visible
ALONE = [("overview-empty-1024-light", "/", 1024, 720, False, ".empty.first .flow-card svg"), ("login-390-light", "/login", 390, 480, False, "form.login")]
FEW = [("player-390-dark", "/s/quiz-main", 390, 780, True, ".ring"), ("kiosk-1024-light", "/k/quiz-main", 1024, 640, False, ".ring"),
       ("master-1920-dark", "/m/room-7", 1920, 1000, True, ".diagram .lit"), ("sandbox-1024-dark", "/f/game", 1024, 760, True, ".diagram .lit")]
MANY = [("overview-1920-light", "/", 1920, 1000, False, ".virtual .row"), ("overview-390-dark", "/", 390, 780, True, ".virtual .row")]


class Camera:
    def __init__(self, server, browser, folder, wanted):
        self.server, self.browser, self.folder, self.wanted = server, browser, folder, wanted

    def take(self, pictures, wait=1.5):
        for name, path, width, height, dark, sight in pictures:
            if self.wanted and name not in self.wanted:
                continue
            tab = self.browser.tab("about:blank", dark=dark)
            tab.size(width, height, touch=width < 500)
            tab.go(f"http://127.0.0.1:{self.server.port}{path}")
            tab.wait(f"document.querySelector({sight!r})")
            if path == "/f/game":
                walk(tab)
            elif pictures is MANY:
                arrange(tab)
            tab.pause(wait)
            self.save(tab, os.path.join(self.folder, name + ".png"))
            tab.close()

    def save(self, tab, path):
        tab.screenshot(path)
        # A page has few colours: a palette is a third of the size.
        subprocess.run(["pngquant", "--force", "--skip-if-larger", "--ext", ".png", "128", path], check=False)
        print(path, os.path.getsize(path) // 1024, "KB")


def main():
    folder, wanted = sys.argv[2], sys.argv[3:]
    use_program(sys.argv[1])
    os.makedirs(folder, exist_ok=True)
    words = ["--flows", FLOWS, "--bluetooth", DEVICES]
    with Daemon(*words, environment=support.PAGE, unprobed="it only takes pictures") as server, Browser() as browser:
        camera, client = Camera(server, browser, folder, wanted), server.client()
        camera.take(ALONE)
        quiz(client)
        escape(client)
        camera.take(FEW)
        crowd(server)
        changes = Changes(server.socket_path, 200, passes)
        changes.start()
        camera.take(MANY, wait=9)
        changes.ends.set()
        changes.join()


if __name__ == "__main__":
    main()
