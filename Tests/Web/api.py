"""Every operation of the page's API, and its errors: api.py GAMED"""

import os
import re
import unittest

from support import hosting_everything, run_tests, wait_until


# A successful request for each operation in OpenAPI: the path, the body, and commands before it (RESP words).
OPERATIONS = {
    "get /api/sessions": ("/api/sessions?match=r*&flow=turns&count=5", None, []),
    "post /api/sessions": ("/api/sessions", {"name": "new", "flow": "turns"}, []),
    "get /api/sessions/{name}": ("/api/sessions/room", None, []),
    "delete /api/sessions/{name}": ("/api/sessions/gone", None, [("NEW", "gone", "turns")]),
    "get /api/sessions/{name}/history": ("/api/sessions/room/history?count=3", None, []),
    "get /api/sessions/{name}/events": ("/api/sessions/room/events", None, []),
    "get /api/sessions/{name}/timers": ("/api/sessions/room/timers", None, []),
    "post /api/sessions/{name}/events": ("/api/sessions/room/events", {"event": "pass"}, []),
    "post /api/sessions/{name}/withdraw": ("/api/sessions/boot/withdraw", {"id": 1}, [("SEND", "boot", "deepLink", "/a")]),
    "post /api/sessions/{name}/pause": ("/api/sessions/room/pause", {}, []),
    "post /api/sessions/{name}/resume": ("/api/sessions/held/resume", {}, [("NEW", "held", "turns"), ("PAUSE", "held")]),
    "post /api/sessions/{name}/extend": ("/api/sessions/room/extend", {"timer": "turn", "by": "10s"}, []),
    "post /api/sessions/{name}/force": ("/api/sessions/main/force", {"state": "choosingEpisode"}, []),
    "post /api/sessions/{name}/restart": ("/api/sessions/room/restart", {}, []),
    "post /api/sessions/{name}/undo": ("/api/sessions/undone/undo", {}, [("NEW", "undone", "turns"), "undone"]),
    "post /api/sandboxes": ("/api/sandboxes", {"flow": "turns"}, []),
    "get /api/sandboxes/{id}": ("/api/sandboxes/ID", None, []),
    "delete /api/sandboxes/{id}": ("/api/sandboxes/ID", None, []),
    "post /api/sandboxes/{id}/events": ("/api/sandboxes/ID/events", {"event": "pass"}, []),
    "post /api/sandboxes/{id}/time": ("/api/sandboxes/ID/time", {"at_ms": 1000}, []),
    "post /api/sandboxes/{id}/pause": ("/api/sandboxes/ID/pause", {}, []),
    "post /api/sandboxes/{id}/resume": ("/api/sandboxes/ID/resume", {}, []),
    "post /api/sandboxes/{id}/extend": ("/api/sandboxes/ID/extend", {"timer": "turn", "by": "10s"}, []),
    "post /api/sandboxes/{id}/force": ("/api/sandboxes/ID/force", {"state": "second"}, []),
    "post /api/sandboxes/{id}/restart": ("/api/sandboxes/ID/restart", {}, []),
    "get /api/flows": ("/api/flows", None, []),
    "get /api/flows/{flow}": ("/api/flows/game", None, []),
    "get /api/flows/{flow}/diagram": ("/api/flows/game/diagram?format=dot", None, []),
    "get /api/flows/{flow}/graph": ("/api/flows/game/graph", None, []),
    "get /api/next": ("/api/next?count=2", None, []),
    "get /api/clock": ("/api/clock", None, []),
    "post /api/clock/advance": ("/api/clock/advance", {"by": "10ms"}, []),
    "get /api/devices": ("/api/devices", None, []),
    "post /api/devices/{device}/connect": ("/api/devices/keypad/connect", {}, []),
    "post /api/devices/{device}/disconnect": ("/api/devices/scale/disconnect", {}, []),
    "post /api/devices/{device}/notify": ("/api/devices/turn-button/notify", {"what": "pressed"}, []),
    "post /api/devices/{device}/advertise": ("/api/devices/welcome-beacon/advertise", {}, []),
    "get /api/info": ("/api/info?section=server", None, []),
    "get /api/config": ("/api/config?match=log*", None, []),
    "post /api/config": ("/api/config", {"name": "log", "value": "debug"}, []),
    "post /api/reload": ("/api/reload", {"dry": True}, []),
    "get /api/cluster": ("/api/cluster", None, []),
    "get /api/openapi.json": ("/api/openapi.json", None, []),
    "get /healthz": ("/healthz", None, []),
    "get /readyz": ("/readyz", None, []),
    "get /metrics": ("/metrics", None, []),
}
# Tested elsewhere: logins in safety.py, the stream in stream.py, a backup below. A session that is set aside needs a damaged file.
ELSEWHERE = {"get /login", "post /login", "post /logout", "get /api/stream", "post /api/backup", "post /api/sessions/{name}/retry"}

