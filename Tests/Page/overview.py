"""All sessions at once, the flows, the devices, the sandbox and the login, in a browser: overview.py GAMED [TEST…]"""
import os

import support
from support import EXAMPLES, LONG_NOTICES, PageTest, called, wait_until

NAMES = "[...document.querySelectorAll('.virtual .row:not([hidden])')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map(e => e.querySelector('.name').textContent)"
SELECTED = "document.querySelector('.row[aria-selected=true] .name')?.textContent"


class Crowd(PageTest):
    """Ten thousand sessions."""

    words = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        line = cls.server.resp()
        for first in range(0, 10_000, 500):
            line.many([["NEW", f"room-{number}", "registration" if number % 2 else "forms"] for number in range(first, first + 500)])
        line.close()

    def overview(self, address="/"):
        tab = self.tab(address)
        tab.wait("document.querySelector('.virtual')?.ariaRowCount === '10001'")
        self.reads(tab, ".strip b", "10,000")
        return tab

    def choose(self, tab, name, value):
        tab.js(f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('change')) }})({called(name)})")

    def counted(self, tab, text):
        self.reads(tab, ".counted", text)

    def test_a_list_of_ten_thousand_sessions_has_fewer_than_80_rows_in_the_page(self):
        tab = self.overview()
        self.choose(tab, "Sort by", "name")
        tab.wait(f"{NAMES}[0] === 'room-0'")
        self.assertEqual(tab.js(NAMES)[:12], [f"room-{number}" for number in range(12)], "sorted as people count")
        tab.js("document.querySelector('.virtual').scrollTop = 28 * 5000")
        tab.wait(f"{NAMES}.includes('room-5000')")
        tab.js("document.querySelector('.virtual').scrollTop = 1e9")
        tab.wait(f"{NAMES}.includes('room-9999')")
        self.assertLess(tab.js("document.querySelectorAll('.virtual .row').length"), 80)

    def test_the_list_is_filtered_and_sorted_and_the_address_records_how(self):
        tab = self.overview()
        tab.click("input[type=search]")
        tab.type("room-77")
        self.counted(tab, "111 of 10,000")
        self.choose(tab, "Flow", "forms")
        self.counted(tab, "55 of 10,000")
        self.choose(tab, "Sort by", "name")
        tab.wait(f"{NAMES}[0] === 'room-770'")
        tab.click("[data-sort=name]")
        tab.wait(f"{NAMES}[0] === 'room-7798'")
        tab.wait("location.search === '?q=room-77&flow=forms&sort=name&back=1'")
        tab.click_on("document.querySelector('.virtual .row .c-state')")
        tab.wait(SELECTED)
        chosen = tab.js(SELECTED)
        address = tab.wait(f"location.search.includes('sel={chosen}') && location.href")
        colleague = self.tab(address.split(str(self.server.port), 1)[1])
        self.counted(colleague, "55 of 10,000")
        self.assertEqual((colleague.js(NAMES)[0], colleague.js(SELECTED)), (tab.js(NAMES)[0], chosen))

    def test_the_list_is_filtered_by_the_state_of_one_region(self):
        self.begin("regions", "both")
        for state, count in [("play.b.b1", "1"), ("play.a", "1"), ("play.b.b2", "0")]:
            self.counted(self.tab(f"/?state={state}"), f"{count} of 10,001")

    def test_the_list_is_filtered_by_a_glob_however_many_stars_it_has(self):
        tab = self.overview()
        for glob, count in [("room-??7?", "900"), ("R*-1?3", "10"), ("*7*7*7*", "37"), (20 * "*o" + "*x", "0")]:
            tab.click("input[type=search]")
            tab.js("document.activeElement.select()")
            tab.type(glob)
            self.counted(tab, f"{count} of 10,000")

    def test_the_list_sorts_a_pendulum_by_its_next_swing_though_no_swing_changed_its_session(self):
        tab = self.tab("/")
        order = tab.js("""(async () => {
            const { SessionStore } = await import('/page/sessions.js');
            const store = new SessionStore();
            const row = (name, kind, remaining_ms) => ({ name, flow: 'f', state: 's', version: 1, since_ms: 0, timer: { name: 't', kind, remaining_ms, length_ms: 60_000, period_ms: 60_000, paused: false } });
            const rows = [row('swings', 'pendulum', 60_000), row('sooner', 'countdown', 100_000), row('later', 'countdown', 140_000), row('overdue', 'countdown', 50_000)];
            store.apply({ whole: true, more: false, rows, gone: [] }, performance.now() - 70_000);
            return store.list({ q: '', flow: '', state: '', only: '', sort: 'fires', back: false }).map((row) => row.name);
        })()""")
        self.assertEqual(order, ["overdue", "sooner", "swings", "later"])

    def test_the_list_is_used_by_keyboard_alone(self):
        tab = self.overview()
        self.choose(tab, "Sort by", "name")
        tab.key("/")
        tab.wait("document.activeElement.type === 'search'")
        tab.type("room-12")
        self.counted(tab, "111 of 10,000")
        tab.key("Enter")
        for key, name in [("ArrowDown", "room-120"), ("ArrowDown", "room-121"), ("ArrowUp", "room-120"), ("End", "room-1299"), ("Home", "room-12"), ("ArrowDown", "room-120")]:
            tab.key(key)
            tab.wait(f"{SELECTED} === {name!r}")
        tab.key("?")
        self.reads(tab, "dialog h2", "Keys")
        tab.key("Escape")
        tab.wait("!document.querySelector('dialog')")
        self.assertTrue(tab.js("document.activeElement.matches('.virtual')"), "the list has the focus again")
        tab.key("p")
        wait_until(lambda: self.view("room-120")["paused"], "the key p pauses")
        # The stream can show it before the response to the key arrives, until which the button takes no other.
        tab.wait("document.querySelector('.row[aria-selected=true]').dataset.kind === 'frozen'")
        tab.wait("!document.querySelector('.row[aria-selected=true] [aria-busy=true]')")
        tab.key("p")
        wait_until(lambda: not self.view("room-120")["paused"], "and resumes")
        tab.key("Enter")
        self.reads(tab, ".bar h1", "room-120")
        self.assertEqual(tab.js("location.pathname"), "/m/room-120")
        tab.back()
        tab.wait(f"{SELECTED} === 'room-120'")

    def test_a_user_who_goes_back_finds_the_list_where_it_was(self):
        tab = self.overview("/?sort=name")
        tab.js("document.querySelector('.virtual').scrollTop = 28 * 5000")
        link = "[...document.querySelectorAll('.virtual .row:not([hidden]) a')].find(e => e.title === 'room-5003')"
        tab.wait(link)
        tab.click_on(link)
        tab.wait("document.querySelector('.master-bar')")
        tab.back()
        tab.wait(f"document.querySelector('.virtual')?.scrollTop > 28 * 4900 && {link}?.checkVisibility()")

    def test_keys_do_not_act_on_a_selected_session_that_the_filter_hides(self):
        tab = self.tab("/?q=room-12&sort=name&sel=room-77", before=LONG_NOTICES)
        self.counted(tab, "111 of 10,000")
        for key in ["p", "o", "Enter"]:
            tab.key(key)
        self.assertEqual(tab.js("location.pathname"), "/")
        tab.key("/")
        tab.key("Enter")
        tab.wait(f"{SELECTED} === 'room-12'")
        tab.key("p")
        self.says(tab, "room-12 is paused", ".notices")
        self.assertEqual([self.view(name)["paused"] for name in ["room-12", "room-77"]], [True, False])
        self.press(tab, "Undo", ".notices")
        wait_until(lambda: not self.view("room-12")["paused"], "the pause is undone")
        tab.key("Escape")
        self.counted(tab, "")
        tab.wait(f"{NAMES}.includes('room-0')")

    def test_a_double_click_on_a_rows_pause_button_does_not_open_the_selected_session(self):
        tab = self.tab("/?q=room-12&sort=name&sel=room-12")
        tab.wait(f"{SELECTED} === 'room-12'")
        tab.click_on("[...document.querySelectorAll('.virtual .row')].find(e => e.innerText.startsWith('room-120')).querySelector('button')", 2)
        wait_until(lambda: self.view("room-120")["paused"], "the button is pressed")
        self.assertEqual(tab.js("location.pathname"), "/")
        self.client.post("/api/sessions/room-120/resume")

    def test_a_tablets_list_shows_the_button_that_a_tap_presses(self):
        tab = self.tab("about:blank")
        tab.size(1024, 768, touch=True)
        tab.go(self.url("/?q=room-12&sort=name"))
        tab.wait("document.querySelector('.touch .virtual .row:not([hidden]) .c-action button')")
        style = "getComputedStyle(document.querySelector('.touch .virtual .row:not([hidden]) .c-action button'))"
        self.assertEqual(tab.js(f"{style}.opacity"), "1")
        self.assertGreaterEqual(tab.js(f"parseFloat({style}.minHeight)"), 44)

    def test_the_list_does_not_jump_when_rows_appear_and_disappear(self):
        tab = self.overview()
        self.choose(tab, "Sort by", "name")
        tab.js("document.querySelector('.virtual').scrollTop = 28 * 3000")
        tab.wait(f"{NAMES}.includes('room-3000')")
        on_top = "document.elementFromPoint(60, document.querySelector('.virtual').getBoundingClientRect().y + 14).closest('.row').querySelector('.name').textContent"
        before = tab.js(on_top)
        for number in range(5):
            self.begin(f"a new one {number}", "forms")
        tab.wait("document.querySelector('.virtual').ariaRowCount === '10006'")
        self.assertEqual(tab.js(on_top), before)
        tab.js("document.querySelector('.virtual').scrollTop = 0")
        tab.wait(f"{NAMES}[4] === 'a new one 4'")
        self.client.send("a new one 0", "age", 33)
        tab.wait("document.querySelector('.virtual .row .state').textContent === 'team'")
        for number in range(5):
            self.client.delete(f"/api/sessions/a%20new%20one%20{number}")
        tab.wait(f"{NAMES}[0] === 'room-0'")


