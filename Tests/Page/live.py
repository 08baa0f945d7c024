"""The page's robustness and accessibility, in a browser: live.py GAMED [TEST…]"""
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import support
from support import PageTest, program_beside, timed, wait_until

FIGURE = "(document.querySelector('.ring .figure')?.textContent ?? 'none').split(':').reduce((sum, part) => sum * 60 + Number(part), 0)"
ICON = "document.querySelector('link[rel=icon]').href.includes('{}')"
GREEN, GREY = "2f9e6e", "8a8f98"
AWAY = "document.body.classList.contains('away')"
WRONG_CLOCK = """{ const Right = Date, wrong = () => Right.now() + 3 * 3600_000 + 17_123;
    globalThis.Date = class extends Right { constructor(...of) { of.length ? super(...of) : super(wrong()) } static now() { return wrong() } }; }"""
# While a machine sleeps, performance.now() stops and Date continues.
SLEEPS = "{ const now = performance.now.bind(performance); let slept = 0; performance.now = () => now() - slept; globalThis.sleepFor = (ms) => { slept += ms } }"
# While a process is suspended, both clocks continue. Here the daemon's does not, so that the page's figures are wrong.
SUSPENDED = """{ const [now, date] = [performance.now.bind(performance), Date.now.bind(Date)]; let gone = 0;
    performance.now = () => now() + gone; Date.now = () => date() + gone; globalThis.suspendFor = (ms) => { gone += ms }; }"""

# A browser that has the answer to a POST only after `answer()`.
HELD_ANSWERS = """const send = fetch; globalThis.fetch = async (...of) => {
    const answer = await send(...of);
    if (of[1]?.method === 'POST') await new Promise((go) => { globalThis.answer = go; });
    return answer; }"""

# A browser without shared workers, whose stream is the tab's (`streams`), and whose timers of 10 s and more run only by `pass(ms)`.
LONG_TIMERS = """{ const [set, clear, long] = [setTimeout, clearTimeout, new Map()];
    globalThis.setTimeout = (run, ms, ...more) => ms < 10_000 ? set(run, ms, ...more) : (long.set(-long.size - 1, { run, ms }), -long.size);
    globalThis.clearTimeout = (id) => id < 0 ? long.get(id).run = null : clear(id);
    globalThis.pass = (ms) => { for (const each of [...long.values()]) { each.ms -= ms; if (each.ms <= 0) { each.run?.(); each.run = null; } } };
    AbortSignal.timeout = (ms) => { const abort = new AbortController(); setTimeout(() => abort.abort(), ms); return abort.signal; };
    globalThis.streams = [];
    globalThis.EventSource = class extends EventSource { constructor(...of) { super(...of); streams.push(this); } };
    globalThis.SharedWorker = undefined; }"""


class Clocks(PageTest):
    def off_by(self, name):
        """An expression: the difference in seconds between the ring's figure, which is rounded up, and the daemon's value."""
        return (f"fetch('/api/sessions/{name}').then(answer => answer.json()).then(view => {{ const left = view.timers[0].remaining_ms / 1000;"
                f" return {FIGURE} - (left < 10 ? left : left + 0.5) }})")

    def right(self, tab, name, within=0.9):
        self.assertAlmostEqual(tab.js(self.off_by(name)), 0, delta=within)

    @timed
    def test_the_page_shows_the_right_time_if_the_browsers_clock_is_wrong(self):
        self.begin("wrong", "calm")
        tab = self.tab("/s/wrong", before=WRONG_CLOCK)
        tab.wait(f"{FIGURE} > 0")
        self.assertGreater(tab.js("Date.now()"), 1000 * (time.time() + 3600))
        tab.wait(f"{FIGURE} < 299")
        self.right(tab, "wrong")
        self.client.post("/api/sessions/wrong/extend", {"timer": "turn", "by": "-291s"})
        tab.wait(f"{FIGURE} < 9")
        self.right(tab, "wrong", 0.4)

    @timed
    def test_the_page_shows_the_right_time_after_the_machine_slept(self):
        self.begin("slept", "calm")
        tab = self.tab("/s/slept", before=SLEEPS)
        tab.wait(f"{FIGURE} > 0")
        tab.js("sleepFor(8000); document.dispatchEvent(new Event('visibilitychange'))")
        self.assertGreater(tab.js(self.off_by("slept")), 7, "the page cannot know yet")
        wait_until(lambda: abs(tab.js(self.off_by("slept"))) < 0.9, "the page notices the sleep")

    @timed
    def test_the_page_shows_the_right_time_after_its_process_was_suspended(self):
        self.begin("slept", "calm")
        tab = self.tab("/s/slept", before=SUSPENDED)
        tab.wait(f"{FIGURE} > 0")
        tab.js("suspendFor(8000); document.dispatchEvent(new Event('visibilitychange'))")
        self.assertLess(tab.js(self.off_by("slept")), -7, "the page cannot know yet")
        wait_until(lambda: abs(tab.js(self.off_by("slept"))) < 0.9, "the page notices the suspension")

    @timed
    def test_the_page_shows_the_right_time_after_its_tab_was_frozen(self):
        self.begin("slept", "calm")
        tab = self.tab("/s/slept")
        tab.wait(f"{FIGURE} > 0")
        tab.call("Page.setWebLifecycleState", state="frozen")
        self.client.post("/api/sessions/slept/extend", {"timer": "turn", "by": "1m"})
        tab.call("Page.setWebLifecycleState", state="active")
        tab.wait(f"{FIGURE} > 300")
        self.right(tab, "slept")

    @timed
    def test_the_page_shows_the_right_time_after_PAUSE_EXTEND_and_RESUME(self):
        self.begin("held", "calm")
        tab = self.tab("/s/held")
        tab.wait(f"{FIGURE} > 0 && {FIGURE} < 300")
        for deed, body, kind in [("pause", {}, "frozen"), ("extend", {"timer": "turn", "by": "10s"}, "frozen"), ("resume", {}, "runs"),
                                 ("pause", {"timer": "turn"}, "stopped"), ("resume", {"timer": "turn"}, "runs")]:
            self.client.post(f"/api/sessions/held/{deed}", body)
            tab.wait(f"document.querySelector('.ring').dataset.kind === {kind!r}")
            wait_until(lambda: abs(tab.js(self.off_by("held"))) < 0.9, f"{deed} {body}: the figure is right", 2)


