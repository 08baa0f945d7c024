"""Drives Debian's chromium over its DevTools protocol, with Python's standard library alone.

    with Browser() as browser:
        tab = browser.tab("http://127.0.0.1:7650/")
        tab.wait("document.querySelector('h1')")
        tab.click("button.primary")
        tab.screenshot("overview.png")
"""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

from waiting import SECONDS, wait_until
from websocket import WebSocket


class PageError(Exception):
    """An error of the browser or of the page's script."""


class Browser:
    """A headless chromium with a temporary profile."""

    def __init__(self, *options, program=None):
        self.profile = tempfile.mkdtemp(prefix="gamed-page-")
        # The shell draws no windows, which is most of a headless chromium's work.
        program = program or next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), "chromium")
        self.process = subprocess.Popen(
            [program, "--headless", *(["--no-sandbox"] if os.geteuid() == 0 else []), "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--force-color-profile=srgb", "--disable-extensions", "--remote-debugging-port=0", f"--user-data-dir={self.profile}", *options,
             "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.socket = WebSocket(self._address())
        self.count, self.answers, self.tabs = 0, {}, {}

    def _address(self):
        """The address of its DevTools, which it writes into a file."""
        def lines():
            with open(os.path.join(self.profile, "DevToolsActivePort")) as file:
                return file.read().split("\n")

        port, path = wait_until(lambda: len(lines()) >= 2 and lines()[:2], "chromium starts", ignoring=FileNotFoundError)
        return f"ws://127.0.0.1:{port}{path}"

    def send(self, method, session=None, **parameters):
        """Sends a request, and returns its number."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        self.socket.send(json.dumps(message))
        return self.count

    def call(self, method, session=None, **parameters):
        number = self.send(method, session, **parameters)
        end = time.monotonic() + 30
        while number not in self.answers:
            if time.monotonic() > end:
                raise PageError(f"{method} is not answered")
            self.pump(1)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise PageError(f"{method}: {answer['error'].get('message')}")
        return answer.get("result", {})

    def pump(self, timeout):
        """Receives one message of the browser, or none if none arrives in time."""
        text = self.socket.receive(timeout)
        if text is None:
            return False
        message = json.loads(text)
        if "id" in message:
            self.answers[message["id"]] = message
        elif message.get("sessionId") in self.tabs:
            self.tabs[message["sessionId"]].happened(message["method"], message["params"])
        return True

    def tab(self, url="about:blank", width=1024, height=768, before="", **looks):
        """A tab in a window of its own. `before` is a script that runs before the page's."""
        target = self.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = self.tabs[session] = Tab(self, target, session)
        for domain in ("Page", "Runtime", "Log"):
            tab.call(domain + ".enable")
        tab.size(width, height)
        if looks:
            tab.look(**looks)
        if before:
            tab.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        if url != "about:blank":
            tab.go(url)
        return tab

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            pass
        try:
            # Its helper processes may still write into the profile.
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


KEYS = {"Enter": ("Enter", 13, "\r"), "Tab": ("Tab", 9, ""), "Escape": ("Escape", 27, ""), " ": ("Space", 32, " "), "Backspace": ("Backspace", 8, ""),
        "ArrowUp": ("ArrowUp", 38, ""), "ArrowDown": ("ArrowDown", 40, ""), "ArrowLeft": ("ArrowLeft", 37, ""), "ArrowRight": ("ArrowRight", 39, ""),
        "Home": ("Home", 36, ""), "End": ("End", 35, ""), "PageUp": ("PageUp", 33, ""), "PageDown": ("PageDown", 34, "")}


class Tab:
    """One page, with its content, input, and errors (`errors`)."""

    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session
        self.errors, self.traced, self.trace_ended = [], [], False

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def happened(self, method, data):
        if method == "Runtime.exceptionThrown":
            details = data["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in data["args"]))
        elif method == "Log.entryAdded" and data["entry"]["level"] == "error":
            self.errors.append(data["entry"]["text"] + " " + data["entry"].get("url", ""))
        elif method == "Page.javascriptDialogOpening":
            self.errors.append("a dialog was opened: " + data["message"])
        elif method == "Tracing.dataCollected":
            self.traced += data["value"]
        elif method == "Tracing.tracingComplete":
            self.trace_ended = True

    def go(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def crash(self):
        """Ends the page's process, which does not answer."""
        self.browser.send("Page.crash", self.session)

    def back(self):
        """Goes back as the browser's button does. A script that calls history.back() may be gone before its answer is sent."""
        history = self.call("Page.getNavigationHistory")
        self.call("Page.navigateToHistoryEntry", entryId=history["entries"][history["currentIndex"] - 1]["id"])

    def minimize(self, away=True):
        """Minimizes the tab's window, which hides the page, or shows it again."""
        window = self.browser.call("Browser.getWindowForTarget", targetId=self.target)["windowId"]
        self.browser.call("Browser.setWindowBounds", windowId=window, bounds={"windowState": "minimized" if away else "normal"})

    def js(self, expression):
        """The value of an expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise PageError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait(self, condition, timeout=SECONDS):
        """Waits until the expression is true, and returns its value. The page is sometimes just being replaced."""
        expression = f"(() => {{ const it = ({condition}); return it instanceof Node ? true : it }})()"
        return wait_until(lambda: self.js(expression), condition, timeout, every=0.05, ignoring=PageError)

    def pause(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.browser.pump(left)

    def middle(self, element):
        """The point at which to click an element, given as an expression, once nothing covers it."""
        return self.wait(f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'nearest'}}); const r = e.getBoundingClientRect();"
                         "const x = r.x + r.width / 2, y = r.y + r.height / 2, top = document.elementFromPoint(x, y);"
                         "return top && (e.contains(top) || top.contains(e)) && [x, y] })()")

    def click(self, selector, count=1):
        self.click_on(f"document.querySelector({json.dumps(selector)})", count)

    def click_on(self, element, count=1):
        """Clicks again if the page has moved the element away meanwhile."""
        for _ in range(5):
            x, y = self.middle(element)
            self.js(f"window.hit = false; document.addEventListener('mousedown', (event) => {{ const e = {element};"
                    " window.hit = !!e && (e.contains(event.target) || event.target.contains(e)); }, {capture: true, once: true})")
            for number in range(1, count + 1):
                self.click_at(x, y, number)
            if self.was_hit(): return

    def was_hit(self):
        """Also true once the click has led to another page."""
        try: return self.js("window.hit !== false")
        except PageError: return True

    def click_at(self, x, y, number=1):
        """`number` is 1 for a first click, 2 for the second of a double click."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=number)

    def tap_on(self, element, count=1):
        """Several taps are 100 ms apart, whenever they arrive. Returns once each was a click."""
        x, y = self.middle(element)
        self.js("window.taps ?? document.addEventListener('click', () => { window.taps += 1; }, true); window.taps = 0")
        now = time.time()
        for number in range(count):
            for kind, points, at in [("touchStart", [{"x": x, "y": y}], 0), ("touchEnd", [], 0.02)]:
                self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points, timestamp=now + number / 10 + at)
        self.wait(f"window.taps === {count}")

    def type(self, text):
        self.call("Input.insertText", text=text)

    def key(self, name, modifiers=0, repeats=0):
        """Presses a key: a name of KEYS, or a character. Modifiers: 1 alt, 2 control, 4 meta, 8 shift. A held key repeats."""
        code, number, text = KEYS.get(name, ("", ord(name.upper()) if len(name) == 1 else 0, name))
        common = {"key": name, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        for again in range(1 + repeats):
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", autoRepeat=again > 0, **common,
                      **({"text": text} if text else {}))
            if repeats:
                self.pause(0.05)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def size(self, width, height, touch=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)

    def look(self, dark=False, still=False):
        """Sets dark or light mode, and whether the user prefers reduced motion."""
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}])

    def screenshot(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def accessibility(self):
        """The accessibility tree: (role, name) of each node that is not ignored, in reading order."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(n.get("role", {}).get("value"), n.get("name", {}).get("value", "")) for n in nodes if not n.get("ignored")]

    def trace(self, seconds):
        """The main thread's tasks of the next seconds, longest first: (elapsed ms, ms of thread time)."""
        self.traced, self.trace_ended = [], False
        self.call("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": ["toplevel", "devtools.timeline"]})
        self.pause(seconds)
        self.call("Tracing.end")
        while not self.trace_ended:
            self.browser.pump(5)
        names = {(e["pid"], e["tid"]): e["args"]["name"] for e in self.traced if e.get("name") == "thread_name"}
        tasks = [(e["dur"] / 1000, e.get("tdur", 0) / 1000) for e in self.traced if e.get("name", "").endswith("RunTask") and "dur" in e
                 and names.get((e["pid"], e["tid"])) == "CrRendererMain"]
        return sorted(tasks, reverse=True)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.tabs.pop(self.session, None)