class Flows(PageTest):
    words = ("--bluetooth", os.path.join(EXAMPLES, "devices.json"))

    def test_an_empty_list_explains_itself_and_a_session_is_created_there_with_parameters(self):
        tab = self.tab("/")
        self.says(tab, "No session yet")
        tab.wait("document.querySelector('.empty.first .copyable code').textContent.startsWith('gamectl new ')")
        card = "[...document.querySelectorAll('.empty.first .flow-card')].find(e => e.querySelector('h3').textContent === 'forms')"
        tab.click_on(f"{card}.querySelector('footer button')")
        self.reads(tab, "dialog h2", "New session of forms")
        people = "[...document.querySelectorAll('dialog .field')].find(e => e.innerText.includes('people') || e.innerText.includes('many')).querySelector('input')"
        self.assertEqual(tab.js(f"(e => [e.value, e.min, e.max])({people})"), ["2", "1", "99"])
        for value in ["100", "7"]:
            tab.click_on(people)
            tab.js(f"{people}.select()")
            tab.type(value)
            self.press(tab, "Create", "dialog")
            if value == "100":
                self.says(tab, "1 to 99", "dialog .reason")
        self.begun.append("forms-1")
        self.reads(tab, ".bar h1", "forms-1")
        self.assertEqual(self.view("forms-1")["data"]["people"], 7)

    def test_a_session_is_created_whose_variable_is_null_at_first(self):
        self.begin("null", "tip")
        tab = self.tab("/?tab=flows")
        card = "[...document.querySelectorAll('.page:not([hidden]) .flow-card')].find(e => e.querySelector('h3').textContent === 'tip')"
        tab.wait(f"{card}?.querySelector('footer button')")
        tab.click_on(f"{card}.querySelector('footer button')")
        self.reads(tab, "dialog h2", "New session of tip")
        self.press(tab, "Create", "dialog")
        self.begun.append("tip-1")
        self.reads(tab, ".bar h1", "tip-1")
        self.assertIsNone(self.view("tip-1")["data"]["winner"])

    def test_the_emptied_default_of_a_text_parameter_is_an_empty_text(self):
        self.begin("there", "turns")
        tab = self.tab("/?tab=flows")
        card = "[...document.querySelectorAll('.page:not([hidden]) .flow-card')].find(e => e.querySelector('h3').textContent === 'sameNames')"
        tab.wait(f"{card}?.querySelector('footer button')")
        tab.click_on(f"{card}.querySelector('footer button')")
        self.reads(tab, "dialog h2", "New session of sameNames")
        motto = "[...document.querySelectorAll('dialog .field')].find(e => e.innerText.includes('motto')).querySelector('input')"
        self.assertEqual(tab.js(f"{motto}.value"), "so far")
        tab.js(f"{motto}.value = ''")
        self.press(tab, "Create", "dialog")
        self.begun.append("sameNames-1")
        self.reads(tab, ".bar h1", "sameNames-1")
        self.assertEqual(self.view("sameNames-1")["data"], {"minutes": 20, "motto": "", "code": "too long"})

    def test_a_session_is_created_in_another_state_than_the_first(self):
        self.begin("there", "turns")
        tab = self.tab("/")
        tab.click(".tab-flows")
        card = "[...document.querySelectorAll('.page:not([hidden]) .flow-card')].find(e => e.querySelector('h3').textContent === 'game')"
        tab.wait(f"{card}?.querySelector('footer button')")
        tab.click_on(f"{card}.querySelector('footer button')")
        self.reads(tab, "dialog h2", "New session of game")
        tab.click("dialog details summary")
        fields = "[...document.querySelectorAll('dialog details .field')]"
        tab.js(f"(e => {{ e.value = [...e.options].find(o => o.text === 'choosingLevel').value }})({fields}[0].querySelector('select'))")
        tab.js(f"(e => {{ e.value = '{{\"episode\":3}}' }})({fields}[1].querySelector('input, textarea'))")
        self.press(tab, "Create", "dialog")
        self.begun.append("game-1")
        self.reads(tab, ".bar h1", "game-1")
        self.assertEqual((self.view("game-1")["state"], self.view("game-1")["data"]["episode"]), ("choosingLevel", 3))

    def test_a_browser_that_is_admitted_without_a_login_has_no_button_to_log_out(self):
        tab = self.tab("/")
        self.reads(tab, ".health-word", "● ok")
        self.assertFalse(tab.js(f"Boolean({called('Log out')})"))

    def test_an_unknown_tab_and_on_a_wide_screen_that_of_the_health_show_the_sessions(self):
        self.begin("shown", "turns")
        for address in ["/?tab=sessions", "/?tab=health"]:
            tab = self.tab(address, width=1280)
            tab.wait("document.querySelector('.virtual .row:not([hidden])')?.checkVisibility()")

    def test_left_overviews_stay_not_in_memory(self):
        for number in range(10):
            self.begin(f"left-{number}", "turns")
        tab = self.tab("/", width=1280)

        def nodes():
            tab.call("HeapProfiler.collectGarbage")
            return tab.call("Memory.getDOMCounters")["nodes"]

        counts = []
        for _ in range(8):
            tab.wait("document.querySelectorAll('.virtual .row:not([hidden]) .left').length === 10")
            tab.click(".virtual .name")
            tab.wait("document.querySelector('.master .timer')")
            counts.append(nodes())
            tab.js("history.back()")
        self.assertLess(counts[-1] - counts[2], 300, counts)

    def test_a_notice_stays_while_its_button_has_the_focus(self):
        self.begin("noticed", "calm")
        fast = "globalThis.setTimeout = (set => (run, ms, ...more) => set(run, ms >= 5000 ? ms / 20 : ms, ...more))(setTimeout)"
        tab = self.tab("/?sel=noticed", before=fast)
        tab.wait("document.querySelector('.row[aria-selected=true] .left')?.textContent")
        tab.key("p")
        tab.wait("document.querySelector('.notice .undo')")
        tab.js("document.querySelector('.notice .undo').focus()")
        tab.pause(0.7)
        self.assertTrue(tab.js("document.activeElement.matches('.undo')"))
        tab.js("document.activeElement.blur()")
        tab.wait("!document.querySelector('.notice')")

    def test_the_flows_tab_shows_each_flow_with_its_diagram(self):
        tab = self.tab("/")
        tab.click(".tab-flows")
        tab.wait("document.querySelector('.page:not([hidden]) .flow-card svg .state')")
        tab.js("document.querySelectorAll('.page .flow-card').forEach(e => e.scrollIntoView())")
        names = tab.js("[...document.querySelectorAll('.page:not([hidden]) .flow-card h3')].map(e => e.textContent)")
        self.assertLessEqual({"game", "turns", "forms", "blink"}, set(names))
        self.press(tab, "Try it", ".page:not([hidden])")
        tab.wait("document.querySelector('.timeline')")

    def test_the_devices_tab_presses_the_button_of_a_simulated_device(self):
        self.begin("hall", "turns")
        tab = self.tab("/")
        tab.click(".tab-devices")
        button = """[...document.querySelectorAll('.device')].find(e => e.querySelector('.device-name').textContent === 'turn-button')"""
        tab.wait(f"{button}?.dataset.connected === 'true'")
        tab.click_on(f"{button}.querySelector('.row button')")
        self.says(tab, "turn-button: 1 event", ".notices")
        self.assertEqual(self.view("hall")["state"], "second")


