// The states, edges and dead ends that an exploration of a flow finds.

import BuiltInFlows
import GameFlow
import TestSupport
import Testing
import Timers

/// A flow with a dead end and an unreachable state.
private struct Trap: TypedFlow {
    enum State: FlowState { case door, pit, tower }
    enum Event: Sendable { case step }

    static let name = "trap"
    static let states = ["door", "pit", "tower"]
    static let events = Catalogue<Event>(.plain(.step))
    let clock: FlowClock

    func initialState() throws -> State { .door }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard case .door = state else { throw .transitionNotFound }
        return { .pit }
    }
}

/// Two clocks, one of them paused, and a tick that counts.
private struct Chess: TypedFlow {
    enum State: FlowState {
        case playing(ticks: Int, white: Countdown, black: Countdown, tick: Pendulum)
        case over
    }
    enum Event: Sendable { case timeIsUp, tick }

    static let events = Catalogue<Event>(.timer(.timeIsUp), .timer(.tick))
    static let (white, black) = (
        TimerPlan.countdown("white", .seconds(300), message: Event.timeIsUp),
        TimerPlan.countdown("black", .seconds(200), message: Event.timeIsUp)
    )
    static let tick = TimerPlan.pendulum("tick", every: .seconds(1), message: Event.tick)
    static let timers = [white, black, tick]
    let clock: FlowClock

    func initialState() throws -> State {
        let black = try Countdown(Self.black, on: clock)
        black.pause()
        return .playing(
            ticks: 0, white: try Countdown(Self.white, on: clock), black: black, tick: try Pendulum(Self.tick, on: clock))
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.playing(let ticks, let white, let black, let tick), .tick):
            { .playing(ticks: min(2, ticks + 1), white: white, black: black, tick: tick) }
        case (.playing, .timeIsUp): { .over }
        case (.over, _): throw .transitionNotFound
        }
    }
}

@Suite struct `An exploration` {
    @Test func `An exploration of the game finds every state, the shortest paths and no dead end`() throws {
        let found = try Exploration { Game(clock: $0) }
        #expect(found.unreachable.isEmpty && found.deadEnds.isEmpty)
        #expect(
            found.paths["finishedLevel"] == [
                .event("startPlaying"), .event("chooseEpisode"), .event("chooseLevel"), .event("completeLevel"),
            ])
        #expect(found.edges.contains(Edge(from: "playingLevel", step: .timer("timeLimit"), to: "finishedLevel")))
        #expect(found.edges.contains(Edge(from: "playingLevel", step: .timer("tick"), to: "playingLevel")))
        #expect(found.accepted["introduction"] == ["displayHelp", "startPlaying"])
        #expect(found.edges.count == 18)
    }

    @Test func `An exploration of each built-in flow reaches every state and finds no dead end`() throws {
        let all = [
            try Exploration { Startup(clock: $0) }, try Exploration { Registration(clock: $0) },
            try Exploration { Onboarding(clock: $0) }, try Exploration { Permissions(clock: $0) },
            try Exploration { Turns(clock: $0) },
        ]
        for found in all { #expect(found.unreachable.isEmpty, "\(found.flow)") }
        #expect(all.map(\.deadEnds) == [[], [], [], [], []])
        #expect(all[1].finals == ["finished"] && all[3].finals == ["onboarded"])
    }

    @Test func `An exploration and its diagrams mark the events that a state postpones`() throws {
        let found = try Exploration { Startup(clock: $0) }
        #expect(found.postponed["launching"] == ["deepLink"] && found.postponed["ready"] == nil)
        #expect(found.mermaid.contains("launching --> launching: deepLink (postponed)"))
        #expect(found.mermaid.contains("ready --> ready: deepLink\n"))
    }

    @Test func `An exploration reports unreachable states and dead ends`() throws {
        let found = try Exploration { Trap(clock: $0) }
        #expect(found.unreachable == ["tower"] && found.deadEnds == ["pit"])
        #expect(found.accepted["pit"] == [])
    }

    @Test func `An exploration stops at its limits of moves and of steps, and says after how many moves`() throws {
        let states = (0..<1_000).map { "s\($0): { on: { go: 's\($0 + 1)' } }" }.joined(separator: ", ")
        let chain = try FlowKind.chart(text: "{ id: 'chain', states: { \(states), s1000: { type: 'final' } } }")
        let moves = try Exploration(chain, maxMoves: 30, maxSteps: .max)
        #expect(moves.movesUntilStop == 30 && moves.edges.count == 30 && !moves.isComplete)
        // Both visits to a state that n moves lead to make these moves.
        let steps = try Exploration(chain, maxMoves: .max, maxSteps: 10_000)
        #expect(steps.movesUntilStop == 100 && steps.edges.count == 100 && !steps.isComplete)
        let short = try FlowKind.chart(text: "{ id: 'short', states: { a: { on: { go: 'b' } }, b: { type: 'final' } } }")
        let whole = try Exploration(short, maxMoves: 2, maxSteps: .max)
        #expect(whole.movesUntilStop == nil && whole.isComplete, "both moves are within the limit: one is refused")
        #expect(try Exploration(short, maxMoves: 1, maxSteps: .max).movesUntilStop == 1)
        let trap = try Exploration(.flow(Trap.self), maxMoves: 30, maxSteps: 30)
        #expect(trap.movesUntilStop == nil && trap.isComplete && trap.unreachable == ["tower"])
    }

    @Test func `An exploration does not fire a timer that the flow has paused`() throws {
        let found = try Exploration { Chess(clock: $0) }
        #expect(found.edges.map { "\($0.step)" }.sorted() == ["after tick", "after white"])
        #expect(try FlowComparison(.flow(Chess.self), with: .flow(Chess.self)).isSame)
    }

    @Test func `An exploration is drawn as Mermaid and as DOT`() throws {
        let found = try Exploration { Turns(clock: $0) }
        #expect(
            found.mermaid == """
                stateDiagram-v2
                  [*] --> first
                  first --> second: pass
                  first --> second: after turn
                  second --> first: pass
                  second --> first: after turn
                """)
        #expect(found.dot.hasPrefix("digraph \"turns\" {") && found.dot.contains("\"first\" -> \"second\" [label=\" pass \"];"))
    }
}
