"""A session's master, in a browser: master.py GAMED [TEST…]"""
import support
from support import LONG_NOTICES, PageTest, called, quoted, timed, wait_until

UNDO_MS = 300_000
LEFT = "li.timer .left"
SECONDS = f"(text => {{ const [m, s] = text.split(':'); return m * 60 + Number(s) }})(document.querySelector('{LEFT}').textContent)"
# The compositor's current state of the timer: the remaining part of the bar.
PART = "new DOMMatrix(getComputedStyle(document.querySelector('li.timer .bar i')).transform).a"
TIMING = "document.querySelector('li.timer .bar i').getAnimations()[0].effect.getTiming()"
PLAYS = "document.querySelector('li.timer .bar i').getAnimations()[0].playState"

# A browser whose time is `later` than the daemon's, in ms.
CLOCK = """{ const Right = Date; globalThis.later = 0; const now = () => Right.now() + later;
    globalThis.Date = class extends Right { constructor(...of) { of.length ? super(...of) : super(now()) } static now() { return now() } }; }"""


class Mastering(PageTest):
    # A busy machine has time to undo a drop.
    words = (*PageTest.words, "--limit", f"undo-ms={UNDO_MS}", "--limit", "session-history=500")

    def master(self, name, flow="calm", **more):
        self.begin(name, flow, **more)
        tab = self.tab(f"/m/{quoted(name)}", before=LONG_NOTICES)
        tab.wait("document.querySelector('.diagram svg .lit') && document.querySelector('.history li')")
        return tab

    def agrees(self, tab, name, kind):
        """The figure and the bar show the daemon's value. A busy machine draws late, so a single reading may be of an old frame."""
        tab.wait(f"document.querySelector('li.timer').dataset.kind === {kind!r}")
        tab.wait(f"""fetch('/api/sessions/{quoted(name)}').then(answer => answer.json()).then(({{ timers: [t] }}) => {{
            const left = t.remaining_ms / 1000, length = t.length_ms / 1000
            return Math.abs({SECONDS} - left - 0.5) < 0.9 && Math.abs({PART} - Math.min(1, left / length)) < 0.3 / length }})""", 10)

    @timed
    def test_a_paused_clock_stands_still_and_continues_from_there_when_it_is_resumed(self):
        tab = self.master("stop")
        player = self.tab("/s/stop")
        tab.wait(f"{SECONDS} < 299")
        self.press(tab, "Pause stop")
        self.agrees(tab, "stop", "frozen")
        self.assertEqual(tab.js(PLAYS), "paused")
        self.says(tab, "paused with the session")
        self.says(player, "Paused")
        stood = tab.js(f"document.querySelector('{LEFT}').textContent")
        tab.pause(1.2)         # longer than a figure stays if it runs
        self.reads(tab, LEFT, stood)
        self.press(tab, "Resume stop")
        self.agrees(tab, "stop", "runs")
        self.assertEqual(tab.js(PLAYS), "running")
        player.wait("document.querySelector('.ring').dataset.kind === 'runs'")
        self.assertEqual(self.lines("stop")[:2], ["resumed", "paused"])
        shown = tab.wait("(lines => lines.length > 2 && lines.slice(0, 2))([...document.querySelectorAll('.history li .event')].map(e => e.textContent))")
        self.assertEqual([text.split(" by ")[0].strip() for text in shown], ["resumed", "paused"], "each said once, without its command")

    def lines(self, name):
        return [line["what"] for line in self.client.get(f"/api/sessions/{quoted(name)}/history").json["lines"]]

    @timed
    def test_a_master_adds_time_undoes_that_and_takes_time(self):
        tab = self.master("more")
        self.press(tab, "Give Turn 1 m")
        tab.wait(f"{SECONDS} > 300")
        self.agrees(tab, "more", "runs")
        self.says(tab, "more: turn has 1 m more", ".notices")
        self.assertEqual(tab.js(f"[{TIMING}.duration, {PART}]"), [300_000, 1], "the bar stays full until less than its length remains")
        self.press(tab, "Undo", ".notices")
        tab.wait(f"{SECONDS} <= 300")
        self.agrees(tab, "more", "runs")
        self.press(tab, "Pause more")
        tab.wait("document.querySelector('li.timer').dataset.kind === 'frozen'")
        self.agrees(tab, "more", "frozen")
        left = tab.js(SECONDS)
        self.press(tab, "Give Turn 10 s")
        tab.wait(f"{SECONDS} === {left + 10}")
        self.agrees(tab, "more", "frozen")
        self.press(tab, "Take Turn 1 m")
        tab.wait(f"{SECONDS} === {left - 50}")
        self.press(tab, "Resume more")
        self.agrees(tab, "more", "runs")

    @timed
    def test_several_extensions_of_a_timer_are_undone_together(self):
        tab = self.master("thrice")
        for number in (1, 2, 3):
            self.press(tab, "Give Turn 1 m")
            self.says(tab, f"thrice: turn has {number} m more", ".notices")
        self.assertEqual(tab.js("document.querySelectorAll('.notice').length"), 1)
        self.press(tab, "Undo", ".notices")
        tab.wait(f"{SECONDS} <= 300")
        self.agrees(tab, "thrice", "runs")
        self.press(tab, "Give Turn 10 s")
        self.says(tab, "thrice: turn has 10 s more", ".notices")
        self.client.send("thrice", "pass")
        self.reads(tab, ".state-name", "second")
        self.press(tab, "Give Turn 10 s")
        self.says(tab, "thrice: turn has 10 s more", ".notices")

    @timed
    def test_keys_of_the_overview_extend_a_timer_three_times_and_one_undo_takes_all_back(self):
        self.begin("keyed", "calm")
        tab = self.tab("/?q=keyed&sel=keyed", width=1280, before=LONG_NOTICES)
        tab.wait("document.querySelector('.virtual [aria-selected=true]')")
        for text in ("10 s", "20 s", "30 s"):
            tab.key("+")
            self.says(tab, f"keyed: turn has {text} more", ".notices")
        before = self.view("keyed")["timers"][0]["remaining_ms"]
        self.press(tab, "Undo", ".notices")
        wait_until(lambda: before - self.view("keyed")["timers"][0]["remaining_ms"] >= 30_000, "the undo takes 30 s")

    @timed
    def test_time_that_was_taken_cannot_be_undone_once_the_timer_has_fired(self):
        tab = self.master("fired", "turns")
        self.client.post("/api/sessions/fired/extend", {"timer": "turn", "by": "-22s"})
        tab.wait(f"{SECONDS} <= 8")
        self.press(tab, "Take Turn 10 s")
        self.says(tab, "fired: turn has 10 s less", ".notices")
        self.reads(tab, ".state-name", "second")
        self.assertEqual(tab.js("document.querySelectorAll('.notice .undo').length"), 0, "it would give the next turn more time")
        self.client.post("/api/sessions/fired/extend", {"timer": "turn", "by": "10m"})
        self.press(tab, "Give Turn 10 s")
        tab.wait("document.querySelector('.notice .undo')")
        self.client.send("fired", "pass")
        self.reads(tab, ".state-name", "first")
        self.press(tab, "Undo", ".notices")
        self.says(tab, "fired: turn has changed since; nothing was undone", ".notices")
        self.assertNotIn("extended", self.lines("fired")[0])

    def test_the_title_and_the_next_timers_show_a_countdown_and_not_the_tick_beside_it(self):
        self.begin("ticks", "game")
        for event, payload in [("startPlaying", None), ("chooseEpisode", 3), ("chooseLevel", 5)]:
            self.client.send("ticks", event, payload)
        for path in ["/m/ticks", "/s/ticks"]:
            tab = self.tab(path)
            tab.wait("/^[12]:\\d\\d · ticks · playingLevel/.test(document.title)")
        overview = self.tab("/", width=1280)
        timers = "[...document.querySelectorAll('.next li')].filter(e => e.innerText.includes('ticks')).map(e => e.querySelector('bdi.faint').textContent)"
        self.assertEqual(overview.wait(f"({timers}).length > 0 && {timers}"), ["timeLimit"])

    def test_the_overview_lists_the_countdowns_that_fire_next_in_their_order(self):
        for number in [7, 2, 9, 1, 5]:
            self.begin(f"next-{number}", "calm")
            self.client.post(f"/api/sessions/next-{number}/extend", {"timer": "turn", "by": f"{number}m"})
        overview = self.tab("/", width=1280)
        names = "[...document.querySelectorAll('.next li a')].map(e => e.textContent).filter(e => e.startsWith('next-'))"
        self.assertEqual(overview.wait(f"({names}).length === 5 && {names}"), [f"next-{number}" for number in [1, 2, 5, 7, 9]])

    def test_a_master_sees_a_postponed_event_and_withdraws_it(self):
        self.begin("boot", "startup")
        self.client.post("/api/sessions/boot/events", {"event": "deepLink", "payload": "/news/7"})
        tab = self.tab("/m/boot")
        tab.wait("document.querySelectorAll('.postponed li').length === 1")
        self.says(tab, "/news/7", ".postponed")
        self.press(tab, "Withdraw")
        tab.wait("!document.querySelector('.postponed li')")
        self.assertEqual(self.view("boot")["postponed"], [])

    def test_a_double_click_on_Withdraw_withdraws_one_postponed_event(self):
        self.begin("boot twice", "startup")
        for number in "123":
            self.client.post("/api/sessions/boot%20twice/events", {"event": "deepLink", "payload": f"/news/{number}"})
        tab = self.tab("/m/boot%20twice")
        tab.wait("document.querySelectorAll('.postponed li').length === 3")
        self.double_click(tab, "document.querySelector('.postponed button')", "document.querySelectorAll('.postponed li').length === 2")
        self.assertEqual([each["payload"] for each in self.view("boot twice")["postponed"]], ["/news/2", "/news/3"])

    def double_click(self, tab, element, condition):
        """The second click comes once the first one's effect is shown, and another button may be there."""
        x, y = tab.middle(element)
        tab.click_at(x, y)
        tab.wait(condition)
        tab.click_at(x, y, 2)
        tab.pause(0.3)          # until what it would send is answered

    def test_a_double_click_in_the_overview_pauses_and_undoes_one_action(self):
        for number in [1, 2]:
            self.begin(f"row-{number}", "calm")
            self.client.post(f"/api/sessions/row-{number}/extend", {"timer": "turn", "by": f"{number}m"})
        tab = self.tab("/?q=row-", width=1280, before=LONG_NOTICES)
        place = "(([x, y]) => document.elementFromPoint(x, y).closest('button')?.getAttribute('aria-label'))"
        at = tab.middle(called("Pause row-1"))
        self.double_click(tab, called("Pause row-1"), f"{place}({at}) === 'Pause row-2'")
        self.assertEqual([self.view(name)["paused"] for name in ("row-1", "row-2")], [True, False])
        self.press(tab, "Pause row-2")
        tab.wait("document.querySelectorAll('.notice .undo').length === 2")
        self.double_click(tab, "[...document.querySelectorAll('.notice .undo')].at(-1)", "document.querySelectorAll('.notice').length === 1")
        self.assertEqual([self.view(name)["paused"] for name in ("row-1", "row-2")], [True, False])

    def test_the_second_click_of_a_double_click_confirms_no_question(self):
        tab = self.master("asks")
        self.press(tab, "Restart…")
        self.reads(tab, "dialog h2", "Restart asks?")
        x, y = tab.middle(called("Restart", "dialog"))
        tab.click_at(x, y, 2)
        tab.pause(0.3)          # until what it would send is answered
        self.assertTrue(tab.js("document.querySelector('dialog[open]') !== null"))
        self.assertEqual(self.lines("asks"), ["begun"])
        tab.click_at(x, y)
        tab.wait("!document.querySelector('dialog')")
        self.assertGreater(self.view("asks")["life"], 1)

    def test_a_double_click_on_a_transition_of_the_diagram_sends_one_event(self):
        tab = self.master("twice", "sameNames")
        ring = f"{called('Send ring, to open', '.diagram')}.querySelector('text')"
        self.double_click(tab, ring, "document.querySelector('.history li').innerText.includes('ring')")
        self.assertEqual(self.lines("twice").count("taken"), 1)

    @timed
    def test_a_master_pauses_one_timer_and_the_session_continues(self):
        tab = self.master("one")
        self.press(tab, "Pause Turn")
        self.agrees(tab, "one", "stopped")
        view = self.view("one")
        self.assertEqual((view["paused"], view["timers"][0]["paused"]), (False, True))
        self.press(tab, "Resume Turn")
        self.agrees(tab, "one", "runs")

    def test_a_master_forces_a_state_in_the_diagram_after_a_question(self):
        tab = self.master("force me")
        tab.click_on(called("Force second", ".diagram"))
        self.reads(tab, "dialog h2", "Force force me into second?")
        self.press(tab, "Cancel", "dialog")
        self.assertEqual(self.view("force me")["state"], "first")
        tab.click_on(called("Force second", ".diagram"))
        tab.js("(form => { form.requestSubmit(); form.requestSubmit() })(document.querySelector('dialog form'))")
        self.reads(tab, ".state-name", "second")
        tab.wait("document.querySelector('.history li.forced')")
        self.assertEqual(self.lines("force me").count("forced"), 1, "a double click counts once")
        line = self.client.get("/api/sessions/force%20me/history").json["lines"][0]
        self.assertEqual((line["what"], line["from"], line["to"]), ("forced", "first", "second"))
        self.assertTrue(line["actor"], "it is recorded who it was")
        self.says(tab, line["actor"], ".history li.forced")

    def test_a_master_sends_an_event_by_its_transition_in_the_diagram(self):
        tab = self.master("edge")
        tab.click(".diagram .edge.open[role=button] text")
        self.reads(tab, ".state-name", "second")
        self.assertEqual(tab.js("[...document.querySelectorAll('.diagram .lit')].length"), 1)
        tab.wait("document.querySelector('.diagram .lit').getAttribute('aria-label') === 'Force second'")
        forms = self.master("asked", "forms")
        forms.click(".diagram .edge.open[role=button] text")
        self.reads(forms, "dialog h2", "How old: asked")
        forms.js("document.querySelector('dialog input').select()")
        forms.type("33")
        self.press(forms, "Send", "dialog")
        self.reads(forms, ".state-name", "team")
        self.assertEqual(self.view("asked")["data"]["said"], "33")

    def test_the_history_shows_each_new_entry_and_why_an_event_was_refused(self):
        tab = self.master("told", "forms", state="door")
        found = self.client.send("told", "open", "1")
        self.assertEqual(found.status, 409)
        tab.wait("document.querySelector('.history li.refused')")
        self.says(tab, found.json["message"], ".history li.refused")
        self.assertTrue(tab.js("document.querySelector('.history li').matches('.refused.new')"), "newest first, and it flashes")
        self.client.send("told", "open", "2")
        tab.wait("document.querySelector('.history li').innerText.includes('inside')")
        self.assertEqual(tab.js("document.querySelectorAll('.history li').length"), 3)
        tab.click(".pane-head .check input")
        self.assertEqual(tab.js("[...document.querySelectorAll('.history li')].filter(e => e.checkVisibility()).length"), 1)

    def test_earlier_entries_of_the_history_are_loaded_on_request_each_once_and_in_order(self):
        self.begin("long", "calm")
        wire = self.server.resp()
        wire.many([("SEND", "long", "pass")] * 119)
        tab = self.tab("/m/long")
        tab.wait("document.querySelectorAll('.history li').length === 50")
        wire.many([("SEND", "long", "pass")] * 9)
        wire.close()
        tab.wait("document.querySelectorAll('.history li').length === 59")
        self.press(tab, "Earlier entries")
        shown = "[...document.querySelectorAll('.history li')].map(e => Number(e.dataset.seq))"
        tab.wait("document.querySelectorAll('.history li').length === 129")
        lines = self.client.get("/api/sessions/long/history?count=1000").json["lines"]
        self.assertEqual(tab.js(shown), [line["seq"] for line in lines])
        self.client.send("long", "pass")
        tab.wait("document.querySelectorAll('.history li').length === 130")
        self.assertFalse(tab.js("document.querySelector('.earlier').checkVisibility()"), "there are no more")
        short = self.master("short")
        self.assertFalse(short.js("document.querySelector('.earlier').checkVisibility()"), "there are none")

    def test_the_tab_key_stops_at_the_active_state_of_the_diagram_and_the_arrow_keys_go_to_the_others(self):
        tab = self.master("keys", "forms", state="door")
        stops = "[...document.querySelectorAll('.diagram [aria-label^=Force]')].filter(e => e.tabIndex === 0).map(e => e.getAttribute('aria-label'))"
        focused = "document.activeElement.getAttribute('aria-label')"
        self.assertEqual(tab.js(stops), ["Force door"])
        tab.js("document.querySelector('.diagram [aria-label=\"Force door\"]').focus()")
        states = tab.js("[...document.querySelectorAll('.diagram [aria-label^=Force]')].length")
        tab.key("Home")
        first = tab.js(focused)
        seen = [first]
        for _ in range(states - 1):
            tab.key("ArrowDown")
            seen.append(tab.js(focused))
        self.assertEqual(len(set(seen)), states)
        tab.key("ArrowDown")
        self.assertEqual(tab.js(focused), seen[-1], "the last one")
        tab.key("ArrowUp")
        self.assertEqual((tab.js(focused), tab.js(stops)), (seen[-2], [seen[-2]]))
        tab.key("Home")
        self.assertEqual(tab.js(focused), first)
        tab.key("Enter")
        self.says(tab, "Force", "dialog")

    def test_space_scrolls_the_focused_history_and_pauses_the_session_otherwise(self):
        tab = self.master("space")
        wire = self.server.resp()
        wire.many([("SEND", "space", "pass")] * 40)
        wire.close()
        tab.wait("document.querySelectorAll('.history li').length === 41")
        tab.js("document.querySelector('.history').focus()")
        tab.key(" ")
        tab.wait("document.querySelector('.history').scrollTop > 0")
        self.assertFalse(self.view("space")["paused"])
        tab.js("document.activeElement.blur()")
        tab.key(" ")
        wait_until(lambda: self.view("space")["paused"], "Space pauses")

    def test_the_key_p_and_space_do_not_pause_a_session_that_has_ended(self):
        tab = self.master("over", "forms", state="door")
        self.client.send("over", "open", "2")
        tab.wait("document.querySelector('.pause').disabled")
        tab.key(" ")
        overview = self.tab("/?q=over&sel=over", width=1280, before=LONG_NOTICES)
        overview.wait("document.querySelector('.virtual [aria-selected=true]')?.dataset.kind === 'final'")
        overview.key("p")
        self.says(overview, "over has ended", ".notices")
        tab.pause(0.3)          # until what it would send is answered
        self.assertFalse(self.view("over")["paused"])
        self.assertEqual(self.lines("over"), ["taken", "begun"])

    def test_a_held_space_and_a_double_click_pause_a_session_once(self):
        tab = self.master("held")
        tab.key(" ", repeats=10)
        self.reads(tab, ".pause", "▶ Resume")
        self.assertEqual(self.lines("held"), ["paused", "begun"])
        self.press(tab, "Resume held")
        self.reads(tab, ".pause", "❚❚ Pause")
        x, y = tab.middle(called("Pause held"))
        tab.click_at(x, y)
        self.reads(tab, ".pause", "▶ Resume")
        tab.click_at(x, y, 2)          # as late as that, and still the same double click
        self.client.send("held", "pass")
        self.reads(tab, ".state-name", "second")
        self.assertEqual(self.lines("held"), ["taken", "paused", "resumed", "paused", "begun"])

    def test_a_held_return_presses_once_and_answers_no_dialog_that_it_opened(self):
        tab = self.master("long press")
        tab.js(f"{called('Give Turn 10 s')}.focus()")
        tab.key("Enter", repeats=10)
        tab.wait("document.querySelectorAll('.history li').length > 1 && !document.querySelector('[aria-busy=true]')")
        [line, _] = self.client.get("/api/sessions/long%20press/history").json["lines"]
        self.assertEqual((line["what"], line["payload"], line["times"]), ("extended", "10000", 1))
        forms = self.master("long answer", "sameNames")
        forms.js(f"{called('Send change, to open', '.diagram')}.focus()")
        forms.key("Enter", repeats=10)
        self.reads(forms, "dialog h2", "Change: long answer")
        self.assertEqual((forms.js("document.querySelectorAll('dialog, dialog .reason:not(:empty)').length"), self.lines("long answer")), (1, ["begun"]))

    def test_a_dialog_of_the_diagram_sends_its_event_though_the_session_has_changed_meanwhile(self):
        tab = self.master("asked", "forms")
        tab.click(".diagram .edge.open[role=button] text")
        self.reads(tab, "dialog h2", "How old: asked")
        self.client.post("/api/sessions/asked/force", {"state": self.view("asked")["state"]})
        tab.wait("document.querySelector('.history li.forced')")
        tab.js("document.querySelector('dialog input').select()")
        tab.type("33")
        self.press(tab, "Send", "dialog")
        self.reads(tab, ".state-name", "team")

    def test_the_history_shows_a_gap_if_more_entries_came_than_are_sent(self):
        tab = self.master("gap")
        wire = self.server.resp()
        wire.many([("MULTI",)] + [("SEND", "gap", "pass")] * 80 + [("EXEC",)])
        tab.wait("document.querySelector('.history .gap')")
        self.says(tab, "Some entries are not shown here.", ".history .gap")
        shown = "[...document.querySelectorAll('.history li')].findIndex(e => e.matches('.gap'))"
        self.assertEqual(tab.js(shown), 50, "the newest lines stand above it")
        wire.close()

    def test_the_history_shows_the_day_of_an_entry_that_is_not_of_today(self):
        self.begin("days", "calm")
        tab = self.tab("/m/days", before=CLOCK)
        first = "document.querySelector('.history li:last-child time').textContent"
        tab.wait(f"/^\\d\\d:\\d\\d:\\d\\d$/.test({first})")
        tab.js("globalThis.later = 24 * 3600_000")
        self.client.send("days", "pass")
        tab.wait("document.querySelectorAll('.history li').length === 2")
        day = "new Date(Date.now() - later).toLocaleDateString(undefined, { month: 'short', day: 'numeric' })"
        self.assertTrue(tab.js(f"{first}.startsWith({day} + ' ')"), tab.js(first))

    def test_the_page_restarts_a_session_after_it_has_asked(self):
        tab = self.master("anew", state="second")
        self.press(tab, "Restart…")
        self.reads(tab, "dialog h2", "Restart anew?")
        tab.key("Enter")               # Return answers a dangerous question with no
        tab.wait("!document.querySelector('dialog')")
        self.assertEqual(tab.js("document.activeElement.textContent"), "Restart…", "the focus returns")
        self.assertEqual(self.view("anew")["state"], "second")
        self.press(tab, "Restart…")
        self.press(tab, "Restart", "dialog")
        self.reads(tab, ".state-name", "first")
        self.assertGreater(self.view("anew")["life"], 1)

    def test_the_page_drops_a_session_after_it_has_asked_and_restores_it_on_undo(self):
        self.expect("404.*/api/sessions/dropped")
        tab = self.master("dropped", state="second")
        player = self.tab("/s/dropped")
        self.title(player, "Second player's turn")
        self.press(tab, "Drop…")
        self.reads(tab, "dialog h2", "Drop dropped?")
        self.press(tab, "Drop", "dialog")
        self.says(tab, "There is no session dropped")
        self.says(player, "There is no session dropped")
        self.assertEqual(self.client.get("/api/sessions/dropped").status, 404)
        self.press(tab, "Undo", ".notices")
        self.reads(tab, ".state-name", "second")
        self.title(player, "Second player's turn")
        tab.wait("document.querySelector('li.timer .left')")
        self.assertEqual(self.view("dropped")["state"], "second")

    def test_the_page_offers_no_undo_of_a_drop_if_the_daemon_keeps_nothing_for_it(self):
        self.expect("404.*/api/sessions/final")
        wire = self.server.resp()
        wire.ask("CONFIG", "SET", "undo-ms", "0")
        self.addCleanup(wire.close)
        self.addCleanup(wire.ask, "CONFIG", "SET", "undo-ms", UNDO_MS)
        tab = self.master("final")
        self.press(tab, "Drop…")
        self.says(tab, "You cannot undo this.", "dialog")
        self.press(tab, "Drop", "dialog")
        self.says(tab, "final was dropped", ".notices")
        self.assertEqual(tab.js("document.querySelectorAll('.notice .undo').length"), 0)

    def test_a_large_diagram_shows_the_part_with_the_sessions_state(self):
        tab = self.master("long", "long")
        tab.wait("document.querySelector('.diagram.full')")
        sight = "(r => r.top > 0 && r.bottom < innerHeight)(document.querySelector('.diagram .lit').getBoundingClientRect())"
        self.assertTrue(tab.js(sight))
        self.client.post("/api/sessions/long/force", {"state": "s33"})
        self.reads(tab, ".state-name", "s33")
        tab.wait(sight)
        self.press(tab, "Actual size")
        self.assertTrue(tab.js("document.querySelector('.diagram svg').getBoundingClientRect().height < innerHeight"), "and as a whole on demand")

    def test_a_diagram_lights_all_parallel_states(self):
        self.begin("cross", "both")
        tab = self.tab("/m/cross")
        tab.wait("document.querySelectorAll('.diagram .state.lit:not(.frame)').length === 2")
        self.press(tab, "Right on")
        tab.wait("document.querySelector('.state-name').textContent.includes('b2')")
        self.assertEqual(tab.js("document.querySelector('.state-name').innerHTML"), "play: a.<wbr>a1, b.<wbr>b2", "breaks after dots")