# Requests with their expected status and code.
ERRORS = [
    (404, "NOSESSION", "GET", "/api/sessions/nobody", None),
    (404, "NOSESSION", "DELETE", "/api/sessions/nobody", None),
    (404, "NOSESSION", "POST", "/api/sessions/nobody/events", {"event": "pass"}),
    (404, "NOSESSION", "POST", "/api/sessions/nobody/pause", {}),
    (404, "NOSESSION", "GET", "/api/sessions/nobody/history", None),
    (404, "NOFLOW", "POST", "/api/sessions", {"name": "x", "flow": "chess"}),
    (404, "NOFLOW", "GET", "/api/flows/chess", None),
    (404, "NOFLOW", "GET", "/api/flows/chess/diagram", None),
    (404, "NOFLOW", "GET", "/api/flows/chess/graph", None),
    (404, "NOFLOW", "POST", "/api/sandboxes", {"flow": "chess"}),
    (404, "NOSESSION", "POST", "/api/sessions/nobody/undo", {}),
    (409, "EXISTS", "POST", "/api/sessions/room/undo", {}),
    (404, "NOTIMER", "POST", "/api/sessions/room/extend", {"timer": "nap", "by": "1s"}),
    (404, "NODEVICE", "POST", "/api/devices/toaster/connect", {}),
    (404, "NOPAGE", "GET", "/api/nothing", None),
    (404, "NOPAGE", "GET", "/api/sessions/room/events/pass", None),
    (405, "NOMETHOD", "PUT", "/api/sessions/room", {"state": "first"}),
    (405, "NOMETHOD", "POST", "/api/flows", {}),
    (405, "NOMETHOD", "OPTIONS", "/api/sessions", None),
    (409, "NOTRANSITION", "POST", "/api/sessions/main/events", {"event": "chooseLevel", "payload": 1}),
    (409, "STALE", "POST", "/api/sessions/room/events", {"event": "pass", "if": 4711}),
    (409, "STALE", "POST", "/api/sessions/room/events", {"event": "pass", "if": "99:0"}),
    (409, "EXISTS", "POST", "/api/sessions", {"name": "room", "flow": "turns"}),
    (409, "NOTCONNECTED", "POST", "/api/devices/keypad/notify", {"what": "0x0021", "value": "0101"}),
    (400, "BADEVENT", "POST", "/api/sessions/room/events", {"event": "jump"}),
    (400, "BADEVENT", "POST", "/api/sessions/room/events", {"event": ""}),
    (400, "BADEVENT", "POST", "/api/sessions/room/events", {"event": "pass", "payload": 1}),
    (413, "TOOLARGE", "POST", "/login", {"token": "x" * 4_096}),
    (400, "BADNAME", "POST", "/api/sessions", {"name": "", "flow": "turns"}),
    (429, "LIMIT", "POST", "/api/sessions", {"name": "x" * 256, "flow": "turns"}),
    (400, "ERR", "POST", "/api/sessions/room/events", {"event": "pass", "if": "soon"}),
    (400, "ERR", "POST", "/api/sessions/room/events", {"event": "pass", "if": -1}),
    (400, "ERR", "POST", "/api/sessions/room/events", {"event": "pass", "If": 1}),
    (400, "ERR", "POST", "/api/sessions/room/events", {"event": 7}),
    (400, "ERR", "POST", "/api/sessions/room/events", {}),
    (400, "ERR", "POST", "/api/sessions/room/events", {"event": "pass", "source": "timer"}),
    (400, "ERR", "POST", "/api/sessions/room/extend", {"timer": "turn", "by": "long"}),
    (400, "ERR", "GET", "/api/sessions?cursor=x", None),
    (400, "ERR", "GET", "/api/sessions?count=0", None),
    (400, "ERR", "GET", "/api/sessions?colour=red", None),
    (400, "ERR", "GET", "/api/sessions/room/history?count=-1", None),
    (400, "ERR", "GET", "/api/flows/game/diagram?format=gif", None),
    (400, "ERR", "GET", "/api/info?section=xx", None),
    (400, "ERR", "GET", "/api/sessions/%zz", None),
    (400, "ERR", "GET", "/api/sessions/%ff", None),
    (400, "ERR", "GET", "/api/stream", None),
    (400, "ERR", "GET", "/api/stream?topic=weather", None),
    (429, "LIMIT", "GET", "/api/stream?" + "&".join(f"topic=session:{n}" for n in range(17)), None),
]

