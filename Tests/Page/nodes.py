"""The page over three nodes of a cluster, in a browser and over HTTP: each shows all sessions, and forwards requests to their nodes.

nodes.py GAMED DATABASE-URI [TEST…]
"""
import hashlib
import json
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
import time

import support
from node import DATABASE, Node
from support import Authority, PageTest, Stream, again_if, init_store, program_beside, wait_until

SESSIONS = [f"room-{number}" for number in range(24)]
ROWS = "[...document.querySelectorAll('.virtual .row:not([hidden])')]"
# Records states that are visible for a second only, since a busy browser may be asked too late.
REMEMBER = f"""globalThis.away = {{}};
    new MutationObserver(() => {{
        away.line ||= document.querySelector('.cluster-line:not([hidden])')?.innerText.includes('is away');
        away.row ||= {ROWS}.some(each => each.dataset.kind === 'away');
    }}).observe(document.body, {{ subtree: true, childList: true, attributes: true }})"""


def signed(key, bearer, method, target, body=b"", now=None):
    """The signature of a forwarded request, as a node makes it."""
    now = int(time.time() * 1000) if now is None else now
    digest = lambda text: hashlib.sha256(text.encode()).hexdigest()
    text = "\n".join([key, str(now), bearer, method, target, hashlib.sha256(body).hexdigest()])
    return {"Gamed-Relay": f"{now} {bearer} {digest(key + chr(10) + digest(text))}"}


def new_token(file, *words):
    made = subprocess.run([program_beside("gamectl"), "token", "new", *words, "--file", file], check=True, stdout=subprocess.PIPE, text=True)
    return made.stdout.strip()


def has_lost_a_lease(test, _):
    test.is_again = Node.has_stood_still or test.incarnations != [node.incarnation() for node in test.nodes]
    return test.is_again


# A node that stands still for some 2 s loses its lease, and requests are refused meanwhile.
leased = again_if(has_lost_a_lease)


