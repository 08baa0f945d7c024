"""An operator's tasks in the page: sessions that are set aside, reloaded files, virtual time: care.py GAMED [TEST…]"""
import os
import shutil
import subprocess
import tempfile

import support
from support import PageTest, called, program_beside, quoted


class Care(PageTest):
    """In virtual time, with flow files that change, and a browser that is logged in, which a reload requires."""

    is_open = False
    flows = tempfile.mkdtemp(prefix="gamed-flows-")
    file = os.path.join(flows, "forms.json5")
    tokens = os.path.join(flows, "tokens")
    words = ("--time", "virtual", "--token-file", tokens)

    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(shutil.rmtree, cls.flows)
        shutil.copytree(support.FLOWS, cls.flows, dirs_exist_ok=True)
        words = [program_beside("gamectl"), "token", "new", "screen", "--role", "play", "--sessions", "ro*", "--file", cls.tokens]
        cls.token = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        super().setUpClass()
        cls.client = cls.server.logged_in()
        with open(cls.file) as file:
            cls.text = file.read()

    def setUp(self):
        super().setUp()
        self.addCleanup(self.as_it_was)
        self.log_in(self.client.cookie)

    def log_in(self, cookie):
        support.BROWSER.call("Storage.setCookies", cookies=[{"name": f"gamed-{self.server.port}", "value": cookie, "url": self.url("/")}])

    def as_it_was(self):
        self.write(self.text)
        self.client.post("/api/reload")

    def write(self, text, file=file):
        with open(file, "w") as opened:
            opened.write(text)

    def without_age(self):
        """A definition in which the first state has another name."""
        self.write(self.text.replace("age: { view:", "years: { view:").replace('initial: "age"', 'initial: "years"'))

    def set_aside(self, *names):
        for name in names:
            self.begin(name, "forms")
        self.without_age()
        self.client.post("/api/reload")
        return [row["aside"] for row in self.client.get("/api/sessions?state=!").json["sessions"]]

    def overview(self, path):
        """Waits for the status, after which the layout is stable."""
        tab = self.tab(path)
        tab.wait("document.querySelector('.advance .now')?.textContent")
        return tab

    def lines(self, tab):
        return tab.wait("(lines => lines.length && lines)([...document.querySelectorAll('dialog .reload-lines li')].map(e => e.textContent))")

    def test_the_page_reloads_files_after_it_has_shown_what_would_change(self):
        self.begin("old", "forms")
        tab = self.overview("/?tab=flows")
        self.without_age()
        self.press(tab, "Reload files…", ".page:not([hidden])")
        problem = "'forms' has no state 'age'; available: years, team, name, door, inside"
        self.assertEqual(self.lines(tab)[0], "forms: would change, 1 session would be set aside: " + problem)
        self.press(tab, "Cancel", "dialog")
        self.assertEqual(self.view("old")["state"], "age", "nothing has changed")
        self.press(tab, "Reload files…", ".page:not([hidden])")
        self.lines(tab)
        self.press(tab, "Reload", "dialog")
        self.reads(tab, "dialog h2", "Files reloaded")
        self.assertEqual(self.lines(tab)[0], "forms: changed, 1 session is set aside: " + problem)
        self.press(tab, "Close", "dialog")
        self.reads(tab, ".aside-count", "▲ 1 aside")

    def test_a_reload_of_a_wrong_file_changes_nothing_and_the_dialog_shows_the_error(self):
        self.expect("400")
        tab = self.overview("/?tab=flows")
        self.write("{ id: forms }")
        wrong = self.client.post("/api/reload", {"dry": True}).json["message"]
        self.press(tab, "Reload files…", ".page:not([hidden])")
        self.reads(tab, ".forecast .reason", wrong)
        self.press(tab, "Reload", "dialog")
        self.reads(tab, "dialog form > .reason", wrong)
        self.write(self.text)
        self.press(tab, "Check again", "dialog")
        self.assertIn("forms: unchanged", self.lines(tab))
        tab.key("Escape")

    def test_the_page_shows_the_new_label_of_a_running_timer_after_a_reload(self):
        self.begin("named", "calm")
        player, master = self.tab("/s/named"), self.tab("/m/named")
        self.reads(player, ".ring figcaption", "Turn")
        self.reads(master, ".timer-name", "Turn")
        file = os.path.join(self.flows, "calm.json5")
        with open(file) as opened:
            text = opened.read()
        self.write(text.replace('name: "turn",', 'name: "turn", label: "Ann\'s turn",'), file)
        self.addCleanup(self.write, text, file)
        self.assertEqual(self.client.post("/api/reload").status, 200)
        self.reads(player, ".ring figcaption", "Ann's turn")
        self.reads(master, ".timer-name", "Ann's turn")

    def test_the_page_shows_why_a_session_is_set_aside_and_retries_it(self):
        self.expect("409")
        [reason] = self.set_aside("old")
        player = self.tab("/s/old")
        self.reads(player, ".unseen[aria-live]", "old is not there")
        tab = self.overview("/")
        self.press(tab, "▲ 1 aside")
        self.reads(tab, ".aside-why", reason)
        self.press(tab, "Retry old")
        tab.wait("document.querySelector('.aside-item .reason').textContent.includes('still cannot be restored')")
        self.write(self.text)
        self.press(tab, "Reload files…", ".page:not([hidden])")
        self.assertEqual(self.lines(tab)[0], "forms: would change, 1 session would be restored")
        self.press(tab, "Reload", "dialog")
        self.press(tab, "Close", "dialog")
        self.says(tab, "No session is set aside")
        self.assertEqual(self.view("old")["state"], "age")
        self.reads(player, ".unseen[aria-live]", "Age")

    def test_a_token_for_some_sessions_sees_which_of_them_are_set_aside(self):
        self.log_in(self.server.client().post("/login", {"token": self.token}).cookie)
        tab = self.tab("/?tab=aside")
        self.says(tab, "No session is set aside")
        self.set_aside("room", "other")
        self.reads(tab, ".aside-name", "room")
        self.assertEqual(tab.js("document.querySelectorAll('.aside-item').length"), 1)
        self.client.delete("/api/sessions/room")
        self.says(tab, "No session is set aside")

    def test_the_page_drops_a_set_aside_session_after_it_has_asked(self):
        self.expect("404|409")
        self.set_aside("one", "<b>other</b>", "last")
        self.assertEqual(self.client.delete("/api/sessions/last").json["undo_ms"], 0, "nothing of it could begin anew")
        tab = self.overview("/?tab=aside")
        self.press(tab, "Drop one…")
        self.reads(tab, "dialog h2", "Drop one?")
        self.press(tab, "Cancel", "dialog")
        self.press(tab, "Drop <b>other</b>…")
        self.press(tab, "Drop", "dialog")
        tab.wait("document.querySelectorAll('.aside-item').length === 1")
        for dark in [False, True]:
            tab.look(dark=dark, still=True)
            self.assertEqual(tab.js(f"({support.contrast()})(4.5, 'main')"), [], f"dark: {dark}")
        self.assertEqual(tab.js("document.querySelectorAll('.notice .undo').length"), 0)
        master = self.tab("/m/one")
        self.says(master, "one does not run")
        self.press(master, "Drop…", ".empty")
        self.press(master, "Drop", "dialog")
        self.says(master, "There is no session one")
        self.says(tab, "No session is set aside")

    def test_the_overview_sorts_and_counts_by_virtual_time_and_not_by_when_a_row_arrived(self):
        self.begin("early", "turns")
        tab = self.overview("/")
        tab.wait("document.querySelector('.virtual .row .age')?.textContent === '0 s'")
        tab.pause(1.2)             # as long as an age in seconds stays if time passes
        self.begin("late", "turns")
        self.client.post("/api/sessions/late/extend", {"timer": "turn", "by": "-1s"})
        rows = "[...document.querySelectorAll('.virtual .row:not([hidden])')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)"
        tab.wait(f"{rows}.some(e => e.innerText.includes('0:29'))")
        seen = tab.js(f"{rows}.map(e => [e.querySelector('.name').textContent, e.querySelector('.left').textContent, e.querySelector('.age').textContent])")
        self.assertEqual(seen, [["late", "0:29", "0 s"], ["early", "0:30", "0 s"]])

    def test_the_page_advances_virtual_time_by_its_buttons_and_by_a_typed_duration(self):
        self.expect("400")
        self.begin("slow", "turns")
        tab, master = self.overview("/"), self.tab("/m/slow")
        master.wait("document.querySelector('li.timer .left') && document.querySelector('.advance .now').textContent")
        self.press(tab, "Advance 10 s")
        self.reads(master, "li.timer .left", "0:20")
        self.reads(tab, ".advance .now", "10 s")
        self.reads(master, ".advance .now", "10 s")
        self.press(master, "Advance 1 s")
        self.reads(master, "li.timer .left", "0:19")
        self.press(master, "Next timer, in 19 s")
        self.reads(master, ".state-name", "second")
        for text, state in [("soon", "second"), ("1m30s", "first"), ("29s", "first"), ("1s", "second")]:
            master.click(".advance input")
            master.js("document.activeElement.select()")
            master.type(text)
            master.key("Enter")
            master.wait("!document.querySelector('.advance [aria-busy=true]')")
            if text == "soon":
                self.says(master, "'soon' is not a duration", ".advance .reason")
            self.reads(master, ".state-name", state)