class Connection(PageTest):
    words = ("--session", "room=calm", "--session", "main=game")

    def lines(self):
        return [[line["life"], line["seq"]] for line in self.client.get("/api/sessions/room/history?count=50").json["lines"]]

    def test_an_open_page_shows_everything_once_after_a_restart_of_the_daemon(self):
        tab, player, overview = self.tab("/m/room"), self.tab("/s/main"), self.tab("/")
        self.client.send("room", "pass")
        self.reads(tab, ".state-name", "second")
        tab.wait("document.querySelectorAll('.history li').length === 2")
        overview.wait("document.querySelectorAll('.virtual .row:not([hidden])').length === 2")
        self.expect("ERR_|Failed to load")
        self.server.stop(signal.SIGTERM)
        tab.wait(AWAY)
        self.says(tab, "Reconnecting… Shown as of ", ".connection")
        figure = tab.js("document.querySelector('li.timer .left').textContent")
        tab.wait(f"document.querySelector('li.timer .left').textContent !== {figure!r}")
        self.press(tab, "Pause room")
        tab.wait("document.querySelector('.pause[aria-busy=true]')")
        self.press(player, "Start playing")
        self.server.start()
        for each in [tab, player, overview]:
            each.wait(f"!{AWAY}", 20)
        self.reads(tab, ".pause", "▶ Resume")
        self.title(player, "Choose an episode")
        self.assertEqual((self.view("room")["paused"], self.view("main")["version"]), (True, 1))
        wait_until(lambda: tab.js("document.querySelectorAll('.history li').length") == len(self.lines()), "each line once")
        overview.wait("[...document.querySelectorAll('.virtual .row:not([hidden]) .state')].map(e => e.textContent).sort().join() === 'choosingEpisode,second'")
        self.assertEqual(overview.js("document.querySelectorAll('.virtual .row:not([hidden])').length"), 2)
        self.client.post("/api/sessions/room/resume")

    def test_repeated_keys_of_the_overview_send_one_request_when_the_daemon_is_back(self):
        self.begin("keys", "calm")
        tab = self.tab("/?sel=keys", before="""globalThis.posts = []; const send = fetch;
            globalThis.fetch = (...of) => { if (of[1]?.method === 'POST') posts.push(of[0]); return send(...of); }""")
        tab.wait("document.querySelector('.row[aria-selected=true] .left')?.textContent")
        self.expect("ERR_|Failed to load")
        self.server.stop(signal.SIGTERM)
        tab.wait(AWAY)
        for key in ["+", "+", "p", "+"]:
            tab.key(key)
        self.assertEqual(tab.js("document.querySelectorAll('[aria-busy=true]').length"), 1)
        self.server.start()
        self.says(tab, "has 10 s more", ".notices")
        tab.wait("!document.querySelector('[aria-busy=true]')")
        self.assertEqual(tab.js("posts"), ["/api/sessions/keys/extend"])
        tab.key("p")
        self.says(tab, "keys is paused", ".notices")

    def test_Cancel_takes_back_an_action_that_waits_for_the_daemon(self):
        self.begin("kept", "calm")
        tab = self.tab("/m/kept")
        self.reads(tab, ".state-name", "first")
        self.press(tab, "Restart…")
        self.reads(tab, "dialog h2", "Restart kept?")
        self.expect("ERR_|Failed to load")
        self.server.stop(signal.SIGTERM)
        tab.wait(AWAY)
        self.press(tab, "Restart", "dialog")
        tab.wait("document.querySelector('dialog [aria-busy=true]')")
        self.press(tab, "Cancel", "dialog")
        tab.wait("!document.querySelector('dialog')")
        self.server.start()
        tab.wait(f"!{AWAY}", 20)
        self.client.send("kept", "pass")
        self.reads(tab, ".state-name", "second")
        self.assertEqual((self.view("kept")["state"], self.view("kept")["version"]), ("second", 1))

    def test_an_action_that_waited_does_not_act_on_a_session_that_began_meanwhile(self):
        self.begin("anew", "calm")
        tab = self.tab("/m/anew")
        self.reads(tab, ".state-name", "first")
        self.press(tab, "Drop…")
        self.reads(tab, "dialog h2", "Drop anew?")
        tab.js("globalThis.fetch = (fetch => (...of) => of[1].method === 'GET' && of[0].endsWith('/anew') ? held.then(() => fetch(...of)) : fetch(...of))(fetch);"
               "globalThis.held = new Promise(resolve => { globalThis.letGo = resolve; }); 0")
        self.press(tab, "Drop", "dialog")
        tab.wait("document.querySelector('dialog [aria-busy=true]')")
        self.client.post("/api/sessions/anew/restart")
        tab.js("letGo()")
        self.reads(tab, "dialog .reason", "anew has begun anew since; nothing was done")
        self.assertEqual(self.client.get("/api/sessions/anew").status, 200)

    def test_Cancel_takes_back_an_action_until_it_is_sent(self):
        self.begin("unsent", "calm")
        tab = self.tab("/m/unsent")
        self.reads(tab, ".state-name", "first")
        self.press(tab, "Drop…")
        self.reads(tab, "dialog h2", "Drop unsent?")
        tab.js("globalThis.fetch = (fetch => (...of) => of[1].method === 'GET' && of[0].endsWith('/unsent') ? held.then(() => fetch(...of)) : fetch(...of))(fetch);"
               "globalThis.held = new Promise(resolve => { globalThis.letGo = resolve; }); 0")
        self.press(tab, "Drop", "dialog")
        tab.wait("document.querySelector('dialog [aria-busy=true]')")
        self.press(tab, "Cancel", "dialog")
        tab.wait("!document.querySelector('dialog')")
        tab.js("letGo()")
        self.press(tab, "Pause unsent")
        self.reads(tab, ".pause", "▶ Resume")
        self.assertEqual(self.client.get("/api/sessions/unsent").status, 200)

    def test_a_page_shows_an_earlier_version_if_the_last_changes_were_lost_with_a_node(self):
        self.begin("lost", "calm")
        before = self.view("lost")
        tabs = [self.tab(path, before=LONG_TIMERS) for path in ["/s/lost", "/m/lost"]]
        self.title(tabs[0], "First player's turn")
        self.client.send("lost", "pass")
        self.title(tabs[0], "Second player's turn")
        self.reads(tabs[1], ".state-name", "second")
        for tab in tabs:
            # As another node sends it that has taken the session over; this page's node goes on.
            tab.js(f"streams.at(-1).dispatchEvent(new MessageEvent('view', {{ data: {json.dumps(json.dumps({'session': 'lost', 'view': before}))} }}))")
        self.title(tabs[0], "First player's turn")
        self.reads(tabs[1], ".state-name", "first")

    def test_a_response_that_arrives_late_does_not_replace_a_newer_view_of_the_same_version(self):
        self.begin("late", "calm")
        tab = self.tab("/m/late", before=HELD_ANSWERS)
        self.press(tab, "Give Turn 1 m")
        tab.wait("Boolean(globalThis.answer)")
        self.client.post("/api/sessions/late/pause", {"timer": "turn"})
        self.reads(tab, ".timer .word", "paused")
        tab.js("answer()")
        self.says(tab, "has 1 m more", ".notices")
        self.assertEqual(tab.js("document.querySelector('.timer .word').textContent"), "paused")

    def test_a_response_that_arrives_late_does_not_bring_a_dropped_session_back(self):
        self.expect("404.*/api/sessions/late")
        self.begin("late", "calm")
        tab = self.tab("/m/late", before=HELD_ANSWERS)
        self.press(tab, "Give Turn 1 m")
        tab.wait("Boolean(globalThis.answer)")
        self.client.delete("/api/sessions/late")
        self.says(tab, "There is no session late")
        tab.js("answer()")
        self.says(tab, "has 1 m more", ".notices")
        self.says(tab, "There is no session late")
        self.begin("late", "calm")
        self.reads(tab, ".state-name", "first")

    def test_a_page_removes_the_history_entries_that_were_lost_with_a_node(self):
        self.begin("lost", "calm")
        tab = self.tab("/m/lost", before=LONG_TIMERS)
        tab.wait("document.querySelectorAll('.history li').length === 1")
        kept = self.client.get("/api/sessions/lost/history").json["lines"]
        self.client.send("lost", "pass")
        tab.wait("document.querySelectorAll('.history li').length === 2")
        other = {**self.client.get("/api/sessions/lost/history").json["lines"][0], "event": "other"}
        for said in [{"lines": kept, "whole": True}, {"lines": [other]}]:
            # As another node sends them that has taken the session over.
            data = json.dumps(json.dumps({"session": "lost", **said}))
            tab.js(f"streams.at(-1).dispatchEvent(new MessageEvent('lines', {{ data: {data} }}))")
            self.assertEqual(tab.js("document.querySelectorAll('.history li').length"), len(kept) + ("whole" not in said))
        self.says(tab, "other", ".history li")

    def test_a_page_shows_the_current_state_after_the_back_button(self):
        self.begin("there", "calm")
        tab = self.tab("/m/there")
        self.reads(tab, ".state-name", "first")
        tab.go(self.url("/healthz"))
        # A browser that keeps the page in memory may freeze its worker before it closes the stream, so the stream may still be open.
        self.client.send("there", "pass")
        tab.back()
        self.reads(tab, ".state-name", "second")

    def test_the_page_works_in_a_browser_without_storage_and_shared_workers(self):
        forbidden = """const no = () => { throw new DOMException('not here', 'SecurityError') };
            globalThis.SharedWorker = no;
            delete globalThis.BroadcastChannel;
            delete Navigator.prototype.clipboard;
            history.replaceState = no;
            for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) Object.defineProperty(globalThis, name, { get: no });"""
        tab = self.tab("/", before=forbidden)
        tab.wait("document.querySelectorAll('.virtual .row:not([hidden])').length === 2")
        for _ in range(2):
            tab.key("ArrowDown")
        tab.wait("document.querySelector('.row[aria-selected=true]')?.ariaRowIndex === '2'")
        tab.key("Enter")
        tab.wait("document.querySelector('.history li')")
        name = tab.js("document.querySelector('.bar h1').textContent")
        self.client.post(f"/api/sessions/{name}/pause")
        self.reads(tab, ".pause", "▶ Resume")
        self.client.post(f"/api/sessions/{name}/resume")

    def test_a_tab_that_wakes_after_the_last_other_tab_crashed_is_not_told_of_a_connection_before_there_is_one(self):
        tab = self.tab("/", before="globalThis.SharedWorker = undefined")
        tab.wait("document.querySelector('.row')")
        # The worker's file, in a tab: its streams are opened by the test.
        heard = tab.js("""(async () => {
            const streams = [], heard = [];
            globalThis.EventSource = class extends EventTarget { constructor() { super(); streams.push(this) } close() {} };
            const hello = (stream) => stream.dispatchEvent(new MessageEvent('hello', { data: '{}' }));
            const connect = () => {
                const { port1, port2 } = new MessageChannel();
                dispatchEvent(Object.assign(new Event('connect'), { ports: [port1] }));
                return [port1, port2];
            };
            await import('/page/worker.js');
            const [[crashed, awake], [, asleep]] = [connect(), connect()];
            const say = (port, topics) => new Promise((heardOf) => {
                port.onmessage = ({ data }) => { if (port === asleep) heard.push(data.kind); heardOf(); };
                port.postMessage({ topics });
                if (!topics.length) setTimeout(heardOf, 50);
            });
            await say(asleep, []);
            setTimeout(() => hello(streams[0]), 50);
            await say(awake, ['sessions']);
            crashed.dispatchEvent(new Event('close'));
            setTimeout(() => hello(streams[1]), 50);
            await say(asleep, ['sessions']);
            return heard;
        })()""")
        self.assertEqual(heard, ["hello"])

    def test_a_tab_continues_after_the_tab_that_hosts_the_shared_worker_crashed(self):
        self.begin("hosted", "calm")
        # Its checks of the worker are twenty times as frequent.
        often = "{ const set = setInterval; globalThis.setInterval = (run, ms) => set(run, ms / 20); }"
        host = self.tab("/s/room")
        self.title(host, "First player's turn")
        tab = self.tab("/s/hosted", before=often)
        self.title(tab, "First player's turn")
        host.crash()
        self.client.send("hosted", "pass")
        self.title(tab, "Second player's turn")

    def test_a_page_loads_the_page_of_an_upgraded_daemon_once_no_text_is_being_typed(self):
        self.begin("upgraded", "forms")
        tab = self.tab("/k/upgraded", before=LONG_TIMERS)
        tab.wait("document.querySelector('form input')")
        hello = "streams.at(-1).dispatchEvent(new MessageEvent('hello', { data: JSON.stringify({ boot: 'b', clock: 'real', version: '%s' }) }))"
        tab.js("globalThis.isOld = true; document.querySelector('form input').focus(); document.activeElement.select()")
        tab.type("21")
        tab.js(hello % "99.0")
        tab.pause(1.2)         # longer than between two checks
        self.assertTrue(tab.js("globalThis.isOld"), "its text is being typed")
        tab.key("Enter")
        tab.wait("!globalThis.isOld")
        self.title(tab, "Team")

    def test_a_masters_page_loads_the_page_of_an_upgraded_daemon_by_itself(self):
        tab = self.tab("/m/room", before=LONG_TIMERS)
        tab.wait("document.querySelector('.any-form')")
        tab.js("globalThis.isOld = true; streams.at(-1).dispatchEvent(new MessageEvent('hello', "
               "{ data: JSON.stringify({ boot: 'b', clock: 'real', version: '99.0' }) }))")
        tab.wait("!globalThis.isOld", 5)

    def test_the_shared_worker_ends_after_it_told_its_tabs_of_another_version(self):
        tab = self.tab("/", before="globalThis.SharedWorker = undefined")
        tab.wait("document.querySelector('.row')")
        # The worker's file, in a tab: its stream is opened by the test.
        heard = tab.js("""(async () => {
            const streams = [], heard = [];
            globalThis.EventSource = class extends EventTarget { constructor() { super(); streams.push(this) } close() {} };
            globalThis.close = () => heard.push('closed');
            await import('/page/worker.js');
            const { port1, port2 } = new MessageChannel();
            dispatchEvent(Object.assign(new Event('connect'), { ports: [port1] }));
            port2.postMessage({ topics: ['sessions'] });
            while (!streams.length) await new Promise((go) => setTimeout(go, 5));
            for (const version of ['1.0', '1.0', '1.1']) {
                streams[0].dispatchEvent(new MessageEvent('hello', { data: JSON.stringify({ version }) }));
                heard.push(version);
            }
            return heard;
        })()""")
        self.assertEqual(heard, ["1.0", "1.0", "closed", "1.1"])

    def test_a_hidden_tab_closes_its_stream_and_catches_up_when_it_is_shown(self):
        self.begin("back", "calm")
        tab = self.tab("/s/back")
        self.title(tab, "First player's turn")
        self.assertEqual(self.metric("gamed_http_streams"), 1)
        tab.minimize()
        tab.wait("document.hidden")
        wait_until(lambda: self.metric("gamed_http_streams") == 0, "the hidden tab has closed its stream")
        self.assertTrue(tab.js(ICON.format(GREY)), "its icon does not claim a state that it does not know")
        tab.pause(1.2)         # longer than a figure stays if it runs
        self.assertEqual(tab.js("document.title"), "back · first", "nor its title a time")
        self.client.send("back", "pass")
        tab.minimize(False)
        self.title(tab, "Second player's turn")
        self.assertTrue(tab.js(ICON.format(GREEN)))
        self.assertEqual(self.metric("gamed_http_streams"), 1)

    def test_a_page_says_since_when_it_is_out_of_date_if_the_daemon_stopped_while_it_was_hidden(self):
        tab = self.tab("/m/room", before="globalThis.hours = 0; const now = Date.now.bind(Date); Date.now = () => now() + hours * 3600_000;")
        tab.wait("document.querySelector('.history li')")
        tab.minimize()
        wait_until(lambda: self.metric("gamed_http_streams") == 0, "the hidden tab has closed its stream")
        self.expect("ERR_|Failed to load")
        self.server.stop(signal.SIGTERM)
        tab.js("hours = 5")
        tab.minimize(False)
        self.says(tab, "Reconnecting… Shown as of ", ".connection")
        hour, minute = tab.js("document.querySelector('.connection').textContent.match(/([0-9]+):([0-9]+)/).slice(1).map(Number)")
        here = tab.js("(at => [at.getHours(), at.getMinutes()])(new Date(Date.now() - 5 * 3600_000))")
        ago = (here[0] * 60 + here[1] - hour * 60 - minute) % (24 * 60)
        self.server.start()
        tab.wait(f"!{AWAY}", 20)
        self.assertLess(ago, 30, "minutes")

    def test_an_address_with_a_slash_at_its_end_is_that_of_the_session(self):
        self.reads(self.tab("/m/room/"), ".bar h1", "room")

    def test_the_line_of_a_lost_connection_covers_nothing_on_a_narrow_phone(self):
        for place, shown in [("/s/main", ".actions button"), ("/m/room", ".state-name"), ("/", ".virtual .row:not([hidden])")]:
            with self.subTest(place):
                tab = self.tab("about:blank")
                tab.size(280, 700, touch=True)
                tab.go(self.url(place))
                tab.wait(f"document.querySelector('{shown}')")
                self.expect("ERR_|Failed to load")
                self.server.stop(signal.SIGTERM)
                self.says(tab, "Reconnecting… Shown as of ", ".connection")
                bottom = "document.querySelector('.connection').getBoundingClientRect().bottom"
                top = "document.querySelector('main').firstElementChild.getBoundingClientRect().top"
                tab.wait(f"{bottom} > 30 && {top} > {bottom} - 1")
                if place == "/m/room":
                    side = "document.querySelector('.side')"
                    self.assertTrue(tab.js(f"{side}.scrollHeight <= {side}.clientHeight + 1"), "the picture is below the rest, and not over it")
                self.server.start()
                tab.wait(f"!{AWAY}", 20)

    def test_a_phone_shows_the_whole_reason_why_sessions_are_not_saved(self):
        self.begin("saved", "calm")
        tab = self.tab("about:blank")
        tab.size(390, 780, touch=True)
        tab.go(self.url("/"))
        self.reads(tab, ".health-word", "● ok")
        limits = resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE, (1, limits[1]))
        self.addCleanup(resource.prlimit, self.server.process.pid, resource.RLIMIT_FSIZE, limits)
        self.client.send("saved", "pass")
        tab.wait("document.querySelector('.health-word.bad')?.textContent.includes('could not be written: File too large')")
        self.assertTrue(tab.js("(e => e.scrollWidth <= e.clientWidth)(document.querySelector('.health-word'))"), "it is not cut")
        self.assertEqual(tab.js("document.documentElement.scrollWidth"), 390)
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE, limits)
        self.reads(tab, ".health-word", "● ok")