class Sandbox(PageTest):
    def test_the_sandbox_moves_a_flow_forward_and_back_in_time(self):
        tab = self.tab("/f/game")
        self.reads(tab, ".state-name", "introduction")
        self.press(tab, "Start playing", ".card")
        self.reads(tab, ".state-name", "choosingEpisode")
        self.press(tab, "+10s")
        self.reads(tab, ".now", "10 s")
        self.reads(tab, ".ring .figure", "20")
        tab.wait("document.querySelector('.timeline .primary').textContent === 'Next timer, in 20 s'")
        self.press(tab, "Next timer, in 20 s")
        self.reads(tab, ".state-name", "introduction")
        self.reads(tab, ".now", "30 s")
        slide = "(e => {{ e.value = {}; e.dispatchEvent(new Event('input')) }})(document.querySelector('.slider input'))"
        tab.js(slide.format(5000))
        self.reads(tab, ".state-name", "choosingEpisode")
        self.reads(tab, ".ring .figure", "25")
        tab.js(slide.format(0))
        self.reads(tab, ".now", "start")
        tab.js(slide.format(30000))
        self.reads(tab, ".state-name", "introduction")
        self.assertEqual(self.client.get("/api/sessions/main").json["version"], 0, "no real session has felt it")
        drag = "(e => {{ const end = e.max; {} return [end, e.max] }})(document.querySelector('.slider input'))"
        tab.js(drag.format("e.dispatchEvent(new Event('pointerdown'));"))
        end = tab.js("document.querySelector('.slider input').max")
        tab.js(slide.format(end))
        tab.wait("document.querySelector('.slider input').getAttribute('aria-valuetext') !== '30 s'")
        self.assertEqual(tab.js("document.querySelector('.slider input').max"), end, "its scale stays while it is dragged")
        before, after = tab.js(drag.format("e.dispatchEvent(new Event('pointerup'));"))
        self.assertNotEqual(before, after)
        here = tab.js("history.state.sandbox")
        tab.go(self.url("/f/game"))
        self.assertTrue(here)
        self.assertEqual(self.metric("gamed_events_total{flow=\"game\",source=\"ui\",outcome=\"taken\"}", 0), 0)

    def test_a_sandbox_keeps_its_parameters_over_a_reload_of_the_page_and_is_made_anew_once(self):
        self.expect("Failed to load")
        people = "[...document.querySelectorAll('dialog .field')].find(e => e.innerText.includes('people') || e.innerText.includes('many'))?.querySelector('input')"
        tab = self.tab("/f/forms")
        tab.wait("document.querySelector('.diagram .lit')")
        self.press(tab, "Parameters…")
        tab.wait(people)
        tab.js(f"Object.assign({people}, {{ value: '7' }})")
        self.press(tab, "Restart", "dialog")
        tab.wait("!document.querySelector('dialog')")
        known = tab.js("globalThis.old = true; history.state.sandbox")
        tab.js("setTimeout(() => location.reload())")
        tab.wait("!globalThis.old && document.querySelector('.diagram .lit')")
        self.assertEqual(tab.js("history.state.sandbox"), known)
        self.press(tab, "Parameters…")
        tab.wait(f"{people}?.value === '7'")
        self.press(tab, "Cancel", "dialog")
        tab.js("globalThis.made = 0; { const real = fetch; globalThis.fetch = (to, of) => { made += to === '/api/sandboxes'; return real(to, of) } }")
        self.assertEqual(self.client.delete(f"/api/sandboxes/{known}").status, 204)
        tab.js("[...document.querySelectorAll('.timeline button')].filter(e => e.textContent.startsWith('+')).forEach(e => e.click())")
        tab.wait(f"made === 1 && history.state.sandbox !== {known!r}")
        tab.pause(0.3)          # until another one would be made
        self.assertEqual(tab.js("made"), 1)