class Nodes(PageTest):
    """A cluster of three nodes; the last test leaves two."""
    is_again = False

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="gamed-nodes-"))
        cls.tokens = os.path.join(folder, "tokens")
        cls.boss = new_token(cls.tokens, "boss", "--role", "master")
        cls.token = new_token(cls.tokens, "screen", "--role", "play", "--sessions", "room-1*")
        init_store(DATABASE, "--shards", "16")
        cls.nodes = [Node(cls.tokens) for _ in range(3)]
        for node in cls.nodes:
            cls.addClassCleanup(node.remove)
            node.start()
        cls.client = cls.nodes[0].browser
        cls.settle()
        for name in SESSIONS:
            found = cls.client.post("/api/sessions", {"name": name, "flow": "calm"})
            assert found.status == 201, found

    def setUp(self):
        super().setUp()
        self.settle()
        if self.is_again:
            for name in set(SESSIONS) - set(self.listed(self.client, 1000)):
                self.assertEqual(self.client.post("/api/sessions", {"name": name, "flow": "calm"}).status, 201)
        Node.has_stood_still, self.incarnations = False, [node.incarnation() for node in self.nodes]

    def drop_sessions(self):
        if self.begun:
            self.settle()
        super().drop_sessions()

    @classmethod
    def settle(cls, count=3):
        """Waits until every node has its share, and all nodes know that."""
        def is_even():
            for node in cls.nodes:
                found = node.browser.get("/api/cluster").json["cluster"]
                shares = [each["shards"] for each in found["nodes"]]
                if len(shares) != count or max(shares) - min(shares) > 1 or sum(shares) != 16 or found["loading"]:
                    return False
            return True

        wait_until(is_even, "shards are shared out evenly")

    def somewhere_else(self, node):
        """A session of another node, and that node."""
        return next((min(other.own()), other) for other in self.nodes if other is not node)

    def begun_elsewhere(self, node):
        """The same with a session that nothing has happened to."""
        for number in range(100):
            name = f"fresh-{number}"
            self.assertEqual(node.browser.post("/api/sessions", {"name": name, "flow": "calm"}).status, 201)
            for other in self.nodes:
                if other is not node and name in other.own():
                    return name, other
            node.browser.delete(f"/api/sessions/{name}")
        self.fail("all sessions begin at one node")

    def listed(self, client, count):
        """The names of a list, page by page."""
        names, cursor = [], None
        while cursor != "0":
            found = client.get(f"/api/sessions?count={count}&cursor={cursor or 0}").json
            names, cursor = names + [row["name"] for row in found["sessions"]], found["cursor"]
        return names

    @leased
    def test_every_node_answers_for_every_session_by_forwarding_to_its_owner(self):
        for node in self.nodes:
            self.assertEqual(sorted(self.listed(node.browser, 5)), sorted(SESSIONS))
        parts = [node.own() for node in self.nodes]
        self.assertEqual(sorted(name for part in parts for name in part), sorted(SESSIONS))
        self.assertTrue(all(parts), "each node has some")
        for node, name in zip(self.nodes * 8, SESSIONS):
            before = node.browser.get(f"/api/sessions/{name}").json
            found = node.browser.send(name, "pass", **{"if": before["version"]})
            self.assertEqual((found.status, found.json["version"]), (200, before["version"] + 1), found)
            self.assertEqual(node.browser.send(name, "pass", **{"if": before["version"]}).code, "STALE")
        name, _ = self.somewhere_else(self.nodes[0])
        node = self.nodes[0].browser
        self.assertEqual(node.post(f"/api/sessions/{name}/force", {"state": "second"}).json["state"], "second")
        self.assertEqual(node.get(f"/api/sessions/{name}/history?count=1").json["lines"][0]["actor"], "page")
        self.assertEqual(node.ask("HEAD", f"/api/sessions/{name}").status, 200)
        self.assertEqual(node.post(f"/api/sessions/{name}/pause").json["paused"], True)
        self.assertEqual(node.post(f"/api/sessions/{name}/resume").json["paused"], False)
        self.assertEqual(node.send(name, "nonsense").code, "BADEVENT")
        self.assertEqual(node.delete(f"/api/sessions/{name}").json["dropped"], True)
        self.assertEqual(node.get(f"/api/sessions/{name}").code, "NOSESSION")
        self.assertEqual(node.post(f"/api/sessions/{name}/undo").status, 200)
        timers = [node.browser.get("/api/next?count=1000").json["timers"] for node in self.nodes]
        self.assertEqual(len({len(each) for each in timers}), 1, "what fires next is of all nodes")

    @leased
    def test_a_token_has_the_same_rights_at_every_node(self):
        for name in ["room-1", "room-10", "room-11", "room-12", "room-13"]:
            for node in self.nodes:
                guest = node.client(headers={"Authorization": f"Bearer {self.token}"})
                self.assertEqual(guest.send(name, "pass").status, 200)
                self.assertEqual(guest.delete(f"/api/sessions/{name}").status, 403)
                self.assertEqual(guest.get("/api/sessions/room-2").status, 403)
                self.assertEqual(set(self.listed(guest, 1000)), {each for each in SESSIONS if each.startswith("room-1")})
            for node in self.nodes:
                boss = node.client(headers={"Authorization": f"Bearer {self.boss}"})
                self.assertEqual(boss.post(f"/api/sessions/{name}/force", {"state": "first"}).status, 200)
                line = boss.get(f"/api/sessions/{name}/history?count=1").json["lines"][0]
                self.assertEqual((line["what"], line["actor"]), ("forced", "boss"))
            self.assertEqual(self.nodes[0].client().get(f"/api/sessions/{name}").status, 401)

    @leased
    def test_a_node_accepts_a_forwarded_request_only_with_a_valid_signature_and_does_not_forward_it_again(self):
        name, owner = self.somewhere_else(self.nodes[0])
        node, target = self.nodes[0], f"/api/sessions/{name}"
        stranger, key = node.client(), node.door()
        found = stranger.get(target, headers=signed(key, "link", "GET", target))
        self.assertEqual((found.status, found.json["http"]), (421, f"http://127.0.0.1:{owner.port}"))
        at_owner = owner.client()
        self.assertEqual(at_owner.get(target, headers=signed(owner.door(), "link", "GET", target)).status, 200)
        wrong = [
            signed(key, "link", "GET", target), signed(owner.door(), "link", "GET", target + "?"), {"Gamed-Relay": "link"},
            signed(owner.door(), "link", "GET", target, now=int(time.time() * 1000) - 60_000),
            signed(owner.door(), "link", "GET", target, body=b"{}"), signed(owner.door(), "nobody", "GET", target),
            signed(owner.door(), "token:screen:0000000000000000", "GET", target)]
        for headers in wrong:
            self.assertEqual(at_owner.get(target, headers=headers).status, 403, headers)

    @leased
    def test_a_node_that_uses_TLS_joins_and_leaves_a_cluster(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="gamed-nodes-"))
        certificate, key = Authority(folder).sign("node")
        node = Node(self.tokens, "--tls-cert", certificate, "--tls-key", key)
        self.addCleanup(node.remove)
        node.start()
        self.settle(4)
        browser = self.nodes[0].browser
        theirs = set(SESSIONS) - set().union(*(each.own() for each in self.nodes))
        self.assertTrue(theirs, "it has some")
        wait_until(lambda: sorted(self.listed(browser, 1000)) == sorted(SESSIONS), "the list has the sessions of all nodes")
        for name in theirs:
            self.assertEqual(browser.send(name, "pass").status, 200)
        stream = Stream(browser.port, [f"session:{name}"], cookie=browser.cookie)
        self.addCleanup(stream.close)
        version = stream.next("view").data["view"]["version"]
        self.assertEqual(node.stop(), 0)
        self.settle(3)
        self.assertEqual(browser.send(name, "pass").status, 200)
        stream.next("view", where=lambda event: event.data["view"] and event.data["view"]["version"] > version)

    @leased
    def test_nodes_that_require_client_certificates_work_together_after_a_certificate_was_renewed(self):
        authority = Authority(self.enterContext(tempfile.TemporaryDirectory(prefix="gamed-nodes-")))
        pairs = [authority.sign(name) for name in ("one", "two")]
        nodes = [Node(self.tokens, "--tls-cert", certificate, "--tls-key", key, "--tls-client-ca", authority.certificate)
                 for certificate, key in pairs]
        for node in nodes:
            self.addCleanup(node.remove)
            node.start()
        self.settle(5)
        context = ssl.create_default_context(cafile=authority.certificate)
        context.load_cert_chain(*pairs[0])

        def ask(node, method, path, body=None):
            client = node.client(context=context, headers={"Authorization": f"Bearer {self.boss}"})
            answer = client.ask(method, path, body)
            client.close()
            return answer.status, answer.json

        def names(node, query=""):
            found, cursor = set(), None
            while cursor != "0":
                status, said = ask(node, "GET", f"/api/sessions?count=1000&cursor={cursor or 0}{query}")
                if status != 200:
                    return set()
                found |= {row["name"] for row in said["sessions"]}
                cursor = said["cursor"]
            return found

        # A new node may have shards without sessions.
        fresh, theirs = [], set()
        while not theirs:
            self.assertLess(len(fresh), 100, "the second has some")
            fresh.append(f"fresh-{len(fresh)}")
            self.begun.append(fresh[-1])
            self.assertEqual(ask(nodes[0], "POST", "/api/sessions", {"name": fresh[-1], "flow": "calm"})[0], 201)
            theirs = names(nodes[1], "&nodes=own")
        send = lambda: ask(nodes[0], "POST", f"/api/sessions/{min(theirs)}/events", {"event": "pass"})[0]
        wait_until(lambda: names(nodes[0]) == {*SESSIONS, *fresh}, "the first one shows what the second has")
        self.assertEqual(send(), 200)
        for old, new in zip(pairs[1], authority.sign("renewed")):
            os.replace(new, old)
        self.assertIn("certificate: read again", nodes[1].resp().ask("RELOAD"))
        wait_until(lambda: send() == 200, "the first one knows the second's new certificate")
        self.assertEqual(names(nodes[0]), {*SESSIONS, *fresh})
        for name in fresh:
            self.assertEqual(ask(nodes[0], "DELETE", f"/api/sessions/{name}")[0], 200)
        for node in nodes:
            self.assertEqual(node.stop(), 0)
        self.settle(3)

    def test_the_page_names_flows_that_differ_between_nodes(self):
        nodes = []
        for length in ("10s", "20s"):
            flows = os.path.join(self.enterContext(tempfile.TemporaryDirectory(prefix="gamed-nodes-")), "Flows")
            shutil.copytree(support.FLOWS, flows)
            with open(os.path.join(flows, "quiz.json5"), "w") as file:
                json.dump({"id": "quiz", "initial": "open", "states": {"open": {"after": {length: "closed"}}, "closed": {"type": "final"}}}, file)
            nodes.append(Node(self.tokens, flows=flows))
            self.addCleanup(nodes[-1].remove)
            nodes[-1].start()
        self.settle(5)
        tab = self.tab(nodes[0].resp().ask("PAGE"))
        self.reads(tab, ".strip b", str(len(SESSIONS)))
        tab.click(".tab-cluster")
        tab.wait("document.querySelectorAll('.nodes tbody tr').length === 5")
        tab.wait("[...document.querySelectorAll('.bad')].some(each => each.checkVisibility() "
                 "&& /Nodes have different definitions of: quiz /.test(each.innerText))")
        if "GAMED_PICTURES" in os.environ:
            tab.screenshot(os.path.join(os.environ["GAMED_PICTURES"], "differing.png"))
        for node in nodes:
            self.assertEqual(node.stop(), 0)
        self.settle(3)

    def test_a_stream_of_one_node_has_the_sessions_of_all_nodes(self):
        name, _ = self.somewhere_else(self.nodes[0])
        browser, topics = self.nodes[0].browser, ["sessions", "status", f"session:{name}", f"history:{name}"]
        stream = Stream(browser.port, topics, cookie=browser.cookie)
        self.addCleanup(stream.close)
        rows, tellers, statuses = set(), set(), set()
        lines, views = [], []

        def is_all():
            for event in stream.poll(0.1):
                rows.update(row["name"] for row in event.data["rows"]) if event.kind == "rows" else None
                tellers.add(event.data["node"]) if event.kind == "rows" else None
                statuses.add(event.data["node"]) if event.kind == "status" else None
                lines.extend((line["life"], line["seq"]) for line in event.data["lines"]) if event.kind == "lines" else None
                views.append(event.data["view"]["version"]) if event.kind == "view" else None
            return rows == set(SESSIONS) and len(tellers) == len(statuses) == 3 and views and lines

        wait_until(is_all, "rows, statuses, a view and lines of all nodes come")
        version = self.nodes[1].browser.send(name, "pass").json["version"]
        wait_until(lambda: is_all() and version in views, "and the view after an event")
        self.assertEqual(len(lines), len(set(lines)), "no line is told twice")

    def test_a_stream_has_the_reason_why_other_nodes_refuse_its_client(self):
        tokens = os.path.join(self.enterContext(tempfile.TemporaryDirectory(prefix="gamed-nodes-")), "tokens")
        visitor = new_token(tokens, "visitor", "--role", "master")
        node = Node(tokens)
        self.addCleanup(node.remove)
        node.start()
        self.settle(4)
        cookie = node.client().post("/login", {"token": visitor}).cookie
        stream = Stream(node.port, ["sessions"], cookie=cookie)
        self.addCleanup(stream.close)
        event = stream.next("nodes", where=lambda event: all(each["reason"] for each in event.data["nodes"]))
        self.assertEqual({each["reason"] for each in event.data["nodes"]}, {"unknown token; give all nodes of the cluster the same --token-file"})
        self.assertEqual(node.stop(), 0)
        self.settle(3)

    def see_away(self, tab, node):
        """A frozen node is shown as unreachable for a second or two, until others have its sessions. A busy machine may fail to show that in
        time, but not again and again."""
        is_seen = lambda: tab.js("Boolean(away.line && away.row)")
        for _ in range(5):
            name, other = self.somewhere_else(node)
            tab.js(REMEMBER)
            other.freeze()
            try:
                wait_until(lambda: is_seen() or node.browser.get(f"/api/sessions/{name}").status == 200, "others have what the frozen node had")
            finally:
                other.resume()
            self.settle()
            if is_seen():
                return
        self.fail("the page never shows that a node is away")

    def pass_turn(self, player, title):
        """If a busy machine costs a node its lease just then, the outcome is unknown, and the player presses again, which is safe."""
        self.expect("(409|50[03]) .*/events")
        is_there = lambda: player.js(f"document.querySelector('h1')?.textContent.trim() === {title!r}")
        for _ in range(3):
            known = len(player.errors)
            self.press(player, "Pass the turn", ".card")
            wait_until(lambda: is_there() or len(player.errors) > known, f"the title {title}, or a refusal")
            try:
                return self.title(player, title)
            except AssertionError:
                self.assertGreater(len(player.errors), known, "the page is silent, and shows another title")
        self.fail(f"pressing three times does not lead to {title}")

    def test_the_page_shows_all_sessions_and_continues_when_a_node_dies(self):
        node = self.nodes[0]
        tab = self.tab(node.resp().ask("PAGE"))
        self.reads(tab, ".strip b", str(len(SESSIONS)))
        self.see_away(tab, node)
        name, owner = self.begun_elsewhere(node)
        count = len(SESSIONS) + 1
        self.reads(tab, ".strip b", str(count))
        tab.wait(f"document.querySelector('.virtual')?.ariaRowCount === '{count + 1}'")
        tab.click(".tab-cluster")
        tab.wait("document.querySelectorAll('.nodes tbody tr').length === 3")
        tab.click(".tab-sessions")
        player = self.tab(f"http://127.0.0.1:{node.port}/s/{name}")
        self.title(player, "First player's turn")
        self.pass_turn(player, "Second player's turn")
        master = self.tab(f"http://127.0.0.1:{node.port}/m/{name}")
        master.wait("document.querySelectorAll('.history li').length >= 2")
        owner.stop(signal.SIGKILL)
        wait_until(lambda: len(node.browser.get("/api/cluster").json["cluster"]["nodes"]) == 2, "the others end the dead node")
        tab.wait(f"!{ROWS}.some(each => each.dataset.kind === 'away') && document.querySelector('.virtual').ariaRowCount === '{count + 1}'")
        tab.wait("document.querySelector('.cluster-line[hidden]')")
        tab.click(".tab-cluster")
        tab.wait("[...document.querySelectorAll('.moves li')].some(each => /[0-9] shards: .* → /.test(each.innerText))")
        player.wait("!document.body.classList.contains('away')")
        self.pass_turn(player, "First player's turn")
        passes = [line for line in node.browser.get(f"/api/sessions/{name}/history").json["lines"] if (line["event"], line["what"]) == ("pass", "taken")]
        self.assertEqual(len(passes), 2, "no event is taken twice")
        master.wait("[...document.querySelectorAll('.history li')].filter(each => !each.matches('.refused') && each.innerText.includes('pass')).length === 2")


if __name__ == "__main__":
    support.run_tests()
