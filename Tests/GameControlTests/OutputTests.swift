// Replies as text for people, and as JSON.

import GameFlow
import RESP
import Terminal
import Testing
import Texts

@testable import Client
@testable import GameControl

private func map(_ fields: KeyValuePairs<String, Reply>) -> Reply {
    .map(fields.map { .init(key: .bulk(text: $0.key), value: $0.value) })
}

@Suite struct `A reply for people` {
    private let text = ReplyText(style: .plain)

    @Test func `A flow's description marks computed timer lengths and events from the flow itself`() {
        let timer = map([
            "name": .bulk(text: "t"), "kind": .bulk(text: "countdown"), "length_ms": .null, "restart": .bulk(text: "keep"),
        ])
        let event = map(["name": .bulk(text: "e"), "payload": .null, "from": .array([])])
        let flow = map([
            "flow": .bulk(text: "f"), "states": .array([]), "events": .array([event]), "timers": .array([timer]),
        ])
        let lines = text.lines(flow, to: ["DESCRIBE", "f"])
        #expect(lines.contains("  e    from the flow itself"), "\(lines)")
        #expect(lines.contains("  t  computed  over a restart: keep"), "\(lines)")
    }

    @Test func `The reply to STATE has a line per field, with data as JSON`() {
        let reply = map([
            "flow": .bulk(text: "game"), "state": .bulk(text: "help"), "data": .bulk(text: #"{"episode":2}"#),
            "since_ms": .integer(90_500), "version": .integer(7), "paused": .boolean(true), "final": .boolean(false),
        ])
        #expect(
            text.lines(reply, to: ["STATE", "room"]) == [
                "session  room", "flow     game", "state    help", "for      1m30.5s", "version  7", "paused   yes",
                "final    no",
                #"data     { "episode": 2 }"#,
            ])
    }

    @Test func `The status of a cluster names the flows whose definitions differ, and their nodes`() {
        func definition(_ digest: Reply, _ nodes: String...) -> Reply {
            map(["definition": digest, "nodes": .array(nodes.map { .bulk(text: $0) })])
        }
        let definitions = [
            definition(.bulk(text: "1f"), "a:1", "b:1"), definition(.bulk(text: "2e"), "c:1"), definition(.null, "d:1"),
        ]
        let flow = map(["flow": .bulk(text: "quiz"), "definitions": .array(definitions)])
        let status = map(["nodes": .array([]), "moves": .array([]), "differing_flows": .array([flow])])
        let lines = ClusterText(status, style: .plain).lines
        #expect(lines.contains("definitions of 'quiz' differ: 1f at a:1, b:1; 2e at c:1; none at d:1"), "\(lines)")
    }

    @Test func `Schemas in the replies to EVENTS FULL and DESCRIBE are objects with --json`() {
        let schema = Reply.bulk(text: #"{"type":"integer"}"#)
        let event = map(["event": .bulk(text: "e"), "payload": schema])
        #expect(
            ReplyText.json(.array([event]), to: ["EVENTS", "room", "FULL"]) == [["event": "e", "payload": ["type": "integer"]]])
        let described = map(["name": .bulk(text: "e"), "payload": .bulk(text: "n: integer"), "schema": schema])
        let parameter = map(["default": .bulk(text: "45"), "schema": .null])
        let flow = map(["events": .array([described]), "parameters": .array([parameter]), "fields": .array([schema])])
        let json = ReplyText.json(flow, to: ["DESCRIBE", "f"])
        #expect(json["events"] == [["name": "e", "payload": "n: integer", "schema": ["type": "integer"]]])
        #expect(json["parameters"] == [["default": 45, "schema": .null]] && json["fields"] == [["type": "integer"]])
    }

    @Test func `The reply to VIEW is JSON on several lines, and the object itself with --json`() throws {
        let view = #"{"session":"room","flow":"turns","actions":[{"event":"pass","label":"Pass the turn","payload":null}]}"#
        let reply = Reply.bulk(text: view)
        let lines = text.lines(reply, to: ["VIEW", "room"])
        #expect(lines.first == "{" && lines.contains(#"  "session": "room","#))
        #expect(try JSON(parsing: lines.joined()) == JSON(parsing: view))
        #expect(try ReplyText.json(reply, to: ["view", "room"]) == JSON(parsing: view))
        #expect(ReplyText.json(reply, to: ["ECHO", view]) == .string(view))
    }