class Silence(PageTest):
    """A daemon or a proxy that sends nothing, over connections that stay open."""
    unprobed = "it is stopped"

    def setUp(self):
        super().setUp()
        self.expect("ERR_|Failed to load")

    def quiet_tab(self, path):
        tab = self.tab(path, before=LONG_TIMERS)
        tab.wait(f"globalThis.streams?.length && !{AWAY}")
        return tab

    def test_a_page_shows_a_connection_as_lost_after_25_seconds_without_an_event_or_a_beat(self):
        tab = self.quiet_tab("/s/room")
        self.title(tab, "First player's turn")
        # At once, since each beat of the daemon begins the time anew.
        found = tab.js("""(() => {
            pass(24_000);
            streams[0].dispatchEvent(new MessageEvent('beat', { data: '{}' }));
            pass(24_000);
            const before = streams.length;
            pass(1_000);
            return [before, streams.length, streams[0].readyState];
        })()""")
        self.assertEqual(found, [1, 2, 2], "it opens another stream")
        tab.wait("streams[1].readyState === 1")

    def test_a_page_shows_that_a_stopped_daemon_does_not_answer_and_continues_with_it(self):
        tab = self.quiet_tab("/m/room")
        tab.wait("document.querySelector('.side .actions button')")
        os.kill(self.server.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.server.process.pid, signal.SIGCONT)
        self.press(tab, "Pass the turn", ".side")
        tab.js("pass(25_000)")
        tab.wait(AWAY)
        self.says(tab, "Reconnecting… Shown as of ", ".connection")
        seconds = "(([h, m, s]) => h * 3600 + m * 60 + Number(s))"
        since = f"{seconds}(document.querySelector('.connection').innerText.match(/\\d+/g))"
        self.assertGreaterEqual(tab.js(f"({seconds}(new Date().toTimeString().match(/\\d+/g)) - {since} + 86400) % 86400"), 25, "since its last event")
        tab.js("pass(5_000)")
        self.says(tab, "gamed does not answer; whether it received this is unknown", ".actions .reason")
        os.kill(self.server.process.pid, signal.SIGCONT)
        tab.wait(f"!{AWAY}")

    def test_a_page_shows_that_its_first_stream_fails(self):
        fails = "globalThis.SharedWorker = undefined; EventSource = class { readyState = 0; constructor() { setTimeout(() => this.onerror()) } addEventListener() {} close() {} }"
        self.tab("/s/room", before=fails).wait(AWAY)

    def test_a_page_notices_at_once_when_the_machine_goes_offline(self):
        tab = self.quiet_tab("/s/room")
        tab.wait(ICON.format(GREEN))
        tab.call("Network.enable")
        tab.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        tab.wait(AWAY)
        self.assertTrue(tab.js(ICON.format(GREY)))
        tab.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        tab.wait(f"!{AWAY}")
        tab.wait(ICON.format(GREEN))