class Names(PageTest):
    words = ("--limit", f"undo-ms={UNDO_MS}")
    HOSTILE = ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "\u202eright to left\u202c \u200f\u2067", "🎲" * 63 + "abc",
               "a/b?c#d%2F&e=..", "javascript:alert(1)"]
    STRANGE = "document.querySelectorAll('main img, main script, body > script, main iframe, main a[href^=javascript]').length"

    def test_every_view_shows_a_hostile_session_name_as_text(self):
        self.expect("404.*/api/sessions/")     # for a dropped session the page asks whether it is set aside
        for name in self.HOSTILE:
            self.begin(name, "calm")
        tab = self.tab("/", before=LONG_NOTICES)
        tab.wait(f"document.querySelectorAll('.virtual .row:not([hidden])').length === {len(self.HOSTILE)}")
        self.assertEqual(sorted(tab.js("[...document.querySelectorAll('.virtual .row:not([hidden]) .name')].map(e => e.textContent)")), sorted(self.HOSTILE))
        tab.wait("document.querySelectorAll('.next li').length >= 4 || !document.querySelector('.health')?.checkVisibility()")
        self.assertEqual(tab.js(self.STRANGE), 0)
        for number, name in enumerate(self.HOSTILE):
            with self.subTest(name=name):
                self.walk(tab, name, "sk"[number % 2])

    def walk(self, tab, name, view):
        tab.go(self.url(f"/{view}/{quoted(name)}"))
        self.title(tab, "First player's turn")
        if view == "s":
            self.reads(tab, ".player-bar bdi", name.strip())
        tab.go(self.url(f"/m/{quoted(name)}"))
        self.reads(tab, ".bar h1 bdi", name.strip())
        tab.wait("document.querySelector('.diagram svg .lit') && document.querySelector('li.timer .left')")
        self.assertIn(" ".join(name.split()), " ".join(tab.js("document.title").split()))
        self.press(tab, "Drop…")
        self.reads(tab, "dialog h2", f"Drop {name}?")
        self.press(tab, "Drop", "dialog")
        self.says(tab, f"{name} was dropped", ".notices")
        self.press(tab, "Undo", ".notices")
        self.reads(tab, ".state-name", "first")
        self.assertEqual(tab.js(self.STRANGE), 0)

    def test_a_masters_page_shows_a_hostile_payload_as_text(self):
        self.begin("payload", "forms", state="name")
        tab = self.tab("/m/payload")
        tab.wait("document.querySelector('.side form input')")
        self.client.send("payload", "name", "<b>&quot;</b>")
        self.client.send("payload", "name", "<i>\u202e</i>")
        self.says(tab, "<i>\u202e</i> stands before it.")
        tab.wait("document.querySelector('.history .payload').textContent.includes('<i>')")
        self.assertEqual(tab.js("document.querySelectorAll('main b:not(.half), main :is(.says, .history) i').length"), 0)


if __name__ == "__main__":
    support.run_tests()
