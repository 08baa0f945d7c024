"""Access control: logins, tokens, foreign pages, and the headers of every response: safety.py GAMED"""

import hashlib
import os
import stat
import unittest

from support import Daemon, Stream, run_tests, wait_until

TOKEN = "a-token-that-nobody-guesses"
# The policy of JSON: it loads nothing, and cannot be framed.
DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; "
          "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")


class Case(unittest.TestCase):
    def serve(self, *words, **more):
        server = Daemon("--session", "room=turns", *words, **{"is_open": False, **more})
        self.addCleanup(server.remove)
        return server.start()

    def with_token(self, *words, tokens=TOKEN, **more):
        server = Daemon("--session", "room=turns", *words, **{"is_open": False, **more})
        self.addCleanup(server.remove)
        self.token_file = os.path.join(server.folder, "token")
        self.write_token(tokens)
        server.words += ["--token-file", self.token_file]
        return server.start()

    def write_token(self, text):
        with open(self.token_file, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(text + "\n")

    @staticmethod
    def path_of(link):
        return "/login" + link.split("/login", 1)[1]


class Logins(Case):
    def test_a_client_without_a_login_gets_only_health_checks_and_the_login(self):
        client = self.serve().client()
        for path in ["/api/sessions", "/api/sessions/room", "/api/info", "/api/stream?topic=status", "/metrics", "/api/config"]:
            found = client.get(path)
            self.assertEqual((found.status, found.code, found.headers["WWW-Authenticate"]), (401, "NOAUTH", "Bearer"), path)
        for path, body in [("/api/sessions/room/events", {"event": "pass"}), ("/api/sessions", {}), ("/api/reload", {})]:
            self.assertEqual(client.post(path, body).status, 401, path)
        self.assertEqual(client.delete("/api/sessions/room").status, 401)
        for path in ["/", "/s/room", "/k/room", "/m/room", "/f/turns", "/s/%3Cscript%3E"]:
            found = client.get(path)
            self.assertEqual(found.status, 303, path)
            self.assertTrue(found.headers["Location"].startswith("/login?to=/"), found.headers["Location"])
        for path in ["/healthz", "/readyz", "/login", "/api/openapi.json"]:
            self.assertEqual(client.get(path).status, 200, path)

    def test_the_printed_link_logs_a_browser_in_once(self):
        server = self.serve()
        client, path = server.client(), self.path_of(server.link)
        self.assertEqual(client.ask("HEAD", path).status // 100, 3)
        found = client.get(path)
        self.assertEqual((found.status, found.headers["Location"]), (303, "/"))
        cookie = found.headers["Set-Cookie"]
        self.assertEqual({part.strip().split("=")[0] for part in cookie.split(";")}, {f"gamed-{server.port}", "Max-Age", "Path", "HttpOnly", "SameSite"})
        self.assertIn("SameSite=Strict", cookie)
        again = client.get(path)
        self.assertEqual((again.status, again.cookie), (303, None))
        self.assertIn("/login", again.headers["Location"])
        client.cookie = found.cookie
        self.assertEqual(client.get("/api/sessions").status, 200)
        self.assertEqual(client.get("/api/sessions", headers={"Cookie": f"a=b; gamed-{server.port}={client.cookie}; c=d"}).status, 200)
        for wrong in ["", "x", client.cookie[:-1], client.cookie.upper() + " ", "0" * 64, client.cookie + "0"]:
            self.assertEqual(server.client(cookie=wrong).get("/api/sessions").status, 401, wrong)

    def test_logins_at_two_daemons_of_one_machine_do_not_replace_each_other(self):
        servers, jar = [self.serve(), self.serve()], {}
        for server in servers:
            # A browser has one set of cookies for all ports of a host.
            name, _, rest = server.client().get(self.path_of(server.link)).headers["Set-Cookie"].partition("=")
            jar[name] = rest.partition(";")[0]
        browsers = [server.client(headers={"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}) for server in servers]
        self.assertEqual([browser.get("/api/sessions").status for browser in browsers], [200, 200])
        self.assertEqual(browsers[0].post("/logout").headers["Set-Cookie"].partition("=")[0], f"gamed-{servers[0].port}")
        self.assertEqual([browser.get("/api/sessions").status for browser in browsers], [401, 200])

    def test_logout_ends_the_login_and_its_streams(self):
        server = self.serve()
        client = server.logged_in()
        stream = Stream(server.port, ["status"], cookie=client.cookie)
        self.assertTrue(stream.next("hello").data["login"], "the page offers a logout")
        stream.next("status")
        self.assertIn(f"{client.cookie}; Max-Age=31536000", stream.head, "the login is kept for another year")
        found = client.post("/logout")
        self.assertEqual((found.status, found.cookie), (204, ""))
        self.assert_ends(stream)
        self.assertEqual(client.get("/api/sessions").status, 401)
        self.assertEqual(server.client().post("/logout").status, 204)

    def test_logins_survive_a_restart_in_a_file_that_other_users_cannot_read(self):
        server = self.serve()
        client = server.logged_in()
        out = server.client(cookie=client.cookie)
        server.restart()
        self.assertEqual(server.client(cookie=client.cookie).get("/api/sessions").status, 200)
        place = os.path.join(server.data, "logins")
        self.assertEqual(stat.S_IMODE(os.stat(place).st_mode), 0o600)
        out.post("/logout")
        server.restart()
        self.assertEqual(server.client(cookie=client.cookie).get("/api/sessions").status, 401)
        with open(place, "wb") as file:
            file.write(b"link \xff\xfe\n" + b"x" * 100_000)
        server.restart()
        self.assertEqual(server.logged_in().get("/api/sessions").status, 200)

    def test_the_token_logs_a_browser_in_and_authenticates_requests_as_a_bearer(self):
        server = self.with_token()
        client = server.client()
        for wrong in [TOKEN[:-1], TOKEN + "x", "", TOKEN.upper()]:
            found = client.post("/login", {"token": wrong})
            self.assertEqual((found.status, found.code, found.cookie), (401, "WRONGPASS", None))
            found = client.get("/api/sessions", headers={"Authorization": f"Bearer {wrong}"})
            is_known = "unknown token" not in found.json["message"]
            self.assertEqual((found.status, found.code, is_known), (401, "WRONGPASS", False) if wrong else (401, "NOAUTH", True))
        found = client.get("/api/sessions", headers={"Authorization": f"Basic {TOKEN}"})
        self.assertEqual((found.status, found.code), (401, "NOAUTH"))
        self.assertIn("Authorization: Bearer TOKEN", found.json["message"])
        found = client.get("/api/sessions", headers={"Cookie": f"gamed-{server.port}=nobody"})
        self.assertIn("log in again", found.json["message"])
        for scheme in ["Bearer", "bearer", "BEARER", "Bearer "]:
            self.assertEqual(client.get("/api/sessions", headers={"Authorization": f"{scheme} {TOKEN}"}).status, 200, scheme)
        found = client.post("/login", {"token": TOKEN})
        self.assertEqual(found.status, 204)
        self.assertIn("HttpOnly", found.headers["Set-Cookie"])
        client.cookie = found.cookie
        self.assertEqual(client.get("/api/config").status, 200)
        # Actions are recorded with their actor, and never with the secret.
        client.send("room", "pass")
        self.assertNotIn(TOKEN, client.get("/api/sessions/room/history").body.decode() + server.errors)
        self.assertNotIn(client.cookie, server.errors)

    def test_a_reload_of_a_new_token_ends_the_logins_and_streams_of_the_old_one(self):
        server = self.with_token()
        client, page = server.client(), server.logged_in()
        client.cookie = client.post("/login", {"token": TOKEN}).cookie
        streams = [Stream(server.port, ["status"], cookie=known.cookie) for known in (client, page)]
        for stream in streams:
            stream.next("status")
        self.write_token("another-one-just-as-long")
        server.reload()
        wait_until(lambda: client.get("/api/sessions").status == 401, "the old token's login has ended")
        self.assertEqual(client.get("/api/sessions", headers={"Authorization": f"Bearer {TOKEN}"}).status, 401)
        self.assertEqual(page.get("/api/sessions").status, 200)
        self.assert_ends(streams[0])
        streams[1].next("status")
        streams[1].close()

    def assert_ends(self, stream):
        with self.assertRaises((EOFError, ConnectionError), msg="the stream of a login that has ended goes on"):
            while stream.poll():
                pass    # what was sent before
            for _ in range(4):
                stream.next("status")
        stream.close()

    def test_an_open_page_needs_no_login_and_gives_no_right_of_a_master(self):
        server = self.serve(is_open=True)
        client = server.client()
        self.assertNotIn("once=", server.link)
        self.assertEqual(client.get("/api/sessions").status, 200)
        self.assertEqual(client.send("room", "pass").status, 200)
        for path, body in [("/api/backup", {"file": "/tmp/no"}), ("/api/config", {"name": "log", "value": "debug"}),
                           ("/api/sessions/room/events", {"event": "pass", "source": "orchestrator"})]:
            self.assertEqual((client.post(path, body).status, client.post(path, body).code), (403, "NOPERM"), path)
        self.assertIn("to send events as 'orchestrator': the role is guest; required: orchestrator", client.post(path, body).json["message"])

    def test_operations_that_are_open_to_all_clients_check_no_token(self):
        server = self.with_token("--http-open-metrics")
        client = server.client(headers={"Authorization": "Bearer a-token-that-was-revoked"})
        for _ in range(4):
            for path in ["/healthz", "/readyz", "/metrics", "/api/openapi.json", "/login", "/page/app.js"]:
                self.assertEqual(client.get(path).status, 200, path)
        found = client.get("/api/sessions")
        self.assertEqual((found.status, found.code), (401, "WRONGPASS"), "the first wrong token that counts")

    def test_metrics_need_no_login_if_they_are_open(self):
        self.assertEqual(self.serve("--http-open-metrics").client().get("/metrics").status, 200)


class Origins(Case):
    def test_a_request_with_a_host_name_that_is_not_the_machines_is_refused(self):
        server = self.serve("--http-name", "venue.example", is_open=True)
        port = server.port
        for host in ["localhost", f"localhost:{port}", "LOCALHOST", "127.0.0.1", f"127.0.0.1:{port}", "[::1]", f"[::1]:{port}",
                     "venue.example", f"Venue.Example:{port}"]:
            self.assertEqual(server.client().get("/api/sessions", headers={"Host": host}).status, 200, host)
        for host in ["evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "", "localhost:x",
                     "venue.example.evil.example", "evil.example\\@localhost", "localhost@evil.example", "[::1", "localhost, evil.example"]:
            found = server.client().get("/api/sessions", headers={"Host": host})
            self.assertIn(found.status, [400, 403, 421], host)
            self.assertNotIn(b"room", found.body)
        found = server.raw(b"GET /healthz HTTP/1.0\r\n\r\n")
        self.assertTrue(b" 403 " in found and b"the header Host is missing" in found, found)

    def ask(self, server, line, *headers):
        """The answer to a request whose first line and headers are written out; its status is a number."""
        text = "\r\n".join([f"{line} HTTP/1.1", *headers, "Connection: close", "", ""])
        found = server.raw(text.encode(), 5)
        return int(found.split()[1]), found

    def test_a_target_in_the_absolute_form_is_accepted_if_its_host_is_the_machines(self):
        server = self.serve("--http-name", "venue.example", is_open=True)
        own = f"127.0.0.1:{server.port}"
        for host in [own, "localhost", "LOCALHOST:80", "[::1]", "venue.example", f"Venue.Example:{server.port}"]:
            for named in ["localhost", "evil.example"]:
                status, found = self.ask(server, f"GET http://{host}/api/sessions?count=1", f"Host: {named}")
                self.assertEqual((status, b'"room"' in found), (200, True), (host, named))
        self.assertEqual(self.ask(server, "GET HTTPS://localhost/api/clock", "Host: localhost")[0], 200)
        self.assertEqual(self.ask(server, "GET http://localhost", "Host: localhost")[0], 200, "the page")
        for host in ["evil.example", f"evil.example:{server.port}", "localhost.evil.example", "localhost@evil.example",
                     "evil.example@localhost", ""]:
            status, found = self.ask(server, f"GET http://{host}/api/sessions", "Host: localhost")
            self.assertEqual((status, b'"room"' in found), (403, False), host)
        pause = f"POST http://{own}/api/sessions/room/pause"
        for origin, wanted in [(f"http://{own}", 200), ("http://localhost", 403), ("http://evil.example", 403)]:
            status = self.ask(server, pause, "Host: localhost", f"Origin: {origin}", "Content-Length: 0")[0]
            self.assertEqual(status, wanted, origin)
        found = self.ask(self.serve(), "GET http://localhost/s/room", "Host: localhost")[1]
        self.assertIn(b"\r\nLocation: /login?to=/s/room\r\n", found)

    def test_a_target_that_is_no_path_is_not_found(self):
        server = self.serve(is_open=True)
        for line in ["OPTIONS *", "GET x", "GET ftp://localhost/", "GET http:/api/clock", "CONNECT localhost:80"]:
            status, found = self.ask(server, line, "Host: localhost")
            self.assertEqual((status, b'"NOPAGE"' in found), (404, True), (line, found))

    def test_a_request_from_a_page_of_another_origin_is_refused(self):
        server = self.serve(is_open=True)
        client, own = server.client(), f"127.0.0.1:{server.port}"
        refused = [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": f"http://{own}.evil.example"}, {"Origin": f"ftp://{own}"},
                   {"Origin": f"http://127.0.0.1:{server.port + 1}"}, {"Origin": "http://127.0.0.1"}, {"Origin": ""},
                   {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}]
        for headers in refused:
            for method, path, body in [("POST", "/api/sessions/room/events", {"event": "pass"}), ("DELETE", "/api/sessions/room", None),
                                       ("POST", "/login", {"token": "x"}), ("POST", "/logout", {})]:
                self.assertEqual(client.ask(method, path, body, headers=headers).status, 403, (headers, method, path))
        self.assertIn("a reverse proxy must keep the header Host", client.post("/logout", headers={"Origin": "https://venue.example"}).json["message"])
        for headers in [{"Origin": f"http://{own}"}, {"Origin": f"http://{own}", "Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}]:
            self.assertEqual(client.post("/api/sessions/room/events", {"event": "pass"}, headers=headers).status, 200, headers)

    def test_no_response_allows_another_origin(self):
        client = self.serve(is_open=True).client()
        for method in ["GET", "OPTIONS"]:
            found = client.ask(method, "/api/sessions", headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"})
            self.assertEqual([name for name in found.headers if name.lower().startswith("access-control")], [])


class Scopes(Case):
    def test_the_status_for_a_token_with_some_sessions_has_no_counts_of_all_sessions(self):
        digest = hashlib.sha256(TOKEN.encode()).hexdigest()
        server = self.with_token(tokens=f"some read sessions=ro* sha256={digest}\nall read sha256={digest}")
        for name, wanted in [("some", set()), ("all", {"sessions", "aside"})]:
            cookie = server.client().post("/login", {"token": f"{name}.{TOKEN}"}).cookie
            stream = Stream(server.port, ["status"], cookie=cookie)
            self.addCleanup(stream.close)
            self.assertEqual({"sessions", "aside"} & set(stream.next("status").data), wanted, name)

    def test_a_stream_that_reconnects_with_a_token_for_other_sessions_gets_all_rows(self):
        digest = hashlib.sha256(TOKEN.encode()).hexdigest()
        tokens = f"some read sessions=ro* sha256={digest}\nall read sha256={digest}"
        server = self.with_token("--session", "hall=turns", tokens=tokens)
        cookies = {name: server.client().post("/login", {"token": f"{name}.{TOKEN}"}).cookie for name in ["some", "all"]}

        def open_stream(name, since=None):
            stream = Stream(server.port, ["sessions", "history:room"], since=since, cookie=cookies[name])
            self.addCleanup(stream.close)
            return stream

        # With a stream that stays open, changes of the table are kept.
        open_stream("all").next("rows")
        for first, second, names in [("some", "all", {"room", "hall"}), ("all", "some", {"room"})]:
            stream = open_stream(first)
            stream.next("lines")
            stream.next("rows")
            again = open_stream(second, since=stream.last_id)
            self.assertEqual(again.next().kind, "hello")
            # The history continues: the client has its lines.
            event = again.next()
            self.assertEqual((event.kind, event.data["whole"]), ("rows", True), second)
            self.assertEqual({row["name"] for row in event.data["rows"]}, names, second)


class Headers(Case):
    def test_every_response_has_the_headers_that_restrict_a_browser(self):
        server = self.with_token()
        known = [server.logged_in(), server.client()]
        stream = Stream(server.port, ["status"], cookie=known[0].cookie)
        self.assertTrue(stream.head.startswith("HTTP/1.1 200 ") and POLICY in stream.head, stream.head)
        stream.close()
        for client in known:
            for method, path in [("GET", "/"), ("GET", "/login"), ("GET", "/page/none.js"), ("GET", "/api/sessions"), ("GET", "/api/none"),
                                 ("PUT", "/api/sessions"), ("POST", "/login"), ("POST", "/logout"), ("GET", "/healthz"), ("GET", "/%zz"),
                                 ("GET", "/api/flows/turns/diagram"), ("OPTIONS", "/"), ("GET", "/login?once=x")]:
                found = client.ask(method, path, {} if method == "POST" else None)
                with self.subTest(f"{method} {path} {found.status}"):
                    self.assert_safe(found.headers)
            found = client.get("/api/sessions", headers={"Host": "evil.example"})
            self.assert_safe(found.headers)

    def assert_safe(self, headers):
        is_data = headers.get("Content-Type") == "application/json"
        self.assertEqual(headers.get_all("Content-Security-Policy"), [DATA_POLICY if is_data else POLICY])
        self.assertNotIn("unsafe", headers["Content-Security-Policy"])
        self.assertEqual((headers["X-Content-Type-Options"], headers["Cross-Origin-Resource-Policy"]), ("nosniff", "same-origin"))
        if not is_data:
            self.assertEqual((headers["X-Frame-Options"], headers["Referrer-Policy"], headers["Cross-Origin-Opener-Policy"]),
                             ("DENY", "no-referrer", "same-origin"))

    def test_a_redirect_never_leads_to_another_host(self):
        client = self.serve().client()
        for path in ["//evil.example/", "/s/%0d%0aSet-Cookie:%20x=y", "/s/%2f%2fevil.example", "/\\evil.example"]:
            found = client.get(path)
            place = found.headers.get("Location", "/")
            self.assertTrue(place.startswith("/") and not place.startswith("//"), place)
            self.assertEqual((found.headers.get("Set-Cookie"), "\n" in place), (None, False))


if __name__ == "__main__":
    run_tests()
