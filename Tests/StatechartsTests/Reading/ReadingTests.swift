// Valid flow files and the charts that they define.

import GameFlow
import JSON
import Testing
import Timers

@testable import Statecharts

@Suite struct `A flow file` {
    private let quiz = """
        // A quiz of three rounds.
        {
          id: "quiz",
          initial: "lobby",
          context: { round: 0, score: 0 },
          states: {
            lobby: { on: { start: "question" }, after: { "10m": "closed" } },
            question: {
              entry: { assign: { round: "round + 1" } },
              after: { "30s": "reveal" },                       // a Countdown
              every: { "1s": { emit: "tick" } },                // a Pendulum
              on: {
                answer: [
                  { guard: "event.choice == 'b'", target: "reveal", actions: { assign: { score: "score + 10" } } },
                  { target: "reveal" },
                ],
              },
            },
            reveal: { after: { "5s": [{ guard: "round < 3", target: "question" }, { target: "closed" }] } },
            closed: { type: "final" },
          },
        }
        """

    @Test func `A flow file is read as a chart in document order`() throws {
        let chart = try chart(quiz)
        #expect(chart.name == "quiz")
        #expect(chart.states.map(\.path) == ["", "lobby", "question", "reveal", "closed"])
        #expect(chart.states[0].children == [1, 2, 3, 4])
        #expect(
            chart.arrows == [
                "(root) initial-> lobby", "lobby start-> question", "lobby timer:lobby-> closed",
                "question timer:question-> reveal", "question timer:question#2-> ", "question answer-> reveal",
                "question answer-> reveal", "reveal timer:reveal-> question", "reveal timer:reveal-> closed",
            ])
        #expect(chart.context.map(\.name) == ["round", "score"])
        #expect(chart.context.map(\.kind) == [.integer("round"), .integer("score")])
        #expect(chart.events.map(\.name) == ["start", "answer"] && chart.events.allSatisfy(\.carriesAnything))
        #expect(chart.expressions.map(\.text) == ["round + 1", "event.choice == 'b'", "score + 10", "round < 3"])
        let positions = chart.expressions.map { "\($0.line) \($0.state)" }
        #expect(positions == ["9 2", "14 2", "14 2", "19 3"])
    }

    @Test func `A flow file's fingerprint ignores blanks, quotes and comments, and nothing else`() throws {
        let plain = try chart("{id:'a',states:{b:{}}}")
        #expect(plain.fingerprint == (try chart("{ \"id\": \"a\", // A\n states: { b: { }, }, }")).fingerprint)
        #expect(plain.fingerprint.count == 16)
        #expect(plain.fingerprint != (try chart("{id:'a',states:{c:{}}}")).fingerprint)
    }

    @Test func `A flow without an id is named after its file`() throws {
        let file = FlowFile(bytes: Array("{ states: { a: {} } }".utf8), path: "/some/where/pub-quiz.json5")
        #expect(file.definition?.name == "pub-quiz")
        let other = FlowFile(bytes: Array("{ states: { a: {} } }".utf8), path: "pub quiz.json5")
        #expect(
            other.report == [
                "pub quiz.json5:1:1: error: a flow has no blanks in its name, as 'pub quiz' has; write '-' or '_' there; "
                    + "give it an 'id', as its file's name is not a valid one"
            ])
    }

    @Test(arguments: ["{ states: { a: { on: { go: TARGET } }, b: { id: 'x', states: { c: { states: { d: {} } } } } } }"])
    func `A flow file can name a target by its name, path or id`(_ text: String) throws {
        for (target, found) in [
            ("'b'", "b"), ("'#x'", "b"), ("'#x.c'", "b.c"), ("'b.c.d'", "b.c.d"), ("'#x.c.d'", "b.c.d"), ("'#flow'", "(root)"),
            ("'a'", "a"),
            ("{ target: ['b.c'] }", "b.c"),
        ] {
            let chart = try chart(text.replacing("TARGET", with: target))
            #expect(chart.arrows.contains("a go-> \(found)"), "\(target)")
        }
    }

    @Test func `A flow file can have states of all kinds`() throws {
        let chart = try chart(
            """
            { id: "kinds", states: {
              play: { type: "parallel", onDone: "end", states: {
                sound: { initial: "on", states: { on: { on: { mute: "off" } }, off: { on: { mute: "on" } }, end: { type: "final" } } },
                level: { states: { past: { type: "history", history: "deep", target: "two" }, one: { on: { next: "two" } }, two: {} } },
                again: { type: "history" },
              }, on: { back: ".again", both: { target: ["sound.off", "play.level.two"] } } },
              end: { type: "final", output: { points: "1 + 1" } },
            } }
            """.replacing("\"sound.off\"", with: "\"play.sound.off\""))
        #expect(
            chart.states.map(\.kind) == [
                .compound, .parallel, .compound, .atomic, .atomic, .final, .compound, .history(isDeep: true), .atomic, .atomic,
                .history(isDeep: false), .final,
            ])
        #expect(
            chart.arrows.filter { $0.contains("initial") }
                == [
                    "play.sound initial-> play.sound.on", "play.level.past initial-> play.level.two",
                    "play.level initial-> play.level.one", "play.again initial-> play.sound+play.level",
                    "(root) initial-> play",
                ].sorted { left, right in chart.arrows.firstIndex(of: left) ?? 0 < chart.arrows.firstIndex(of: right) ?? 0 })
        #expect(chart.arrows.contains("play back-> play.again") && chart.arrows.contains("play done.state.play-> end"))
        #expect(chart.arrows.contains("play both-> play.sound.off+play.level.two"))
    }
}