    @Test func `The reply to INFO is, in JSON, an object of sections with numbers as numbers`() throws {
        let info =
            "# Server\r\ngamed_version:1.0.0\r\nprocess_id:7\r\naddresses:/run/a:b, 127.0.0.1:1\r\n\r\n# Time\r\ncode:007\r\nempty:\r\n"
        let found = ReplyText.json(.verbatim(format: "txt", text: info), to: ["INFO"])
        #expect(
            found == [
                "server": ["gamed_version": "1.0.0", "process_id": 7, "addresses": "/run/a:b, 127.0.0.1:1"],
                "time": ["code": "007", "empty": ""],
            ])
    }

    @Test func `INFO about a section that does not exist prints a message that says so, and no empty line`() {
        #expect(text.lines(.verbatim(format: "txt", text: ""), to: ["INFO", "sesions"]) == [])
        #expect(ReplyText.absence(["INFO", "sesions"]) == "there is no such section; without a word, 'info' shows all")
    }

    @Test func `The reply to STATE says why the daemon stopped a session's clock`() {
        let reply = map(["state": .bulk(text: "a"), "since_ms": .integer(0), "stopped": .bulk(text: "timers fire in a circle")])
        #expect(text.lines(reply, to: ["STATE", "room"]).contains("stopped  timers fire in a circle"))
    }

    @Test func `The reply to EVENTS FULL is a table`() {
        let event = map([
            "event": .bulk(text: "chooseEpisode"), "label": .bulk(text: "Choose episode"),
            "payload": .bulk(text: #"{"name":"episode","type":"integer"}"#),
            "from": .array([.bulk(text: "ui"), .bulk(text: "network")]),
        ])
        #expect(
            text.lines(.array([event]), to: ["EVENTS", "room", "FULL"]) == [
                "EVENT          LABEL           CARRIES                              FROM",
                #"chooseEpisode  Choose episode  {"name":"episode","type":"integer"}  ui, network"#,
            ])
        #expect(text.lines(.array([.bulk(text: "pass")]), to: ["EVENTS", "room"]) == ["pass"])
    }

    @Test func `The reply to TIMERS is a table`() {
        let timer = map([
            "name": .bulk(text: "tick"), "kind": .bulk(text: "pendulum"), "remaining_ms": .integer(250),
            "period_ms": .integer(1_000),
            "event": .bulk(text: "tick"), "paused": .boolean(true), "generation": .integer(3),
        ])
        #expect(
            text.lines(.array([timer]), to: ["timers", "room"]) == [
                "TIMER  LEFT            KIND      PERIOD  EVENT", "tick   250ms (paused)  pendulum  1s      tick",
            ])
    }

    @Test func `The reply to HISTORY shows the result of each event`() {
        let happened = map([
            "at_ms": .integer(1_700_000_000_007), "ago_ms": .integer(10), "source": .bulk(text: "timer"),
            "event": .bulk(text: "timeIsUp"),
            "timer": .bulk(text: "help"),
            "from": .bulk(text: "help"), "to": .bulk(text: "introduction"), "refused": .null,
        ])
        let refused = map([
            "at_ms": .integer(1_699_999_998_000), "ago_ms": .integer(2_000), "source": .bulk(text: "network"),
            "event": .bulk(text: "x"), "payload": .bulk(text: #"{"a":1}"#), "timer": .null,
            "from": .bulk(text: "help"), "to": .bulk(text: "help"), "refused": .bulk(text: "no"),
        ])
        // The hour depends on the machine's time zone.
        let lines = text.lines(.array([happened, refused]), to: ["HISTORY", "room"]).map { line in
            line.replacing(#/^2023-11-1\d \d\d:\d\d:/#, with: "")
        }
        #expect(
            lines == [
                "WHEN                     AGO   BY            EVENT      WHAT CAME OF IT",
                "20.007  10ms  timer (help)  timeIsUp   help -> introduction",
                #"18.000  2s    network       x {"a":1}  refused: no"#,
            ])
    }

    @Test(arguments: [
        ("door.shut,lamp.off", "door.ajar,lamp.off", "door.shut -> door.ajar"),
        ("a.x,b.y,c.z", "a.w,b.y,c.v", "a.x,c.z -> a.w,c.v"),
        ("help", "introduction", "help -> introduction"), ("a.x,b.y", "done", "a.x,b.y -> done"),
        ("a.x,b.y", "a.x,b.y", "a.x,b.y -> a.x,b.y"), ("a.x,b.y", "a.x", "a.x,b.y -> a.x"),
        ("level(1,2)", "level(1,3)", "level(1,2) -> level(1,3)"),
    ])
    func `A change of parallel states shows only the states that changed`(from: String, to: String, shown: String) {
        #expect(stateChange(from: from, to: to) == shown)
    }

    @Test(arguments: [
        (["DROP", "a"], Reply.integer(1), "dropped"),
        (["EXTEND", "a", "t", "1s"], .integer(90_000), "added 1s; 1m30s left"),
        (["ADVANCE", "1s"], .integer(1), "1 timer fired"),
        (["PAUSE", "a"], .simple("OK"), "the clock is paused"),
        (["RESUME", "a", "t"], .simple("OK"), "the timer 't' is running"),
        (["SEND", "a", "b"], .simple("c"), "c"), (["GET"], .double(1.5), "1.5"), (["GET"], .null, "-"),
    ])
    func `A short reply is shown as a sentence or a word`(words: [String], reply: Reply, line: String) {
        #expect(text.lines(reply, to: words) == [line])
    }

    @Test(arguments: [
        (["TIMERS", "room"], "'room' has no timers in its state"),
        (["events", "room"], "'room' accepts no events in its state"),
        (["HISTORY", "room"], "the history entries of 'room' are no longer kept"), (["NEXT"], "no timer is running"),
        (["FLOWS"], "none"),
        (["BLUETOOTH", "LIST"], "there are no devices; start gamed with --bluetooth FILE"),
    ])
    func `An empty list prints no lines, but a message that says so`(words: [String], sentence: String) {
        #expect(text.lines(.array([]), to: words) == [])
        #expect(ReplyText.absence(words) == sentence)
    }

    @Test func `Remaining times in data are shown as durations, never in nanoseconds`() {
        let data =
            #"{"turn":{"timer":"turn","remaining_ns":29500000000,"paused":false},"old":[{"timer":"a","remaining_ms":250}]}"#
        let lines = text.lines(map(["state": .bulk(text: "first"), "data": .bulk(text: data)]), to: ["STATE", "room"])
        let shown = lines.joined(separator: "\n")
        #expect(shown.contains(#""remaining": "29.5s""#) && shown.contains(#""remaining": "250ms""#), "\(shown)")
        #expect(!shown.contains("_ns") && !shown.contains("_ms"))
    }

    @Test func `A reply without a form of its own is shown as one field or item per line`() {
        let inner = map(["a": .integer(1), "long": .array([.bulk(text: "x"), .bulk(text: "y")])])
        #expect(text.plain(inner) == ["a     1", "long  x", "      y"])
        #expect(text.plain(.array([.bulk(text: "one"), inner])) == ["one", "a     1", "long  x", "      y"])
    }

    @Test func `A verbatim reply keeps its lines, without carriage returns`() {
        #expect(text.plain(.verbatim(format: "txt", text: "# A\r\nb:1\r\n")) == ["# A\nb:1"])
    }

    @Test func `Control characters in a reply are escaped`() {
        let lines = text.lines(.array([.bulk(text: "a\u{1B}[2Jb\u{9B}c\u{202E}")]), to: ["EVENTS", "x"])
        #expect(lines == ["a\\u{1b}[2Jb\\u{9b}c\\u{202e}"])
        let clock = Reply.map([.init(key: .bulk(text: "clock"), value: .bulk(text: "\u{1B}[2J"))])
        #expect(text.lines(clock, to: ["CLOCK"]) == ["\\u{1b}[2J time, - since the clock began"])
    }
}

