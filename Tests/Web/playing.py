"""Flows played to their end over HTTP, and a master's actions: playing.py GAMED"""

import json
import os
import tempfile
import threading
import unittest

from support import Daemon, as_dict, hosting_everything, quoted, run_tests


class Playing(unittest.TestCase):
    def setUp(self):
        self.server = hosting_everything()
        self.addCleanup(self.server.remove)
        self.client = self.server.logged_in()
        self.addCleanup(self.client.close)

    def advance(self, by):
        self.assertEqual(self.client.post("/api/clock/advance", {"by": by}).status, 200)

    def view(self, name="main"):
        return self.client.get(f"/api/sessions/{quoted(name)}").json

    def test_the_game_is_played_over_HTTP_by_the_actions_of_its_views(self):
        view = self.view()
        for event, payload, state in [
            ("startPlaying", None, "choosingEpisode"), ("chooseEpisode", 3, "choosingLevel"), ("chooseLevel", 5, "playingLevel"),
            ("completeLevel", 1200, "finishedLevel"), ("dismissFinishedLevel", None, "choosingLevel"),
        ]:
            self.assertIn(event, [action["event"] for action in view["actions"]])
            found = self.client.send("main", event, payload, **{"if": f"{view['life']}:{view['version']}"})
            self.assertEqual((found.status, found.json["state"]), (200, state), found)
            self.assertEqual({**found.json, "at_ms": 0}, {**self.view(), "at_ms": 0})
            view = found.json
        self.advance("1m")
        self.assertEqual(self.view()["state"], "introduction")

    def test_the_view_of_a_session_that_has_ended_is_final(self):
        self.client.post("/api/sessions", {"name": "ann", "flow": "registration"})
        for event, payload, state in [
                ("next", None, "createProfile"), ("enterProfile", {"name": "Ann"}, "selectAvatar"), ("back", None, "createProfile"),
                ("registerLater", None, "termsAndConditions"), ("consent", {"terms": True}, "finished")]:
            self.assertEqual(self.client.send("ann", event, payload).json["state"], state)
        view = self.view("ann")
        self.assertEqual((view["final"], view["actions"], view["timers"], view["progress"]), (True, [], [], 1))

    def test_virtual_time_passes_over_HTTP_only_when_it_is_advanced(self):
        self.assertEqual(self.client.get("/api/clock").json["clock"], "virtual")
        self.client.send("room", "pass")
        self.assertEqual(self.view("room")["timers"][0]["remaining_ms"], 30_000)
        self.advance("29s999ms")
        self.assertEqual((self.view("room")["state"], self.view("room")["timers"][0]["remaining_ms"]), ("second", 1))
        self.assertEqual(self.client.get("/api/next?count=1").json["timers"][0]["remaining_ms"], 1)
        self.assertEqual(self.client.post("/api/clock/advance", {"by": 1}).json["fired"], 2)
        self.assertEqual(self.view("room")["state"], "first")

    def test_a_master_pauses_resumes_extends_and_forces_over_HTTP(self):
        self.assertTrue(self.client.post("/api/sessions/room/pause").json["paused"])
        self.advance("1h")
        self.assertEqual(self.view("room")["timers"][0]["remaining_ms"], 30_000)
        self.assertFalse(self.client.post("/api/sessions/room/resume").json["paused"])
        for by, left in [("10s", 40_000), ("-1s", 39_000), (500, 39_500), (-500, 39_000)]:
            found = self.client.post("/api/sessions/room/extend", {"timer": "turn", "by": by})
            self.assertEqual(found.json["timers"][0]["remaining_ms"], left, found)
        self.assertTrue(self.client.post("/api/sessions/room/pause", {"timer": "turn"}).json["timers"][0]["paused"])
        self.assertFalse(self.client.post("/api/sessions/room/resume", {"timer": "turn"}).json["timers"][0]["paused"])
        forced = {"state": "choosingLevel", "data": {"episode": 2}}
        self.assertEqual(self.client.post("/api/sessions/main/force", forced).json["data"]["episode"], 2)

    def test_of_simultaneous_requests_for_the_same_version_one_is_accepted(self):
        for _ in range(20):
            version, found = self.view("room")["version"], []
            taps = [threading.Thread(target=lambda: found.append(self.tap(version))) for _ in range(4)]
            for tap in taps:
                tap.start()
            for tap in taps:
                tap.join()
            self.assertEqual(sorted(found), [(200, None)] + 3 * [(409, "STALE")])
            self.assertEqual(self.view("room")["version"], version + 1)

    def test_an_event_with_an_idempotency_key_is_accepted_once(self):
        def send(event, payload, key):
            body = {"event": event} if payload is None else {"event": event, "payload": payload}
            return self.client.post("/api/sessions/main/events", body, headers={"Idempotency-Key": key})

        for key in ["8e03978e", '"8e03978e"']:
            found = send("startPlaying", None, key)
            self.assertEqual((found.status, found.json["state"], found.json["version"]), (200, "choosingEpisode", 1), found)
        first, again = (send("startPlaying", None, "another") for _ in range(2))
        self.assertEqual((first.status, first.code), (409, "NOTRANSITION"))
        self.assertIn("chooseEpisode", first.json["accepted"])
        self.assertEqual((again.status, again.json), (first.status, first.json))
        found = send("chooseEpisode", 3, "8e03978e")
        self.assertEqual((found.status, found.code), (400, "ERR"))
        self.assertIn("belongs to another event", found.json["message"])
        self.assertEqual(send("chooseEpisode", 3, "third").json["state"], "choosingLevel")
        for key in ["", '""', "two words", "x" * 65]:
            self.assertEqual(send("chooseLevel", 5, key).status, 400, key)
        self.assertEqual(self.view()["version"], 2)

    def tap(self, version):
        client = self.server.client(cookie=self.client.cookie)
        found = client.send("room", "pass", **{"if": version})
        client.close()
        return found.status, found.code

    def test_a_simulated_devices_button_sends_an_event_over_HTTP(self):
        devices = {device["name"]: device for device in self.client.get("/api/devices").json["devices"]}
        self.assertTrue(devices["turn-button"]["connected"])
        self.assertIn("pressed", " ".join(devices["turn-button"]["says"]))
        self.client.post("/api/devices/turn-button/notify", {"what": devices["turn-button"]["says"][0]})
        self.assertEqual(self.view("hall")["state"], "second")

    def test_the_history_over_HTTP_has_its_newest_line_first(self):
        self.client.send("room", "pass")
        self.client.send("room", "pass", **{"if": 7})
        lines = self.client.get("/api/sessions/room/history").json["lines"]
        self.assertEqual([line["what"] for line in lines], ["refused", "taken", "begun"])
        self.assertEqual(set(lines[0]), {"seq", "life", "version", "at_ms", "what", "event", "payload", "source", "timer", "from", "times",
                                         "to", "code", "refused", "accepted", "actor"})
        self.assertEqual((lines[0]["code"], lines[1]["event"], lines[1]["to"]), ("STALE", "pass", "second"))
        self.assertGreater(lines[1]["seq"], lines[2]["seq"])


