"""The player's view in a browser: play.py GAMED [TEST…]"""
import support
from support import PageTest, called, timed, wait_until

# A browser that gets each response once `late` is fulfilled.
LATE_FETCH = """{ const right = fetch; globalThis.late = null;
    globalThis.fetch = async (...request) => { const answer = await right(...request); await late; return answer; }; }"""
PRESSED = "document.activeElement?.textContent.trim()"


class Playing(PageTest):
    def test_a_player_plays_the_game_to_its_end_by_clicking(self):
        tab = self.tab("/s/main")
        self.title(tab, "Welcome")
        self.press(tab, "Start playing")
        self.title(tab, "Choose an episode")
        self.press(tab, "Choose episode: 3")
        self.title(tab, "Episode 3")
        self.press(tab, "Choose level: 5")
        self.title(tab, "Episode 3, level 5")
        self.fill(tab, "1200")
        self.press(tab, "Complete level")
        self.says(tab, "Finished with a score of 1200.")
        self.press(tab, "Dismiss finished level")
        self.title(tab, "Episode 3")
        # A slow browser plays the level for longer than a second.
        lines = self.client.get("/api/sessions/main/history?count=50").json["lines"]
        ticks = sum(line.get("times", 1) for line in lines if line["event"] == "tick")
        self.assertEqual((self.view("main")["state"], self.view("main")["version"] - ticks), ("choosingLevel", 5))

    def fill(self, tab, text):
        tab.click(".card form :is(input, select)")
        tab.js("document.activeElement.select()")
        tab.type(text)

    def test_the_players_page_says_that_a_session_has_ended(self):
        self.begin("ann", "registration")
        tab = self.tab("/s/ann")
        for name in ["Next", "Register later", "Agree"]:
            self.press(tab, name)
            tab.wait("!document.querySelector('[aria-busy=true]')")
        self.says(tab, "This session has ended.")
        self.assertEqual(tab.js("document.querySelectorAll('main button').length"), 0)

    def test_a_form_shows_what_was_entered_when_the_player_goes_back(self):
        self.begin("ben", "registration")
        tab = self.tab("/s/ben")
        self.press(tab, "Next")
        names = "[...document.querySelectorAll('.card form input')]"
        tab.wait(f"{names}.length === 2")
        tab.click(".card form input")
        tab.type("Ben")
        self.press(tab, "Enter profile")
        self.says(tab, "Choose a picture.")
        self.press(tab, "Back")
        tab.wait(f"{names}.length === 2")
        self.assertEqual(tab.js(f"{names}.map(input => input.value)"), ["Ben", ""])
        self.says(tab, "You are Ben.")
        self.press(tab, "Next")
        self.press(tab, "Choose avatar: owl")
        tab.wait("document.querySelector('.card select')")
        self.assertEqual(self.view("ben")["data"]["avatar"], "owl")

    def test_a_form_begins_with_a_sessions_texts_that_fit_and_without_its_numbers(self):
        self.begin("same", "sameNames")
        tab = self.tab("/s/same")
        fields = "[...document.querySelectorAll('.card form .field')].map(e => [e.querySelector('label').textContent, e.querySelector('input').value])"
        tab.wait(f"{fields}.length === 4")
        self.assertEqual(dict(tab.js(fields)), {"minutes": "0", "motto": "so far", "code": "", "mark": ""})

    def test_a_form_keeps_the_line_breaks_of_a_sessions_text(self):
        self.begin("lines", "sameNames", context={"motto": "first\nsecond"})
        tab = self.tab("/s/lines")
        motto = "document.querySelector('.card form textarea')"
        tab.wait(f"{motto}?.value === 'first\\nsecond'")
        tab.click_on(motto)
        tab.key("End", modifiers=2)
        tab.key("Enter")
        tab.type("third")
        code = "[...document.querySelectorAll('.card form .field')].find(e => e.querySelector('label').textContent === 'code').querySelector('input')"
        tab.js(f"{code}.value = '1234'")
        self.press(tab, "Change")
        wait_until(lambda: self.view("lines")["data"]["motto"] == "first\nsecond\nthird", "all lines are sent")

    def test_a_text_field_shows_how_many_characters_it_takes(self):
        self.begin("code", "sameNames")
        tab = self.tab("/s/code")
        hints = "[...document.querySelectorAll('.card form .field small')].map(e => e.textContent).sort()"
        tab.wait(f"{hints}.length === 3")
        self.assertEqual(tab.js(hints), ["-30 to 30", "4 characters", "at most 1 character"])
        self.press(tab, "Change")
        self.reads(tab, ".reason", "code: 4 characters")

    @timed
    def test_the_players_page_shows_the_next_state_when_a_countdown_fires(self):
        self.begin("blink", "blink")
        # Its time does not pass before it is shown.
        self.client.post("/api/sessions/blink/pause")
        tab = self.tab("/s/blink")
        tab.wait("document.querySelector('.ring .figure')")
        self.client.post("/api/sessions/blink/resume")
        figures, gap = tab.js("""new Promise(resolve => {
            const seen = new Set();
            let last = performance.now(), gap = 0;
            const look = () => {
                const now = performance.now();
                gap = Math.max(gap, now - last);
                last = now;
                const figure = document.querySelector('.ring .figure');
                if (figure) seen.add(figure.textContent);
                if (document.querySelector('h1')?.textContent === 'Over') resolve([[...seen], gap / 1000]);
                else requestAnimationFrame(look);
            };
            look();
        })""")
        left = [float(figure) for figure in figures]
        self.assertEqual(left, sorted(left, reverse=True))
        self.assertGreater(len([figure for figure in left if 0 < figure < 2]), 5, figures)
        # A busy machine draws rarely, so the last drawn figure may be earlier by the gap.
        self.assertLess(left[-1], 0.3 + gap, "it runs down to the end")
        self.assertEqual(tab.js("document.querySelectorAll('.ring').length"), 0)
        self.assertIn("over", tab.js("document.title"))

    def test_the_players_page_has_an_input_for_each_kind_of_payload(self):
        self.begin("forms", "forms")
        tab = self.tab("/s/forms")
        field = "(e => [e.type, e.min, e.max, e.inputMode])(document.querySelector('form input'))"
        tab.wait("document.querySelector('form input')")
        self.assertEqual(tab.js(field), ["number", "10", "120", "numeric"])
        self.fill(tab, "9")
        self.press(tab, "How old")
        self.reads(tab, ".reason", "years: a whole number, 10 to 120")
        self.assertEqual(self.view("forms")["version"], 0, "what cannot be valid is not sent")
        self.fill(tab, "21")
        tab.key("Enter")
        self.title(tab, "Team")
        self.assertEqual(tab.js("[...document.querySelectorAll('.choice')].map(e => e.textContent)"), ["red", "blue", "green"])
        self.press(tab, "Which team: blue")
        self.title(tab, "Name")
        self.fill(tab, "abcdefghijklm")
        self.press(tab, "Your name")
        self.reads(tab, ".reason", "name: 2 to 12 characters")
        self.fill(tab, "🎲" * 12)
        self.press(tab, "Your name")
        self.says(tab, "🎲" * 12 + " stands before it.")

    def test_a_number_that_must_be_negative_begins_with_one(self):
        self.begin("cold", "wide")
        tab = self.tab("/s/cold")
        tab.wait("document.querySelector('form input')?.value === '-5'")
        self.press(tab, "Cool down")
        self.title(tab, "Over")

    def test_a_player_leaves_out_the_only_field_of_an_event_if_it_is_optional(self):
        self.begin("tip", "tip")
        tab = self.tab("/s/tip")
        tab.wait("document.querySelector('form input')?.value === ''")
        self.press(tab, "Tip")
        self.says(tab, "Heard: no tip")
        self.fill(tab, "5")
        self.press(tab, "Tip")
        self.says(tab, "Heard: tip 5")
        self.press(tab, "Mood")
        self.says(tab, "Heard: no mood")

    def test_a_whole_number_of_more_than_53_bits_is_sent_as_it_was_typed(self):
        self.begin("card", "tip")
        tab = self.tab("/s/card")
        form = "[...document.querySelectorAll('.card form')].find(e => e.innerText.includes('number'))"
        tab.wait(form)
        tab.js(f"{form}.querySelector('input').value = '9007199254740993'")
        self.press(tab, "Card")
        self.says(tab, "Heard: card 9007199254740993")
        master = self.tab("/m/card")
        master.wait("document.querySelector('.any-event option')")
        master.click(".any-event summary")
        master.js(f"(e => {{ e.value = 'card'; e.dispatchEvent(new Event('change')) }})({called('Event', '.any-event')})")
        master.click(".any-event .check input")
        master.click(".any-payload textarea")
        master.type('{"number": -9007199254740995}')
        self.press(master, "Send", ".any-event")
        self.says(tab, "Heard: card -9007199254740995")

    def test_a_choice_of_an_empty_text_has_a_button_that_says_so(self):
        self.begin("mark", "tip")
        tab = self.tab("/s/mark")
        tab.wait("document.querySelectorAll('.choice').length === 2")
        self.assertEqual(tab.js("[...document.querySelectorAll('.choice')].map(e => e.textContent)"), ["star", "(empty)"])
        self.press(tab, "Mark: (empty)")
        self.says(tab, "Heard: mark <>")

    def test_a_player_has_no_button_for_an_event_that_only_programs_may_send(self):
        self.begin("doors", "wide")
        tab = self.tab("/s/doors")
        buttons = "[...document.querySelectorAll('.card .actions button')].map(e => e.textContent)"
        tab.wait(f"{buttons}.length")
        self.assertEqual(tab.js(buttons), ["Cool down", "Ring"])

    def test_the_players_texts_grow_with_the_screen(self):
        self.begin("large", "forms")
        sizes = "['.title', '.field > label', '.field > small', 'form input', 'form button'].map(s => parseFloat(getComputedStyle(document.querySelector(s)).fontSize))"
        tab = self.tab("/s/large", width=1920, height=1000)
        tab.wait("document.querySelector('form input')")
        large = tab.js(sizes)
        self.assertGreater(min(large), 17, "read at an arm's length")
        tab.size(390, 844)
        self.assertTrue(all(small < of for small, of in zip(tab.js(sizes), large)), "and it is smaller on a phone")

    def test_the_reason_of_a_refused_event_appears_beside_its_button(self):
        self.begin("refused", "forms", state="door")
        tab = self.tab("/s/refused")
        self.expect("409")
        self.fill(tab, "1")
        self.press(tab, "Open the door")
        tab.wait("document.querySelector('.action-box .reason').textContent.includes('open')")
        self.fill(tab, "4711")
        self.press(tab, "Open the door")
        self.title(tab, "Inside")

    def test_the_reason_of_a_refused_event_goes_with_the_state_in_which_it_was_refused(self):
        self.expect("409")
        self.begin("ring", "wide")
        tab = self.tab("/s/ring", before="const now = performance.now.bind(performance); let skipped = 0; performance.now = () => now() + skipped")
        tab.wait("document.querySelectorAll('form').length === 2")
        self.press(tab, "Ring")
        tab.wait("document.querySelector('.reason:not(:empty)')")
        self.client.post("/api/sessions/ring/extend", {"timer": "turn", "by": "1s"})
        tab.js("skipped = 5000")
        self.assertTrue(tab.js("Boolean(document.querySelector('.reason:not(:empty)'))"), "the state is the same")
        self.client.post("/api/sessions/ring/force", {"state": "open"})
        self.title(tab, "Open")
        self.assertEqual(tab.js("document.querySelectorAll('form').length"), 1, "Ring is still valid")
        self.assertFalse(tab.js("Boolean(document.querySelector('.reason:not(:empty)'))"))

    def test_the_reason_of_a_refused_event_is_shown_though_its_button_has_gone_until_the_next_state(self):
        self.begin("late", "game")
        tab = self.tab("/s/late", before=support.LONG_NOTICES + """const send = fetch; globalThis.fetch = async (...of) => {
            if (of[1]?.method !== 'POST') return send(...of);
            await new Promise((go) => { globalThis.answer = go; });
            return new Response('{"error":"STALE","message":"too late"}', { status: 409, headers: { 'Content-Type': 'application/json' } }); }""")
        self.press(tab, "Start playing")
        tab.wait("Boolean(globalThis.answer)")
        self.client.send("late", "startPlaying")
        self.title(tab, "Choose an episode")
        tab.js("answer()")
        self.says(tab, "too late", ".notices")
        self.client.send("late", "chooseEpisode", 3)
        self.title(tab, "Episode 3")
        tab.wait("!document.querySelector('.notices .refused')")

    def test_the_notice_of_a_fresh_refusal_does_not_stay_in_the_next_state(self):
        self.expect("409")
        self.begin("lock", "forms", state="door")
        tab = self.tab("/s/lock", before=support.LONG_NOTICES)
        self.fill(tab, "1")
        self.press(tab, "Open the door")
        tab.wait("document.querySelector('.reason:not(:empty)')")
        self.client.post("/api/sessions/lock/force", {"state": "team"})
        self.title(tab, "Team")
        # It is drawn with the state, and may be read for 2 s.
        tab.wait("!document.querySelector('.notices .refused')")

    def test_a_double_click_and_a_double_tap_send_one_event(self):
        self.begin("double", "calm")
        tab = self.tab("/s/double")
        self.title(tab, "First player's turn")
        x, y = tab.middle(called("Pass the turn"))
        tab.click_at(x, y)
        self.title(tab, "Second player's turn")
        tab.click_at(x, y, 2)          # as late as that, and still the same double click
        self.assertEqual(self.settled(tab, "double"), 1)
        tab.size(390, 844, touch=True)
        tab.tap_on(called("Pass the turn"), 2)
        self.assertEqual(self.settled(tab, "double"), 2)

    def settled(self, tab, name):
        """The version once all presses are answered."""
        tab.wait("!document.querySelector('[aria-busy=true]')")
        return tab.js(f"fetch('/api/sessions/{name}').then(answer => answer.json()).then(view => view.version)")

    def test_two_tabs_show_the_same_state_over_one_stream(self):
        self.begin("both", "calm")
        one, other = self.tab("/s/both"), self.tab("/m/both")
        self.press(one, "Pass the turn")
        self.title(one, "Second player's turn")
        self.reads(other, ".state-name", "second")
        self.press(other, "Pass the turn", ".side")
        self.title(one, "First player's turn")
        self.assertEqual(self.metric("gamed_http_streams"), 1)
        self.assertEqual(self.view("both")["version"], 2)

    def test_a_kiosk_page_has_no_links(self):
        self.begin("kiosk", "calm")
        tab = self.tab("/k/kiosk")
        self.title(tab, "First player's turn")
        self.assertEqual(tab.js("document.querySelectorAll('a, header, nav').length"), 0)
        self.press(tab, "Pass the turn")
        self.title(tab, "Second player's turn")

    def test_a_player_plays_by_keyboard_alone(self):
        self.begin("keys", "game")
        tab = self.tab("/s/keys")
        self.title(tab, "Welcome")
        for _ in range(8):
            if tab.js(PRESSED) == "Start playing":
                break
            tab.key("Tab")
        tab.key("Enter")
        self.title(tab, "Choose an episode")
        self.assertEqual(tab.js(PRESSED), "1", "focus goes on where it was")
        tab.key("2")
        self.title(tab, "Episode 2")
        tab.key("4")
        self.title(tab, "Episode 2, level 4")
        self.assertEqual(tab.js("document.activeElement.type"), "number")
        tab.js("document.activeElement.select()")
        tab.type("77")
        tab.key("Enter")
        self.says(tab, "Finished with a score of 77.")

    def test_a_player_who_types_on_after_a_timer_changed_the_state_presses_no_button(self):
        self.begin("typist", "forms")
        tab = self.tab("/s/typist")
        tab.click(".card form input")
        tab.key("4")
        self.client.post("/api/sessions/typist/force", {"state": "team"})
        self.title(tab, "Team")
        self.assertTrue(tab.js("document.activeElement.matches('.actions')"), "no button has the focus")
        version = self.view("typist")["version"]
        for key in ["2", " ", "Enter", "1"]:
            tab.key(key)
        self.assertEqual(self.settled(tab, "typist"), version)
        tab.key("Tab")
        tab.key("Enter")
        self.title(tab, "Name")

    def test_a_press_that_begins_in_one_state_and_ends_in_the_next_sends_nothing(self):
        self.begin("pressed", "questions")
        tab = self.tab("/s/pressed")
        self.title(tab, "One")
        at = dict(zip("xy", tab.middle(called("Answer: A"))), button="left", clickCount=1)
        tab.call("Input.dispatchMouseEvent", type="mousePressed", **at)
        self.client.send("pressed", "answer", "B")
        self.title(tab, "Two")
        tab.call("Input.dispatchMouseEvent", type="mouseReleased", **at)
        self.assertEqual(self.settled(tab, "pressed"), 1)
        self.press(tab, "Answer: A")
        self.title(tab, "Three")

    def test_a_form_keeps_a_typed_text_until_another_question_is_asked_or_it_was_accepted(self):
        self.begin("asked", "questions")
        tab = self.tab("/s/asked")
        self.title(tab, "One")
        for title in ["Two", "Three"]:
            self.client.send("asked", "answer", "A")
            self.title(tab, title)
        typed = "document.querySelector('.card form input').value"
        tab.click(".card form input")
        tab.type("Paris")
        self.client.send("asked", "lamp")
        tab.wait("document.title.includes('lamp.on')")
        self.assertEqual(tab.js(f"[{typed}, document.activeElement.tagName]"), ["Paris", "INPUT"])
        tab.key("Enter")
        self.title(tab, "Four")
        tab.wait(f"{typed} === ''")
        tab.type("Rome")
        tab.key("Enter")
        tab.wait(f"{typed} === ''")
        self.assertEqual(self.view("asked")["data"]["said"], "Rome")
        tab.type("Oslo")
        self.client.post("/api/sessions/asked/force", {"state": "play.quiz.three"})
        self.title(tab, "Three")
        self.assertEqual(tab.js(typed), "")

    def test_a_form_keeps_what_was_typed_while_its_event_was_under_way(self):
        self.begin("typed on", "questions", state="play.quiz.four")
        tab = self.tab("/s/typed%20on", before=LATE_FETCH)
        self.title(tab, "Four")
        typed = "document.querySelector('.card form input').value"
        tab.click(".card form input")
        tab.type("Rome")
        tab.js("globalThis.late = new Promise(resolve => { globalThis.arrive = resolve }), 0")
        tab.key("Enter")
        wait_until(lambda: self.view("typed on")["data"]["said"] == "Rome", "it is sent")
        tab.type(" and Oslo")
        tab.js("arrive()")
        tab.wait("!document.querySelector('[aria-busy=true]')")
        self.assertEqual(tab.js(typed), "Rome and Oslo")
        tab.key("Enter")
        tab.wait(f"{typed} === ''")
        self.assertEqual(self.view("typed on")["data"]["said"], "Rome and Oslo")

    def test_the_focus_stays_on_a_button_of_the_same_name_in_the_next_state(self):
        self.begin("focused", "questions")
        tab = self.tab("/s/focused")
        self.title(tab, "One")
        tab.js("document.querySelectorAll('.choice')[1].focus()")
        self.client.send("focused", "answer", "A")
        self.title(tab, "Two")
        self.assertEqual(tab.js(PRESSED), "B")

    def test_the_focus_stays_on_the_same_input_of_a_form_that_is_made_anew(self):
        self.begin("again", "sameNames")
        tab = self.tab("/s/again")
        tab.wait("document.querySelectorAll('form input').length === 4")
        label = "document.activeElement.labels?.[0]?.textContent"
        tab.js("globalThis.old = document.querySelector('form'); [...old.querySelectorAll('input')].at(-1).focus()")
        before = tab.js(label)
        tab.js("[...old.querySelectorAll('input')][2].value = '1234'")
        tab.key("Enter")
        tab.wait("document.querySelector('form') !== old")
        self.assertEqual(tab.js(label), before)

    def test_a_length_is_rounded_before_it_is_divided_into_units(self):
        tab = self.tab("/")
        texts = tab.js("import('/page/time.js').then(({ lengthText }) => [59_960, 119_980, 999.7, 250.4, 3_599_970, 90_000, 0].map(lengthText))")
        self.assertEqual(texts, ["1 m", "2 m", "1 s", "250 ms", "1 h", "1 m 30 s", "0 s"])

    def test_texts_that_are_written_from_right_to_left_are_laid_out_so(self):
        self.begin("right", "right")
        self.client.post("/api/sessions/right/pause", {"timer": "turn"})
        tab = self.tab("/s/right")
        tab.wait("document.querySelector('.ring[data-kind=stopped]')")
        tab.click(".card form input")
        tab.type("שלום!")
        directions = "['.title', '.text', 'figcaption bdi', 'form input'].map(name => getComputedStyle(document.querySelector(name)).direction)"
        self.assertEqual(tab.js(directions), ["rtl"] * 4)
        self.assertEqual(tab.js("[...document.querySelector('figcaption').children].map(e => e.textContent)"), ["תור!", " · paused"])


