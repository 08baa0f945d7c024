// How actions, timers, the context, the catalogue, views and invocations are read.

import GameFlow
import JSON
import Testing
import Timers

@testable import Statecharts

@Suite struct `Contents of a flow file` {
    @Test func `The actions of a flow file are read in their order`() throws {
        let chart = try chart(
            flow(
                """
                a: {
                  entry: [
                    { assign: { x: "1 + 1", y: 2, z: { n: "x", m: [1, "y"] }, w: { n: 1 } } },
                    { raise: "e" }, { raise: { event: "e", data: { n: "x" }, delay: "1s", id: "late" } },
                    { emit: { event: "seen", data: "x" } }, { cancel: "late" }, { log: "x" },
                    { send: { session: "{{ parent }}/b", event: "hello", delay: "x * 1000" } },
                    { extend: { timer: "t", by: "-1m30s" } }, { extend: { timer: "a", by: "x" } },
                    { pause: "t" }, { resume: "t" },
                    { if: "x > 1", then: { log: "1" }, else: [{ log: "2" }, { raise: "e" }] },
                  ],
                  exit: { log: "x" },
                  after: { "1m": { name: "t" }, "2m": {} },
                  on: { e: {} },
                }
                """, "context: { x: 0, y: 0, z: null, w: {} },"))
        #expect(
            chart.states[1].entry.map { chart.words($0) } == [
                "x = (1 + 1)", "y = 2", "z = {n: (x), m: [1, (y)]}", "w = {\"n\":1}", "raise e",
                "raise e {n: (x)} after 1.0 seconds as late", "emit seen (x)", "cancel late", "log (x)",
                "send hello after (x * 1000) to ( parent )/b", "extend t by -90.0 seconds", "extend a by (x)", "pause t",
                "resume t",
                "if (x > 1) [log (1)] else [log (2), raise e]",
            ])
        #expect(chart.states[1].exit.map { chart.words($0) } == ["log (x)"])
        #expect(chart.expressions.allSatisfy { $0.state == 1 })
    }

    @Test func `The timers of a flow file are read with their names, lengths and milestones`() throws {
        let chart = try chart(
            flow(
                """
                a: {
                  after: { "1h": { target: "b", name: "round", restart: "freeze",
                                   milestones: { "1m": { emit: "hurry" }, "10m": "hint", "90s": [{ log: "1" }, { raise: "hint" }] } },
                           "30s": [{ delay: "x * 1000" }, { guard: "x > 1", target: "b" }, { target: "a" }],
                           "1s": "b" },
                  every: { "2s": [{ emit: "tick", restart: "restart" }, { raise: "hint" }], "250ms": { name: "beat" } },
                  on: { hint: {} },
                }, b: { every: { "100": { emit: "tick" } } }
                """, "context: { x: 1 }, after: { \"2h\": \"b\" },"))
        #expect(chart.timers.map(\.name) == ["test", "round", "a", "a#2", "a#3", "beat", "b"])
        #expect(chart.timers.map(\.restart) == [.keep, .freeze, .keep, .keep, .restart, .keep, .keep])
        #expect(
            chart.timers.map { chart.words($0.length) } == [
                "7200.0 seconds", "3600.0 seconds", "(x * 1000)", "1.0 seconds", "2.0 seconds", "0.25 seconds", "0.1 seconds",
            ])
        #expect(chart.timers[1].milestones == [.seconds(600), .seconds(90), .seconds(60)])
        #expect(
            chart.arrows.filter { $0.hasPrefix("a ") } == [
                "a timer:round-> b", "a left:60.0 seconds:round-> ", "a left:600.0 seconds:round-> ",
                "a left:90.0 seconds:round-> ",
                "a timer:a-> b", "a timer:a-> a", "a timer:a#2-> b", "a timer:a#3-> ", "a timer:beat-> ", "a hint-> ",
            ])
        let milestones = chart.transitions.filter { if case .milestone = $0.trigger { true } else { false } }
        #expect(
            milestones.map { $0.actions.map { chart.words($0) } } == [
                ["emit hurry"], ["raise hint"], ["log (1)", "raise hint"],
            ])
    }

    @Test func `The events of a flow file are read as the catalogue`() throws {
        let chart = try chart(
            flow(
                "a: { on: { '*': {} } }",
                """
                events: {
                  plain: {},
                  one: { payload: { n: { type: "integer", minimum: 1 } }, from: "ui", label: "One" },
                  several: { payload: { c: { enum: ["a", "b"] }, t: { type: "string", maxLength: 5, optional: true }, x: { type: "number" },
                                        y: { type: "boolean", description: "whether" } }, from: ["bluetooth", "orchestrator"] },
                  internal: { from: [] },
                },
                """))
        let usual: EventSources = [.clients, .orchestrators]
        #expect(chart.events.map(\.name) == ["plain", "one", "several", "internal"])
        #expect(chart.events.map(\.sources) == [usual, EventSources(.ui), [EventSources(.bluetooth), .orchestrators], []])
        #expect(chart.events.map(\.label) == [nil, "One", nil, nil] && !chart.events.contains(where: \.carriesAnything))
        #expect(
            chart.events.map(\.payload) == [
                nil, .integer("n", in: 1...Int.max),
                .object(
                    "several",
                    [
                        .text("c", oneOf: ["a", "b"]), .text("t", length: 0...5).optional, .number("x"),
                        .boolean("y", hint: "whether"),
                    ]), nil,
            ])
    }

    @Test func `A flow file without a catalogue has the events that it names`() throws {
        let chart = try chart(
            flow("a: { on: { go: 'a', 'error.*': 'a', '*': null, 'done.state.a': 'a' }, entry: { raise: 'own' } }"))
        #expect(chart.events.map(\.name) == ["go", "own"] && chart.events.allSatisfy(\.carriesAnything))
        #expect(
            chart.arrows.filter { $0.hasPrefix("a ") } == ["a go-> a", "a error.*-> a", "a *-> nowhere", "a done.state.a-> a"])
    }

    @Test func `The context of a flow file is read as variables with types`() throws {
        let chart = try chart(
            flow(
                "a: {}",
                """
                context: { i: 0, n: 0.5, t: "", b: false, l: [1], o: { type: "anything" }, a: null,
                           minutes: { type: "integer", minimum: 10, maximum: 120, default: 60 }, c: { enum: ["x"], type: "string", default: "x" } },
                """))
        #expect(
            chart.context.map(\.kind) == [
                .integer("i"), .number("n"), .text("t"), .boolean("b"), nil, nil, nil, .integer("minutes", in: 10...120),
                .text("c", oneOf: ["x"]),
            ])
        #expect(chart.context.map(\.initial) == [0, .number(0.5), "", false, [1], ["type": "anything"], .null, 60, "x"])
    }

    @Test func `The views and invocations of a flow file are read as templates and expressions`() throws {
        let chart = try chart(
            flow(
                """
                a: { view: { title: "Round {{ round }} of {{ ({1, {2}})[1] .. '}}' }}!", text: "plain", progress: 0.5 },
                     tags: "busy", meta: { image: "a.png" }, description: "First",
                     invoke: [{ flow: "pause", context: { minutes: "round", kind: { fixed: 1 } }, onDone: "b" },
                              { src: "other", id: "second", input: {}, onError: { actions: { log: "event" } } }] },
                b: { view: { progress: "round / 3" }, tags: ["x", "y"], type: "final", output: "round" },
                """, "context: { round: 0 },"))
        let (first, second) = (chart.states[1], chart.states[2])
        #expect(first.view?.title.map { chart.words($0) } == "Round ( round ) of ( ({1, {2}})[1] .. '}}' )!")
        #expect(first.view?.text.map { chart.words($0) } == "plain" && first.view?.progress.map { chart.words($0) } == "0.5")
        #expect(
            second.view?.progress.map { chart.words($0) } == "(round / 3)" && second.output.map { chart.words($0) } == "(round)"
        )
        #expect(chart.invocations.map(\.id) == ["pause", "second"] && chart.invocations.map(\.flow) == ["pause", "other"])
        #expect(
            chart.invocations[0].context.map { "\($0.name)=\(chart.words($0.value))" } == [
                "minutes=(round)", "kind={\"fixed\":1}",
            ])
        #expect(chart.arrows.filter { $0.contains("invoke") } == ["a done.invoke.pause-> b", "a error.invoke.second-> "])
    }

    @Test func `A transition of a flow file is read with its guard, its targets and whether it reenters`() throws {
        let chart = try chart(
            flow(
                """
                a: { on: { e: [{ guard: "true", target: "b", reenter: false }, { actions: { log: "1" } }], f: [{ log: "1" }, { log: "2" }] },
                     always: { guard: "false", target: "b" }, initial: { target: "c", actions: { log: "3" } }, states: { c: {} } }, b: {}
                """))
        let transitions = chart.states[1].transitions.map { chart.transitions[$0] }
        #expect(transitions.map(\.reenters) == [false, true, true, true])
        #expect(
            transitions.map { $0.guardExpression.map { chart.expressions[$0.number].text } } == ["true", nil, nil, "false"])
        #expect(transitions.map { $0.actions.map { chart.words($0) } } == [[], ["log (1)"], ["log (1)", "log (2)"], []])
        let initial = try #require(chart.states[1].initial.map { chart.transitions[$0] })
        #expect(initial.targets == [2] && initial.actions.map { chart.words($0) } == ["log (3)"])
    }

    @Test func `A mistake in an expression is reported at its place in the file`() {
        let text = flow(
            "a: { always: { guard: 'x\\n == y', target: 'a' }, view: { title: 'one {{ two }}' } }", "context: { x: 0 },")
        #expect(
            report(text) == [
                "1:74: error: there is no variable 'y'; declare it: context: { y: 0 }, or write the text in quotes: 'y'",
                "1:116: error: there is no variable 'two'; declare it: context: { two: 0 }",
            ])
    }
}