class RefusedEvents(unittest.TestCase):
    """The answer has the facts of the refusal as members, so that no program reads the message."""

    def setUp(self):
        self.server = Daemon("--session", "main=game", "--time", "virtual").start()
        self.addCleanup(self.server.remove)
        self.client = self.server.client()

    def test_the_response_to_an_event_that_is_not_valid_lists_the_accepted_events(self):
        found = self.client.send("main", "chooseLevel", 1)
        self.assertEqual((found.code, found.json["accepted"], found.json["timer"]), ("NOTRANSITION", ["displayHelp", "startPlaying"], None))

    def test_the_response_to_an_event_that_a_timer_preceded_names_the_timer(self):
        self.client.send("main", "startPlaying")
        self.client.post("/api/clock/advance", {"by": "30s"})
        for _ in range(2):
            found = self.client.send("main", "chooseEpisode", 3)
            self.assertEqual((found.code, found.json["timer"]), ("NOTRANSITION", "choosingEpisode"))
            self.assertIn("startPlaying", found.json["accepted"])

    def test_the_response_to_an_unknown_event_lists_no_events_and_other_errors_have_no_such_members(self):
        found = self.client.send("main", "jump")
        self.assertEqual((found.code, found.json["accepted"], found.json["timer"]), ("BADEVENT", None, None))
        self.assertEqual(set(self.client.send("nobody", "jump").json), {"error", "message"})