class Crashes(PageTest):
    words = ("--session", "room=turns", "--durability", "none")

    def test_a_page_removes_the_history_entries_that_a_crash_has_lost(self):
        self.expect("ERR_|Failed to load")
        tab = self.tab("/m/room")
        self.client.send("room", "pass")
        self.client.send("room", "pass")
        tab.wait("document.querySelectorAll('.history li').length === 3")
        self.server.restart(signal.SIGKILL)
        tab.wait("document.querySelectorAll('.history li').length === 1", 20)
        self.client.send("room", "nonsense")
        tab.wait("document.querySelectorAll('.history li.refused').length === 1")       # as number 2 in life 1, as a pass was


class ForEveryone(PageTest):
    words = (*PageTest.words, "--session", "stopped=turns", "--session", "soon=turns", "--session", "forms=forms", "--session", "end=registration")
    PLACES = [("/s/main", "main button"), ("/s/stopped", ".ring"), ("/s/soon", ".ring"), ("/k/forms", "form"), ("/s/nobody", ".empty"),
              ("/m/room", ".diagram .lit"), ("/m/forms", ".history li.refused"), ("/m/stopped", "li.timer"), ("/", ".virtual .row"), ("/?tab=flows", ".flow-card svg"),
              ("/f/game", ".diagram .lit"), ("/login", "form")]
    NAMED = {"button", "link", "textbox", "searchbox", "combobox", "spinbutton", "checkbox", "slider", "dialog", "grid", "progressbar", "img"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client.post("/api/sessions/stopped/pause")
        cls.client.post("/api/sessions/soon/pause", {"timer": "turn"})
        cls.client.send("forms", "age", 7)
        cls.client.send("end", "next")
        cls.client.send("end", "registerLater")
        cls.client.send("end", "consent", {"terms": True})
        cls.contrast = support.contrast()

    def setUp(self):
        super().setUp()
        self.expect("404.*(nobody|said)")

    def test_every_view_is_legible_in_light_and_dark_mode_and_to_a_screen_reader(self):
        tab = self.tab("about:blank", width=1280, height=900, still=True)
        for path, sight in self.PLACES:
            with self.subTest(path=path):
                tab.go(self.url(path))
                tab.wait(f"document.querySelector({sight!r})")
                for dark in [False, True]:
                    tab.look(dark=dark, still=True)
                    self.assertEqual(tab.js(f"({self.contrast})(4.5, 'body')"), [], f"dark: {dark}")
                    if path[:3] in ("/s/", "/k/"):
                        self.assertEqual(tab.js(f"({self.contrast})(7, '.player-body')"), [], f"dark: {dark}")
                self.told_aloud(tab)

    def told_aloud(self, tab):
        """Requirements of screen readers: names, unique ids, one main part, one first heading, no skipped level, and a live region for changes."""
        tab.wait("!document.querySelector('[aria-busy=true]')")
        nodes = tab.accessibility()
        self.assertEqual(tab.js("(ids => ids.filter((id, i) => ids.indexOf(id) !== i))([...document.querySelectorAll('[id]')].map(e => e.id))"), [])
        levels = tab.js("[...document.querySelectorAll('h1, h2, h3, h4')].filter(e => e.checkVisibility()).map(e => Number(e.tagName[1]))")
        self.assertTrue(all(level <= before + 1 for before, level in zip(levels, levels[1:])), levels)
        self.assertEqual([role for role, name in nodes if role in self.NAMED and not name.strip()], [], nodes)
        self.assertEqual([role for role, _ in nodes].count("main"), 1)
        self.assertEqual(tab.js("[...document.querySelectorAll('h1')].filter(e => e.checkVisibility()).length"), 1)
        self.assertTrue(tab.js("document.querySelector('[aria-live=polite]') !== null && document.title && document.documentElement.lang"))

    def test_the_tables_head_is_a_row_of_its_grid(self):
        tab = self.tab("/", width=1280)
        tab.wait("document.querySelector('.virtual .row')")
        nodes = {node["nodeId"]: node for node in tab.call("Accessibility.getFullAXTree")["nodes"]}
        rows = [nodes[node["parentId"]] for node in nodes.values() if node.get("role", {}).get("value") == "columnheader"]
        self.assertEqual([nodes[row["parentId"]]["role"]["value"] for row in rows], ["grid"] * 6)

    def test_a_timers_last_seconds_are_legible_in_light_and_dark_mode(self):
        for name, dark in [("light", False), ("dark", True)]:
            self.begin(name, "turns")
            self.client.post(f"/api/sessions/{name}/extend", {"timer": "turn", "by": "-21s"})
            tab = self.tab(f"/s/{name}", dark=dark, still=True)
            tab.wait("document.querySelector('.ring.urgent')")
            self.assertEqual(tab.js(f"({self.contrast})(7, '.player-body')"), [], name)

    def test_the_page_announces_changes_to_a_screen_reader(self):
        self.begin("said", "calm")
        tab = self.tab("/s/said")
        self.title(tab, "First player's turn")
        self.client.send("said", "pass")
        spoken = ".unseen[aria-live]"
        self.reads(tab, spoken, "Second player's turn. Pass when you are done.")
        self.client.post("/api/sessions/said/pause")
        self.reads(tab, spoken, "Second player's turn. Pass when you are done. Paused")
        self.client.delete("/api/sessions/said")
        self.reads(tab, spoken, "said is not there")

    def test_the_page_announces_a_session_that_is_created_after_it_was_opened(self):
        tab = self.tab("/s/later")
        self.expect("404")
        spoken = ".unseen[aria-live]"
        self.reads(tab, spoken, "later is not there")
        self.begin("later", "calm")
        self.reads(tab, spoken, "First player's turn. Pass when you are done.")

    def test_the_focus_moves_to_another_view_that_is_shown(self):
        tab = self.tab("/s/main")
        self.title(tab, "Welcome")
        tab.js("document.querySelector('.player-bar .end').focus()")
        tab.key("Enter")
        tab.wait("document.querySelector('.diagram .lit')")
        self.assertEqual(tab.js("document.activeElement.id"), "root")

    def test_the_page_does_not_animate_if_the_user_prefers_reduced_motion(self):
        self.begin("still", "turns")
        moving = "document.querySelector('.half i').getAnimations()[0].effect.getTiming().easing"
        watch = "globalThis.moves = 0; { const animate = Element.prototype.animate; Element.prototype.animate = function (...of) { if (of[1].duration < 500) moves += 1; return animate.apply(this, of) } }"
        for still, easing in [(False, "linear"), (True, "steps(40)")]:
            tab = self.tab("/s/still", still=still, before=watch)
            tab.wait("document.querySelector('.half i')")
            self.assertEqual(tab.js(moving), easing)
            title = tab.js("document.querySelector('h1').textContent")
            self.client.send("still", "pass")
            tab.wait(f"document.querySelector('h1').textContent !== {title!r}")
            self.assertEqual(tab.js("moves"), 0 if still else 1)


class Denied(PageTest):
    """A token that is limited to some sessions."""
    is_open = False

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="gamed-denied-")
        cls.addClassCleanup(shutil.rmtree, folder)
        tokens, program = os.path.join(folder, "tokens"), program_beside("gamectl")
        words = [program, "token", "new", "screen", "--role", "play", "--sessions", "ro*", "--file", tokens]
        cls.token = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        cls.words = ("--session", "main=game", "--session", "room=turns", "--token-file", tokens)
        super().setUpClass()

    def test_a_page_of_a_session_that_the_token_forbids_says_so_and_other_tabs_continue(self):
        self.expect("401|403|Failed to load")
        tab = self.tab("/s/room")
        tab.wait("document.querySelector('form.login')")
        tab.type(self.token)
        tab.key("Enter")
        self.title(tab, "First player's turn")
        other = self.tab("/s/main")
        other.wait("document.querySelector('.empty h1')?.textContent === 'Your token has no permission to see main'", 10)
        self.says(other, "has no permissions to access the session 'main': the user's are ro*", ".empty p")
        self.assertEqual(other.js("document.querySelectorAll('.empty button').length"), 0)
        master = self.tab("/m/main")
        master.wait("document.querySelector('.empty h2')?.textContent === 'Your token has no permission to see main'", 10)
        missing = self.tab("/s/rome")
        missing.wait("document.querySelector('.empty h1')?.textContent === 'There is no session rome'", 10)
        self.server.resp().ask("SEND", "room", "pass")
        self.title(tab, "Second player's turn")
        self.assertFalse(tab.js(AWAY))

    def test_a_text_half_typed_when_the_login_ends_is_kept_while_the_page_asks_for_a_token(self):
        self.expect("401|403|Failed to load")
        cookie = self.client.post("/login", {"token": self.token}).cookie
        support.BROWSER.call("Storage.setCookies", cookies=[{"name": f"gamed-{self.server.port}", "value": cookie, "url": self.url("/")}])
        self.addCleanup(support.BROWSER.call, "Storage.clearCookies")
        wire = self.server.resp()
        wire.ask("NEW", "roles", "forms")
        self.addCleanup(wire.close)
        self.addCleanup(wire.ask, "DROP", "roles")
        tab = self.tab("/s/roles")
        tab.wait("document.querySelector('.actions input')")
        tab.js("document.querySelector('.actions input').select()")
        tab.type("33")
        support.BROWSER.call("Storage.clearCookies")
        tab.click(".actions button")
        self.reads(tab, "dialog h2", "Log in again")
        tab.key("Escape")
        tab.pause(2)          # a stream that is refused again asks for the login after half a second
        self.assertFalse(tab.js("!!document.querySelector('dialog')"))
        tab.click(".actions button")
        self.reads(tab, "dialog h2", "Log in again")
        tab.type("wrong")
        tab.key("Enter")
        tab.wait("document.querySelector('dialog .reason').textContent")
        tab.js("document.querySelector('dialog input').select()")
        tab.type(self.token)
        tab.key("Enter")
        tab.wait("!document.querySelector('dialog')")
        self.assertEqual((tab.js("location.pathname"), tab.js("document.querySelector('.actions input').value")), ("/s/roles", "33"))
        tab.click(".actions button")
        wait_until(lambda: b"team" in str(wire.ask("STATE", "roles")).encode(), "the text is sent")

    def test_the_overview_counts_the_sessions_that_the_token_may_see(self):
        cookie = self.client.post("/login", {"token": self.token}).cookie
        support.BROWSER.call("Storage.setCookies", cookies=[{"name": f"gamed-{self.server.port}", "value": cookie, "url": self.url("/")}])
        self.addCleanup(support.BROWSER.call, "Storage.clearCookies")
        tab = self.tab("/")
        self.reads(tab, ".strip b", "1")
        tab.wait("document.title.endsWith('1 session')")
        self.assertTrue(tab.js("document.querySelector('.tab-aside').checkVisibility()"), "some may be set aside")
        tab.click(".tab-aside")
        self.says(tab, "No session is set aside")


if __name__ == "__main__":
    support.run_tests()
