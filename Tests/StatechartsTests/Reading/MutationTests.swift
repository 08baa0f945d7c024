// Files with a few random changes: reading always ends, and each problem has a place in the file.

import Seeds
import Testing

@testable import Statecharts

@Suite struct `A flow file with random changes` {
    @Test func `A flow file with random changes is read or refused, and never crashes the reader`() {
        var generator = SeededGenerator.announced("changed flow files", seed: 12)
        for _ in 0..<1_500 {
            let text = changed(Self.files[Int.random(in: 0..<Self.files.count, using: &generator)], &generator)
            let file = FlowFile(bytes: Array(text.utf8), path: "x.json5")
            #expect((file.definition == nil) == file.problems.contains { $0.severity == .error }, "\(text)")
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
            #expect(
                file.problems.allSatisfy { (1...lines + 1).contains($0.position.line) && $0.position.column > 0 }, "\(text)")
            file.definition.map { check($0, text) }
        }
    }

    /// Checks that all references are valid.
    private func check(_ chart: ChartDefinition, _ text: String) {
        for (number, state) in chart.states.enumerated() {
            #expect(state.kind != .compound || state.initial != nil, "\(text)")
            #expect(!state.kind.isHistory || state.initial != nil, "\(text)")
            #expect(state.transitions.allSatisfy { chart.transitions[$0].source == number }, "\(text)")
            #expect(state.timers.allSatisfy { chart.timers[$0].state == number }, "\(text)")
            #expect(state.children.allSatisfy { chart.states[$0].parent == number && $0 > number }, "\(text)")
        }
        #expect(chart.transitions.allSatisfy { $0.targets.allSatisfy(chart.states.indices.contains) })
    }

    /// Removes, duplicates or overwrites a few bytes, some with words of the notation.
    private func changed(_ text: String, _ generator: inout SeededGenerator) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, index + Int.random(in: 1...12, using: &generator))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.removeSubrange(index..<end)
            case 1: bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: 0..<bytes.count, using: &generator))
            case 2:
                bytes.replaceSubrange(
                    index..<end, with: Self.words[Int.random(in: 0..<Self.words.count, using: &generator)].utf8)
            default: bytes[index] = UInt8(ascii: "{") + UInt8.random(in: 0...2, using: &generator)
            }
            if bytes.isEmpty { bytes = [0x20] }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let words =
        StateKey.names + TransitionKey.names + TimerKey.names + ActionKey.names + [
            "\"parallel\"", "\"history\"", "\"final\"", "null", "{", "}", "[", "]", ",", ":", "\"", "'", "//", "/*", "0", "-1",
            "1e999",
            "\"b\"", "\"#x\"", "\"0s\"", "\u{0}", "\u{FEFF}",
        ]

    private static let files = [
        """
        {
          id: "quiz", initial: "lobby", context: { round: 0, name: { type: "string", maxLength: 10, default: "" } },
          events: { start: {}, answer: { payload: { choice: { enum: ["a", "b"] } }, from: ["ui"], label: "Answer" } },
          states: {
            lobby: { on: { start: "question" }, after: { "10m": { target: "closed", name: "round", milestones: { "1m": { emit: "hurry" } } } } },
            question: {
              entry: [{ assign: { round: "round + 1" } }, { extend: { timer: "round", by: "-1s" } }],
              every: { "1s": { emit: "tick" } }, view: { title: "Round {{ round }}", progress: "round / 3" },
              on: { answer: [{ guard: "event.choice == 'b'", target: "lobby" }, { target: "closed" }] },
              invoke: { flow: "other", id: "x", context: { a: 1 }, onDone: "closed", onError: { actions: { log: "event" } } },
            },
            closed: { type: "final", output: { round: "round" } },
          },
        }
        """,
        """
        { id: "p", type: "parallel", states: {
            a: { id: "x", initial: { target: "one", actions: [{ raise: { event: "e", delay: "1s", id: "i" } }, { cancel: "i" }] }, states: {
              one: { on: { e: { target: ["#x.two", "b.two"], reenter: false }, "error.*": null, "*": ".h" } , states: { h: { type: "history" }, c: {} } },
              two: { type: "final" } }, onDone: "b" },
            b: { states: { one: { always: { guard: "state('a.two')", target: "two" } }, two: { exit: { if: "true", then: [], else: { log: "1" } } },
              deep: { type: "history", history: "deep", target: "two" } } },
        } }
        """,
    ]
}
