"""Flow files that change while pages are open: reload.py GAMED"""

import os
import unittest

from support import Daemon, run_tests, wait_until
from table import Page, all_rows

DOOR = """{id: "door", initial: "closed", states: {
  closed: {on: {open: "opened"%s}}, opened: {after: {"1h": "closed"}, on: {close: "closed"}}}}"""


class Reloading(unittest.TestCase):
    def setUp(self):
        self.server = Daemon("--session", "room=turns")
        self.addCleanup(self.server.remove)
        self.folder = os.path.join(self.server.folder, "flows")
        os.mkdir(self.folder)
        self.write("lamp", '{id: "lamp", initial: "off", states: {off: {}}}')
        self.write("door", DOOR % "")
        self.server.words += ["--flows", self.folder, "--session", "front=door"]
        self.server.start()
        self.client = self.server.client()
        self.page = Page(self.server, ["flows", "sessions", "session:front"]).open()
        self.addCleanup(self.page.close)
        self.wait_for_page(lambda: "front" in self.page.views and "front" in self.page.rows, "the first data has arrived")

    def write(self, name, text):
        with open(os.path.join(self.folder, name + ".json5"), "w") as file:
            file.write(text)

    def reload(self):
        self.server.resp().must("RELOAD")

    def wait_for_page(self, condition, what):
        wait_until(lambda: self.page.read(0.05) and condition(), what)

    def flows(self):
        return [flow["name"] for flow in self.client.get("/api/flows").json["flows"]]

    def test_an_open_page_shows_the_actions_of_a_changed_flow_after_a_reload(self):
        self.write("door", DOOR % ', kick: "opened"')
        self.reload()
        self.assertEqual([action["event"] for action in self.client.get("/api/sessions/front").json["actions"]], ["open", "kick"])
        self.wait_for_page(lambda: [action["event"] for action in self.page.views["front"]["actions"]] == ["open", "kick"], "the page has the new action")
        self.wait_for_page(lambda: "kick" in str(self.page.flows), "the page has the changed flow")

    def test_a_session_whose_flow_file_is_removed_is_set_aside_until_the_file_is_back(self):
        os.unlink(os.path.join(self.folder, "door.json5"))
        self.reload()
        found = self.client.get("/api/sessions/front")
        self.assertEqual((found.status, found.code), (409, "ASIDE"))
        self.assertNotIn("door", self.flows())
        self.wait_for_page(lambda: not self.page.differs(all_rows(self.client)), "the page has no row of it")
        self.wait_for_page(lambda: self.page.views["front"] is None, "the page has no view of it")
        self.assertEqual([row["name"] for row in self.client.get("/api/sessions?state=!").json["sessions"]], ["front"])
        self.write("door", DOOR % "")
        self.reload()
        self.assertEqual(self.client.get("/api/sessions/front").json["state"], "closed")
        self.wait_for_page(lambda: not self.page.differs(all_rows(self.client)), "the page has its row again")
        self.wait_for_page(lambda: self.page.views["front"] is not None, "the page has its view again")

    def test_a_reload_of_a_wrong_flow_file_changes_nothing(self):
        self.write("door", DOOR % ', kick: "nowhere"')
        self.server.resp().ask("RELOAD")
        self.assertIn("door", self.flows())
        self.assertEqual(self.client.send("front", "open").json["state"], "opened")
        self.wait_for_page(lambda: self.page.views["front"]["state"] == "opened", "the page goes on")


if __name__ == "__main__":
    run_tests()