# The longest bodies, in bytes, as docs/API.md has them.
BODY_LIMITS = {
    "/login": 4 << 10, "/logout": 4 << 10, "/api/config": 64 << 10, "/api/sessions/room/pause": 64 << 10,
    "/api/devices/turn-button/notify": 64 << 10, "/api/sandboxes": 192 << 10, "/api/sandboxes/ID/events": 192 << 10,
    "/api/sessions": 1_088 << 10, "/api/sessions/room/events": 1_088 << 10, "/api/sessions/room/force": 1_088 << 10,
    "/api/sessions/room/restart": 1_088 << 10,
}


class Operations(unittest.TestCase):
    def setUp(self):
        self.server = hosting_everything()
        self.addCleanup(self.server.remove)
        self.client = self.server.logged_in()
        self.addCleanup(self.client.close)

    def test_each_operation_of_the_API_answers_with_the_status_and_type_that_its_description_names(self):
        paths = self.client.get("/api/openapi.json").json["paths"]
        listed = {f"{method} {path}": operation for path, known in paths.items() for method, operation in known.items()}
        self.assertEqual(set(listed) - ELSEWHERE, set(OPERATIONS))
        for key, operation in listed.items():
            if key in ELSEWHERE:
                continue
            path, body, before = OPERATIONS[key]
            for words in before:
                if words == "undone":
                    self.client.delete("/api/sessions/undone")
                else:
                    self.server.resp().ask(*words)
            if "/ID" in path:
                path = path.replace("ID", self.client.post("/api/sandboxes", {"flow": "turns"}).json["id"])
            found = self.client.ask(key.split()[0].upper(), path, body)
            with self.subTest(key):
                status = next(status for status in operation["responses"] if status < "300")
                self.assertEqual(str(found.status), status, found)
                kinds = list(operation["responses"][status].get("content", [None]))
                self.assertIn((found.headers["Content-Type"] or "").split(";")[0] or None, kinds)

    def test_each_error_of_the_API_has_its_code_one_status_and_a_message(self):
        statuses = {}
        for status, code, method, path, body in ERRORS:
            found = self.client.ask(method, path, body)
            with self.subTest(f"{method} {path} {body}"):
                self.assertEqual((found.status, found.code), (status, code), found)
                facts = {"accepted", "timer"} if path.endswith("/events") and code in {"NOTRANSITION", "BADEVENT", "STALE"} else set()
                self.assertEqual(set(found.json), {"error", "message"} | facts)
                self.assertGreater(len(found.json["message"]), 8)
                self.assertEqual(found.headers["Content-Type"], "application/json")
                self.assertEqual(statuses.setdefault(code, status), status)
        self.assertEqual(self.client.get("/api/sessions/room").json["version"], 0)
        self.assert_documented(statuses)

    def assert_documented(self, statuses):
        """The description lists the codes of each status; each code has one status."""
        for path, known in self.client.get("/api/openapi.json").json["paths"].items():
            for method, operation in known.items():
                listed = {}
                for status, response in operation["responses"].items():
                    for code in re.findall(r"\b[A-Z]{3,}\b", response["description"] if status >= "400" else ""):
                        self.assertEqual(listed.setdefault(code, int(status)), int(status), f"{method} {path}")
                self.assertEqual({code: listed.get(code) for code in statuses}, statuses, f"{method} {path}")

    def test_the_response_to_a_wrong_method_lists_the_allowed_ones(self):
        self.assertEqual(self.client.ask("PUT", "/api/sessions/room", {}).headers["Allow"], "GET, DELETE")

    def test_HEAD_is_answered_like_GET_without_the_body(self):
        for path in ["/api/sessions", "/", "/healthz", "/api/nothing", "/api/stream?topic=status"]:
            text = f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: gamed-{self.server.port}={self.client.cookie}\r\n\r\n"
            head, _, rest = self.server.raw(text.encode()).partition(b"\r\n\r\n")
            with self.subTest(path):
                self.assertIn(b"HTTP/1.1 ", head)
                self.assertEqual(rest, b"")

    def test_a_body_without_the_type_of_JSON_is_refused(self):
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None]:
            found = self.client.post("/api/sessions/room/events", {"event": "pass"}, headers={"Content-Type": kind})
            self.assertEqual((found.status, found.code), (415, "NOJSON"), found)

    def test_the_statistics_have_sections_and_the_error_for_an_unknown_one_names_them(self):
        names = list(self.client.get("/api/info").json)
        self.assertEqual(list(self.client.get("/api/info?section=all").json), names)
        self.assertEqual(set(self.client.get("/api/info?section=server&section=time").json), {"server", "time"})
        message = self.client.get("/api/info?section=xx").json["message"]
        for name in names:
            self.assertEqual(list(self.client.get(f"/api/info?section={name}").json), [name])
            self.assertIn(name, message)

    def test_the_type_of_JSON_may_have_capitals_blanks_and_parameters(self):
        for kind in ["Application/JSON", "application/json;charset=utf-8", "application/json; charset=utf-8",
                     "Application/JSON ; charset=utf-8", "application/json\t;charset=utf-8", " application/json "]:
            found = self.client.post("/api/sessions/room/events", {"event": "pass"}, headers={"Content-Type": kind})
            self.assertEqual(found.status, 200, (kind, found))
        for kind in ["application/jsonx", "application/json x", "application / json", ";", "text/plain; application/json"]:
            found = self.client.post("/api/sessions/room/events", {"event": "pass"}, headers={"Content-Type": kind})
            self.assertEqual((found.status, found.code), (415, "NOJSON"), (kind, found))

    def test_a_body_longer_than_its_operation_accepts_is_refused_before_it_is_parsed(self):
        for path, most in BODY_LIMITS.items():
            for count, status, code in [(most, 400, "ERR"), (most + 1, 413, "TOOLARGE")]:
                found = self.client.post(path, b"[" * count)
                with self.subTest(f"{path} {count}"):
                    self.assertEqual((found.status, found.code), (status, code), found)
        self.assertIn("at most 4096 bytes, not 5000", self.client.post("/login", b"x" * 5_000).json["message"])
        self.assertEqual(self.client.get("/api/clock").status, 200, "logged in, on the same connection")
        found = self.server.client().post("/api/sandboxes", b"[" * (1 << 20))
        self.assertEqual((found.status, found.code), (401, "NOAUTH"), "rights come first")

    def test_the_body_of_an_event_may_have_the_limit_of_payloads_and_64_KiB(self):
        self.client.post("/api/config", {"name": "payload-bytes", "value": "100"})
        for count, status in [(100, 400), (101, 429), (60_000, 429), (66_000, 413)]:
            found = self.client.send("main", "startPlaying", "x" * (count - 2))
            self.assertEqual(found.status, status, (count, found))

    def test_a_backup_over_HTTP_writes_a_file(self):
        path = os.path.join(self.server.folder, "copy")
        self.assertEqual(self.client.post("/api/backup", {"file": path}).status, 200)
        wait_until(lambda: os.path.exists(path), "the backup is written")
        wait_until(lambda: self.backup_state() == ("done", ""), "the statistics show that it is done")

    def backup_state(self):
        found = self.client.get("/api/info?section=persistence").json["persistence"]
        return found["backup_status"], found["backup_error"]

    def test_a_backup_whose_file_cannot_be_created_is_an_error_and_the_statistics_show_it(self):
        self.assertEqual(self.backup_state(), ("none", ""))
        path = os.path.join(self.server.folder, "missing", "copy")
        found = self.client.post("/api/backup", {"file": path})
        self.assertEqual((found.status, found.code), (500, "BACKUP"), found)
        self.assertIn(path, found.json["message"])
        self.assertEqual(self.backup_state(), ("failed", found.json["message"]))

    def test_a_list_of_sessions_continues_from_its_cursor(self):
        self.server.resp().many([("NEW", f"s{n}", "turns") for n in range(250)])
        names, cursor = [], "0"
        while True:
            page = self.client.get(f"/api/sessions?match=s*&count=40&cursor={cursor}").json
            names += [row["name"] for row in page["sessions"]]
            cursor = page["cursor"]
            if cursor == "0":
                break
        self.assertEqual(sorted(names), sorted(f"s{n}" for n in range(250)))

    def test_a_list_of_sessions_accepts_each_cursor_that_a_command_accepts(self):
        cursor = 9223372036854775807
        self.assertEqual(self.server.resp().ask("SESSIONS", str(cursor)), ["0", []])
        found = self.client.get(f"/api/sessions?cursor={cursor}&count={cursor}")
        self.assertEqual((found.status, found.json), (200, {"sessions": [], "cursor": "0"}))
        self.assertEqual(self.client.get(f"/api/sessions?cursor={cursor + 1}").code, "ERR")


if __name__ == "__main__":
    run_tests()
