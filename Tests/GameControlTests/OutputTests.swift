// Replies as people read them.

import GameFlow
import RESP
import Terminal
import Testing

@testable import GameClient
@testable import GameControl

@Suite struct `A reply for people` {
    private let text = ReplyText(style: .plain, isTerminal: false)

    private func map(_ fields: KeyValuePairs<String, Reply>) -> Reply {
        .map(fields.map { .init(key: .bulk(text: $0.key), value: $0.value) })
    }

    @Test func `of a state says each thing in a line, with data as JSON`() {
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

    @Test func `of timers is a table`() {
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

    @Test func `of history says what came of each event`() {
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
        // The hour is that of wherever this runs.
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
        (["DROP", "a"], Reply.integer(1), "dropped"), (["DROP", "a"], .integer(0), "there was no session 'a'"),
        (["EXTEND", "a", "t", "1s"], .integer(90_000), "1m30s left"), (["ADVANCE", "1s"], .integer(1), "1 timer fired"),
        (["PAUSE", "a"], .simple("OK"), "the clock stands still"),
        (["RESUME", "a", "t"], .simple("OK"), "the timer 't' goes on"),
        (["SEND", "a", "b"], .simple("c"), "c"), (["GET"], .double(1.5), "1.5"), (["GET"], .null, "-"),
    ])
    func `is a sentence or a word`(words: [String], reply: Reply, line: String) {
        #expect(text.lines(reply, to: words) == [line])
    }

    @Test func `that is a list of nothing says so on a terminal, and is nothing for programs`() {
        #expect(text.lines(.array([]), to: ["FLOWS"]) == [])
        #expect(ReplyText(style: .plain, isTerminal: true).lines(.array([]), to: ["FLOWS"]) == ["none"])
    }

    @Test func `without a form of its own is shown in a general one`() {
        let inner = map(["a": .integer(1), "long": .array([.bulk(text: "x"), .bulk(text: "y")])])
        #expect(text.plain(inner) == ["a     1", "long  x", "      y"])
        #expect(text.plain(.array([.bulk(text: "one"), inner])) == ["one", "a     1", "long  x", "      y"])
    }

    @Test func `keeps lines apart and takes the ends of Redis' lines away`() {
        #expect(text.plain(.verbatim(format: "txt", text: "# A\r\nb:1\r\n")) == ["# A\nb:1"])
    }

    @Test func `cannot move the cursor, whatever a session is called`() {
        let lines = text.lines(.array([.bulk(text: "a\u{1B}[2Jb\u{9B}c\u{202E}")]), to: ["EVENTS", "x"])
        #expect(lines == ["a\\u{1b}[2Jb\\u{9b}c\\u{202e}"])
        let clock = Reply.map([.init(key: .bulk(text: "clock"), value: .bulk(text: "\u{1B}[2J"))])
        #expect(text.lines(clock, to: ["CLOCK"]) == ["\\u{1b}[2J time, - since the clock began"])
    }
}

@Suite struct `JSON for people` {
    @Test func `is on one line while it is short, and on many when it is long`() {
        #expect(JSON.object([.init("a", 1)]).pretty() == #"{ "a": 1 }"#)
        #expect(JSON.object([]).pretty() == "{}")
        let long = JSON.object([.init("text", .string(String(repeating: "x", count: 60))), .init("inner", ["a": [1, 2]])])
        #expect(long.pretty() == "{\n  \"text\": \"\(String(repeating: "x", count: 60))\",\n  \"inner\": { \"a\": [1, 2] }\n}")
    }
}