class Login(PageTest):
    is_open = False
    environment = {"GAMED_TOKEN": "a-token-that-nobody-guesses"}

    def test_the_printed_link_logs_a_browser_in_once_and_then_the_token_does(self):
        link = self.server.link.split(str(self.server.port), 1)[1]
        tab = self.tab(link)
        tab.wait("document.querySelector('.virtual .row')")
        self.assertNotIn("once", tab.js("location.href"))
        self.assertEqual(tab.js("document.cookie"), "", "scripts cannot read it")
        tab.go(self.url("/s/room"))
        self.title(tab, "First player's turn")
        tab.browser.call("Storage.clearCookies")
        self.expect("401|403|400")
        tab.go(self.url(link))
        tab.wait("document.querySelector('form.login')")
        tab.go(self.url("/s/room"))
        tab.wait("location.pathname === '/login' && document.querySelector('form.login')")
        tab.type("wrong")
        tab.key("Enter")
        tab.wait("document.querySelector('.reason').textContent")
        tab.type(" a-token-that-nobody-guesses ")
        tab.key("Enter")
        self.title(tab, "First player's turn")
        self.assertEqual(tab.js("location.pathname"), "/s/room")
        other = self.tab("/s/room")
        self.title(other, "First player's turn")
        tab.go(self.url("/"))
        self.press(tab, "Log out")
        for each in [tab, other]:
            each.wait("location.pathname === '/login' && document.querySelector('form.login')")

    def test_a_master_has_a_button_for_an_event_that_players_may_not_send(self):
        wire = self.server.resp()
        self.addCleanup(wire.close)
        wire.ask("NEW", "power", "both")
        self.expect("401")
        tab = self.tab("/m/power")
        tab.wait("document.querySelector('form.login')")
        tab.type("a-token-that-nobody-guesses")
        tab.key("Enter")
        self.press(tab, "Left on")
        tab.wait("document.querySelector('.state-name').textContent.includes('a2')")
        player = self.tab("/s/power")
        player.wait(called("Left on"))
        self.assertIsNone(player.js(called("All again")))
        self.press(tab, "All again")
        wait_until(lambda: "play.a.a1,play.b.b1" in str(wire.ask("STATE", "power")), "all is as at first")


if __name__ == "__main__":
    support.run_tests()