class Guests(unittest.TestCase):
    """A guest is its address, so that connections do not count as actors."""

    def test_equal_refusals_of_a_guest_over_several_connections_are_one_entry_over_HTTP(self):
        with Daemon("--session", "main=game") as server:
            for _ in range(3):
                client = server.client()
                self.assertEqual(client.send("main", "chooseLevel", 1).code, "NOTRANSITION")
                client.close()
            line = server.client().get("/api/sessions/main/history").json["lines"][0]
            self.assertEqual((line["actor"], line["times"]), ("127.0.0.1", 3))

    def test_equal_refusals_of_a_guest_over_several_connections_are_one_entry_over_TCP(self):
        with Daemon("--session", "main=game", "--listen", "127.0.0.1:0", "--trust-loopback") as server:
            for _ in range(3):
                client = server.resp_over_tcp()
                self.assertEqual(client.ask("SEND", "main", "chooseLevel", "1").code, "NOTRANSITION")
                client.close()
            line = server.client().get("/api/sessions/main/history").json["lines"][0]
            self.assertEqual((line["actor"], line["times"]), ("127.0.0.1", 3))


class ManyEvents(unittest.TestCase):
    """Of a flow with more events than a word has bits, and of one that has lost events since."""

    def flow(self, folder, events):
        """Every third event is accepted."""
        accepted = {name: {} for name in events[::3]}
        with open(os.path.join(folder, "wide.json5"), "w") as file:
            states = {"a": {"on": {**accepted, events[0]: "b"}}, "b": {"after": {"1h": "a"}}}
            json.dump({"id": "wide", "initial": "a", "events": {name: {} for name in events}, "states": states}, file)

    def accepted(self, server, name):
        return server.client().get(f"/api/sessions/{name}/history").json["lines"][0]["accepted"]

    def test_the_accepted_events_of_a_flow_with_70_events_are_known_now_and_after_a_restart(self):
        events = [f"e{number}" for number in range(70)]
        with tempfile.TemporaryDirectory() as folder:
            self.flow(folder, events)
            with Daemon("--flows", folder, "--session", "s=wide") as server:
                self.assertEqual(server.client().send("s", "e1").json["accepted"], events[::3])
                self.assertEqual(self.accepted(server, "s"), events[::3])
                self.assertEqual(as_dict(server.resp().ask("HISTORY", "s")[0])["accepted"], events[::3])
                server.restart()
                self.assertEqual(self.accepted(server, "s"), events[::3])
                self.assertEqual(server.client().send("s", "e0").json["state"], "b")
                found = server.client().send("s", "e1").json
                self.assertEqual((found["accepted"], "no events until a timer fires" in found["message"]), ([], True), found)

    def test_the_accepted_events_of_an_old_refusal_are_known_after_the_flow_has_lost_one_of_them(self):
        with tempfile.TemporaryDirectory() as folder:
            self.flow(folder, ["a", "b", "c", "d"])
            with Daemon("--flows", folder, "--session", "s=wide") as server:
                self.assertEqual(server.client().send("s", "b").json["accepted"], ["a", "d"])
                self.flow(folder, ["a", "b", "c"])
                server.restart()
                self.assertEqual(self.accepted(server, "s"), ["a", "d"])


class HistoryOfOneThatIsGone(unittest.TestCase):
    def test_the_history_of_a_dropped_session_has_the_same_members_as_that_of_a_living_one(self):
        with Daemon("--session", "room=turns") as server:
            client = server.client()
            client.send("room", "pass")
            living = client.get("/api/sessions/room/history").json["lines"]
            client.delete("/api/sessions/room")
            gone = client.get("/api/sessions/room/history").json["lines"]
        self.assertEqual([line["what"] for line in gone], ["dropped", "taken", "begun"])
        self.assertEqual([set(line) for line in gone], 3 * [set(living[0])])
        self.assertEqual([{**line, "life": None} for line in living], gone[1:])


class UndoOfADrop(unittest.TestCase):
    def test_a_dropped_child_promises_no_time_for_an_undo_that_is_refused_and_its_parent_does(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "parent.json5"), "w") as file:
                json.dump({"id": "parent", "states": {"a": {"invoke": {"id": "child", "flow": "turns"}}}}, file)
            with Daemon("--flows", folder, "--session", "room=parent") as server:
                client = server.client()
                for name, milliseconds, undo in [("room/child", 0, 404), ("room", 10_000, 200)]:
                    found = client.delete(f"/api/sessions/{quoted(name)}").json
                    self.assertEqual(found, {"dropped": True, "undo_ms": milliseconds})
                    self.assertEqual(client.post(f"/api/sessions/{quoted(name)}/undo", {}).status, undo)


if __name__ == "__main__":
    run_tests()