class AnyEvent(PageTest):
    def choose(self, tab, event):
        tab.js(f"(e => {{ e.value = {event!r}; e.dispatchEvent(new Event('change')) }})({called('Event', '.any-event')})")

    def test_a_master_sends_any_event_and_reads_the_daemons_message_if_it_is_refused(self):
        self.expect("409|400")
        self.begin("any", "forms")
        tab = self.tab("/m/any")
        tab.wait("document.querySelector('.any-event option') && document.querySelector('.history li')")
        tab.click(".any-event summary")
        tab.wait("document.querySelector('.any-event').open")
        self.choose(tab, "team")
        self.assertEqual(tab.js("[...document.querySelectorAll('.any-event optgroup')].map(e => [e.label, e.children.length])"),
                         [["Offered now", 1], ["Not offered now", 3]])
        self.assertEqual(tab.js("[...document.querySelectorAll('.any-payload option')].map(e => e.textContent)"), ["red", "blue", "green"])
        self.press(tab, "Send", ".any-event")
        refused = self.client.send("any", "team", "red").json["message"]
        self.reads(tab, ".any-event .reason", refused)
        self.choose(tab, "age")
        tab.click(".any-event .check input")
        tab.click(".any-payload textarea")
        tab.type('{"years": "many"}')
        self.press(tab, "Send", ".any-event")
        self.reads(tab, ".any-event .reason", self.client.send("any", "age", {"years": "many"}).json["message"])
        tab.click(".any-event .check input")
        tab.click(".any-payload input")
        tab.js("document.activeElement.select()")
        tab.type("44")
        self.press(tab, "Send", ".any-event")
        self.reads(tab, ".state-name", "team")
        self.assertEqual(self.client.get(f"/api/sessions/{quoted('any')}").json["data"]["said"], "44")


if __name__ == "__main__":
    support.run_tests()