class OnAPhone(PageTest):
    SMALL = """[...document.querySelectorAll('a, button, select, input:not([type=checkbox])')].filter(e => e.checkVisibility())
        .map(e => [e, e.getBoundingClientRect()]).filter(([, r]) => r.width > 0 && (r.height < 43.5 || r.width < 43.5))
        .map(([e, r]) => `${e.tagName} ${e.getAttribute('aria-label') ?? e.textContent}: ${r.width} x ${r.height}`)"""
    # Elements that are clipped by their own box are harmless.
    WIDE = """(() => { const cut = e => e !== document.body && (getComputedStyle(e).overflowX !== 'visible' || cut(e.parentElement));
        return [...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1
            && !e.closest('svg') && !cut(e.parentElement)).map(e => e.outerHTML.slice(0, 80)) })()"""

    def fits(self, tab, what, width=390):
        self.assertEqual(tab.js("document.documentElement.scrollWidth"), width, what)
        self.assertEqual(tab.js(self.WIDE), [], what)

    def test_no_view_is_too_wide_for_a_phone_and_no_target_is_too_small(self):
        self.begin("forms", "forms")
        self.begin("wide", "wide")
        self.begin("choices", "choices")
        self.begin("a session with a name that is longer than any phone is wide, and has " + "nobreak" * 12, "turns")
        tab = self.tab("about:blank")
        tab.size(390, 844, touch=True)
        for path, sight in [("/s/main", "h1"), ("/s/forms", "form"), ("/k/room", ".ring"), ("/m/room", ".diagram svg"), ("/", ".virtual .row"),
                            ("/?tab=flows", ".flow-card"), ("/?tab=health", ".facts div"), ("/f/turns", ".timeline"), ("/login", "form"),
                            ("/s/choices", "form"), ("/m/choices", "form"), ("/s/wide", ".ring"), ("/m/wide", ".timer"), ("/f/wide", ".timer"),
                            ("/m/" + support.quoted("a session with a name that is longer than any phone is wide, and has " + "nobreak" * 12), ".timer")]:
            with self.subTest(path=path):
                tab.go(self.url(path))
                tab.wait(f"document.querySelector({sight!r})")
                self.fits(tab, path)
                self.assertEqual(tab.js(self.SMALL), [], path)
        tab.js("document.querySelector('.flow-name').textContent = 'nobreak'.repeat(12)")
        self.fits(tab, "a flow with a long name")

    def test_every_view_shows_everything_at_a_zoom_of_400_percent(self):
        tab = self.tab("about:blank", width=320, height=256)
        for path, sight, least in [("/", ".virtual .row", 180), ("/m/room", ".diagram svg", 180), ("/s/main", "main button", 0), ("/?tab=flows", ".flow-card", 0)]:
            tab.go(self.url(path))
            tab.wait(f"document.querySelector({sight!r})")
            self.fits(tab, path, 320)
            self.assertGreater(tab.js(f"document.querySelector({sight!r}).parentElement.closest('.virtual, .picture, main').clientHeight"), least, path)

    def test_a_player_plays_by_touch_alone(self):
        self.begin("finger", "game")
        tab = self.tab("/s/finger", width=390, height=844)
        tab.size(390, 844, touch=True)
        for name, title in [("Start playing", "Choose an episode"), ("Choose episode: 4", "Episode 4"), ("Choose level: 1", "Episode 4, level 1")]:
            tab.tap_on(called(name))
            self.title(tab, title)
            self.fits(tab, title)


if __name__ == "__main__":
    support.run_tests()
