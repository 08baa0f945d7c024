"""The cost of 10,000 sessions in a browser, by its own tracing, as JSON: speed.py GAMED [OUT.json]

The first paint, and the main thread's longest task while a thousand sessions change a second; people do not notice up to 100 ms."""
import json
import sys
import threading
import time

import support
from support import Browser, Daemon, RESPClient, use_program

SESSIONS, CHANGES, SECONDS, LONGEST_MS = 10_000, 1000, 8, 100
PAINT = """new Promise(resolve => new PerformanceObserver(list => resolve(Math.max(...list.getEntries().map(e => e.startTime))))
    .observe({ type: 'paint', buffered: true }))"""


def begin(line):
    for first in range(0, SESSIONS, 500):
        line.many([["NEW", f"room-{number}", "turns"] for number in range(first, first + 500)])


class Changes(threading.Thread):
    """Changes `rate` sessions a second, ten at a time, until it is ended."""

    def __init__(self, path, rate=CHANGES, command=lambda number: ["SEND", f"room-{number * 7919 % SESSIONS}", "pass"]):
        super().__init__(daemon=True)
        self.line, self.rate, self.command, self.count, self.ends = RESPClient(path), rate, command, 0, threading.Event()

    def run(self):
        begun = time.monotonic()
        while not self.ends.wait(max(0.0, begun + self.count / self.rate - time.monotonic())):
            self.line.many([self.command(self.count + each) for each in range(10)])
            self.count += 10


def measured(server, browser):
    tab = browser.tab("about:blank", width=1280, height=900)
    begun = time.monotonic()
    tab.go(f"http://127.0.0.1:{server.port}/")
    paint = tab.js(PAINT)
    tab.wait(f"document.querySelector('.virtual')?.ariaRowCount === '{SESSIONS + 1}'", 30)
    whole = time.monotonic() - begun
    tab.js("setTimeout(() => location.reload(), 100) && 0")
    loading = tab.trace(4)
    changes = Changes(server.socket_path)
    changes.start()
    tab.pause(1)
    before, then = changes.count, time.monotonic()
    tasks = tab.trace(SECONDS)
    rate = (changes.count - before) / (time.monotonic() - then)
    changes.ends.set()
    changes.join()
    wall, thread = tasks[0][0], max(own for _, own in tasks)
    return {"sessions": SESSIONS, "changes_per_s": round(rate), "first_paint_ms": round(paint), "all_rows_ms": round(whole * 1000),
            "longest_task_loading_ms": round(loading[0][0], 1),
            "longest_task_ms": round(wall, 1), "longest_task_cpu_ms": round(thread, 1), "busy_percent": round(sum(wall for wall, _ in tasks) / SECONDS / 10, 1),
            "rows_in_the_page": tab.js("document.querySelectorAll('.virtual .row').length"), "complaints": tab.errors, "at_most_ms": LONGEST_MS}


def main():
    use_program(sys.argv[1])
    with Daemon("--durability", "none", environment=support.PAGE, unprobed="it is measured without other clients") as server, Browser() as browser:
        line = server.resp()
        begin(line)
        found = measured(server, browser)
    text = json.dumps(found, indent=2)
    print(text)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w") as file:
            file.write(text + "\n")
    sys.exit(0 if found["longest_task_ms"] <= LONGEST_MS and not found["complaints"] else 1)


if __name__ == "__main__":
    main()
