import GameFlow
import Testing
import Timers

@testable import Statecharts

private let quiz = """
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

@Suite struct `The quiz of the guide` {
    let game: ChartSession

    init() throws {
        game = try ChartSession(quiz)
    }

    @Test func `The quiz lobby closes after 10 minutes`() throws {
        game.advance(.seconds(599))
        #expect(game.state == "lobby")
        game.advance(.seconds(1))
        #expect(game.state == "closed")
        #expect(game.machine.isFinal)
        #expect(throws: Refusal.self) { try game.send("start") }
    }

    @Test func `The quiz runs three rounds and scores the right answer in one of them`() throws {
        try game.send("start")
        #expect(game["round"] == 1)
        #expect(game.timers == ["question": .seconds(30), "question#2": .seconds(1)])
        try game.send("answer", ["choice": "b"])
        #expect(game["score"] == 10)
        game.advance(.seconds(5))
        #expect(game.state == "question")
        try game.send("answer", ["choice": "a"])
        game.advance(.seconds(5))
        game.advance(.seconds(30))
        #expect(game.state == "reveal")
        game.advance(.seconds(5))
        #expect(game.state == "closed")
        #expect(game["score"] == 10)
        #expect(game["round"] == 3)
    }

    @Test func `A restart during a question keeps the quiz's timers and context`() throws {
        try game.send("start")
        game.advance(.milliseconds(12_300))
        try game.restart()
        #expect(game.timers == ["question": .milliseconds(17_700), "question#2": .milliseconds(700)])
        #expect(game["round"] == 1)
        game.advance(.milliseconds(17_700))
        #expect(game.state == "reveal")
    }

    @Test func `A context given at the quiz's creation is checked and used`() throws {
        let late = try ChartSession(quiz, context: ["round": 2])
        try late.send("start")
        #expect(late["round"] == 3)
        #expect(throws: FlowError.refused("the parameter 'round' is a whole number, and not \"two\"")) {
            try ChartSession(quiz, context: ["round": "two"])
        }
    }

    @Test func `A transition's actions see how long the state that it leaves was active, and the next state begins at zero`()
        throws
    {
        let session = try ChartSession(
            """
            { id: "t", initial: "run", context: { left: 0, all: 0, begun: 0 }, states: {
              run: { initial: "lap", states: { lap: {} }, on: {
                again: { target: "run", actions: { assign: { left: "elapsed" } } },
                stop: { target: "over", actions: { assign: { left: "elapsed" } } } } },
              over: { type: "final", entry: { assign: { begun: "elapsed" } }, exit: { assign: { all: "left + elapsed" } } } } }
            """)
        session.advance(.seconds(3))
        try session.send("again")
        #expect(session["left"] == 3_000)
        session.advance(.seconds(2))
        try session.send("stop")
        #expect(session["left"] == 2_000 && session["begun"] == 0 && session["all"] == 2_000)
        #expect(try session.machine.stateData()["$"] == nil, "nothing of a session that is over is measured")
    }

    @Test(arguments: [false, true])
    func `Timers of a forced state have the lengths that the given context leads to`(isNew: Bool) throws {
        let session = try ChartSession(
            """
            { id: "oven", initial: "off", context: { minutes: 1, shown: 0 }, states: {
              off: { exit: { assign: { minutes: 7 } } },
              on: {
                entry: { assign: { shown: "minutes" } },
                after: { "1m": { name: "bake", delay: "minutes * 60000", target: "off" } } } } }
            """)
        if isNew {
            let image = SessionImage(givenState: "on", data: ["minutes": 45])
            let machine = try session.kind.begin(on: session.timekeeper, at: image)
            #expect(machine.timers.map(\.remaining) == [.seconds(45 * 60)])
            #expect(try machine.shownData()["shown"] == 45)
        } else {
            try session.machine.force("on", data: ["minutes": 45])
            #expect(session.timers == ["bake": .seconds(45 * 60)])
            #expect(session["minutes"] == 45 && session["shown"] == 45)
        }
    }

    @Test func `A child of a forced state begins with the given context, which overrides what entry actions assign`() throws {
        let session = try ChartSession(
            """
            { id: "t", initial: "a", context: { n: 1 }, states: { a: {}, b: {
              entry: { assign: { n: 2 } }, invoke: { src: "child", id: "c", context: { count: "n" } } } } }
            """)
        try session.machine.force("b", data: ["n": 9])
        #expect(session["n"] == 9)
        guard case .begin(_, _, let context)? = session.machine.outbox?.effects.first else {
            Issue.record("no child begins")
            return
        }
        #expect(context == ["count": 9])
    }

    @Test func `Exit actions of a final state assign once, whether it is reached by an event or by force`() throws {
        let text = """
            { id: "f", initial: "a", context: { n: 0 }, states: {
              a: { on: { go: "over", stop: "silent" } },
              over: { type: "final", exit: { assign: { n: "n + 1" } }, output: "n" }, silent: { type: "final" } } }
            """
        for isForced in [false, true] {
            let session = try ChartSession(text)
            if isForced { try session.machine.force("over", data: .object([])) } else { try session.send("go") }
            #expect(session["n"] == 1 && session.machine.output == 0)
            try session.machine.force("a", data: .object([]))
            #expect(session["n"] == 1)
            try session.send("stop")
            #expect(session.machine.output == nil, "it is that of this end")
        }
        let session = try ChartSession(text)
        try session.machine.force("over", data: ["n": 9])
        #expect(session["n"] == 9)
    }

    @Test func `A session that is over has the flow's own entry, timers and children again when a state is forced`() throws {
        let session = try ChartSession(
            """
            { id: "t", initial: "a", context: { begun: 0 }, entry: { assign: { begun: "begun + 1" } },
              after: { "1h": { name: "whole", target: "over" } }, invoke: { flow: "kid", id: "kid" },
              states: { a: { on: { go: "b", end: "over" } }, b: {}, over: { type: "final" } } }
            """)
        try session.machine.force("b", data: .object([]))
        #expect(session["begun"] == 1, "the flow itself stays active")
        try session.machine.force("over", data: .object([]))
        #expect(session.timers.isEmpty && session.machine.children.isEmpty)
        try session.machine.force("a", data: .object([]))
        #expect(session["begun"] == 2 && session.timers == ["whole": .seconds(3_600)])
        #expect(session.machine.children.map(\.id) == ["kid"])
    }

    @Test(arguments: [
        (1, false, "low"), (1, true, "low"), (9, false, "decide"), (9, true, "decide"), (5, false, "over"), (5, true, "over"),
    ])
    func `A forced state's always is taken if its guard holds with the given context, and does nothing but assign`(
        n: Int, isNew: Bool, state: String
    ) throws {
        let session = try ChartSession(
            """
            { id: "t", initial: "a", context: { n: 0, steps: 0 }, states: {
              a: {},
              decide: { entry: { assign: { n: 3 } }, always: [
                { guard: "n < 5", target: "low", actions: [{ assign: { steps: "steps + 1" } }, { emit: "low" }] },
                { guard: "n == 5", target: "over" } ] },
              low: { after: { "1m": { name: "low" } } }, over: { type: "final" } } }
            """)
        var machine = session.machine
        if isNew {
            let image = SessionImage(givenState: "decide", data: ["n": .integer(n)])
            machine = try session.kind.begin(on: session.timekeeper, at: image)
        } else {
            try machine.force("decide", data: ["n": .integer(n)])
        }
        #expect(machine.stateName == state && machine.isFinal == (state == "over") && machine.outbox == nil)
        let data = try machine.shownData()
        #expect(data["n"] == .integer(n) && data["steps"] == (state == "low" ? 1 : 0))
        #expect(machine.timers.map(\.plan.name) == (state == "low" ? ["low"] : []))
    }

    @Test(arguments: [(0, 1), (5, 2)])
    func `A forced state's conditional actions assign, and do nothing else`(n: Int, chosen: Int) throws {
        let session = try ChartSession(
            """
            { id: "t", initial: "a", context: { n: 0, chosen: 0 }, states: { a: {}, b: { entry: [
              { if: "n < 5", then: [{ assign: { chosen: 1 } }, { emit: "low" }], else: { assign: { chosen: 2 } } } ] } } }
            """)
        try session.machine.force("b", data: ["n": .integer(n)])
        #expect(session["chosen"] == .integer(chosen) && session.machine.outbox == nil)
    }

    @Test func `In a forced state's actions there is no source of an event`() throws {
        let session = try ChartSession(
            """
            { id: "t", initial: "a", context: { by: "" }, states: { a: { on: { go: "b" } },
              b: { entry: { assign: { by: "source or 'nobody'" } } } } }
            """)
        try session.send("go")
        #expect(session["by"] == "ui")
        try session.machine.force("b", data: .object([]))
        #expect(session["by"] == "nobody")
    }

    @Test func `A forced state is entered with the given part of its context`() throws {
        try game.machine.force("reveal", data: ["score": 30])
        #expect(game["score"] == 30)
        #expect(game["round"] == 0)
        try game.machine.force("question", data: .object([]))
        #expect(game["round"] == 1)
        #expect(game.timers == ["question": .seconds(30), "question#2": .seconds(1)])
    }
}