@Suite struct `A line of the table of sessions` {
    private func state(paused: Bool = false, final: Bool = false) -> Reply {
        map([
            "flow": .bulk(text: "game"), "state": .bulk(text: "help"), "since_ms": .integer(90_500), "paused": .boolean(paused),
            "final": .boolean(final),
        ])
    }

    private func timer(_ name: String, _ left: Int, paused: Bool = false) -> Reply {
        map(["name": .bulk(text: name), "remaining_ms": .integer(left), "paused": .boolean(paused)])
    }

    @Test func `A session's row shows its next timer, or that it is paused or final`() {
        let next = { (state: Reply, timers: [Reply]) in SessionListing.row("a", state: state, timers: .array(timers)) }
        #expect(next(state(), [timer("limit", 90_000), timer("tick", 250)]) == ["a", "game", "help", "1m31s", "tick in 0.3s"])
        #expect(next(state(), [timer("limit", 90_000), timer("tick", 250, paused: true)])?.last == "limit in 1m30s")
        #expect(next(state(), [timer("tick", 250, paused: true)])?.last == "paused")
        #expect(next(state(paused: true), [timer("tick", 250)])?.last == "paused")
        #expect(next(state(final: true), [])?.last == "final")
        #expect(next(state(), [])?.last == "-")
    }

    @Test func `A session that was dropped meanwhile is left out of the table`() {
        let gone = Reply.error(code: .noSession, text: "")
        #expect(SessionListing.row("a", state: gone, timers: gone) == nil)
    }
}

@Suite struct `Columns that must fit` {
    private let rows = [["a", "bb", "x"], [String(repeating: "n", count: 40), String(repeating: "m", count: 20), "y"]]

    @Test(arguments: [20, 30, 40, 50, 60, 64]) func `Columns that are too wide are shortened, the widest first`(width: Int) {
        let lines = TextColumns.lines(TextColumns.fitted(rows, to: width))
        #expect(lines.allSatisfy { $0.displayWidth <= max(width, 8 + 8 + 1 + 4) }, "\(lines)")
        if width >= 30 { #expect(lines[1].displayWidth == width) }
    }

    @Test func `Columns that fit are not changed`() {
        #expect(TextColumns.fitted(rows, to: 65) == rows)
        #expect(TextColumns.fitted(rows, to: .max) == rows)
    }
}

@Suite struct `JSON for people` {
    @Test func `JSON for people is on one line if it is short, and on several lines if it is long`() {
        #expect(JSON.object([.init("a", 1)]).pretty() == #"{ "a": 1 }"#)
        #expect(JSON.object([]).pretty() == "{}")
        let long = JSON.object([.init("text", .string(String(repeating: "x", count: 60))), .init("inner", ["a": [1, 2]])])
        #expect(long.pretty() == "{\n  \"text\": \"\(String(repeating: "x", count: 60))\",\n  \"inner\": { \"a\": [1, 2] }\n}")
    }
}
