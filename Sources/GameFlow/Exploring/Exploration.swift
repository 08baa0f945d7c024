// Walks a flow from its beginning in virtual time, trying every event of the catalogue and every timer, and says what it found.

import Timers

/// What led from one state to another.
public enum Step: Hashable, Sendable, CustomStringConvertible {
    case event(String)
    case timer(String)

    public var description: String {
        switch self {
        case .event(let name): name
        case .timer(let name): "after \(name)"
        }
    }
}

/// A step that was seen to lead from one state to another.
public struct Edge: Hashable, Sendable {
    public let from: String
    public let step: Step
    public let to: String

    public init(from: String, step: Step, to: String) {
        self.from = from
        self.step = step
        self.to = to
    }
}

/// A flow's graph, as far as its catalogue's samples reach.
public struct Exploration: Sendable {
    public let flow: String
    public let initial: String
    public let states: [String]
    public let edges: [Edge]
    public let finals: Set<String>
    /// For every state that was reached, the shortest way there.
    public let paths: [String: [Step]]
    /// For every state that was reached, the events that were accepted there in at least one of its variants.
    public let accepted: [String: Set<String>]

    public var unreachable: [String] { states.filter { paths[$0] == nil } }

    /// States that are not final and that nothing leads out of.
    public var deadEnds: [String] {
        states.filter { state in
            paths[state] != nil && !finals.contains(state) && !edges.contains { $0.from == state && $0.to != state }
        }
    }
}

extension Exploration {
    /// Explores a flow. Two visits to a state count as the same if its data is; so many variants of one state are looked at.
    public init<F: Flow>(
        _ type: F.Type = F.self, variantsPerState: Int = 12, _ makeFlow: @escaping (FlowClock) -> F
    ) throws {
        var explorer = Explorer<F>(variantsPerState: variantsPerState, makeFlow: makeFlow)
        self = try explorer.explore()
    }
}

/// A breadth-first walk. A place is visited anew by going the way to it again, in a session of its own.
private struct Explorer<F: Flow> {
    /// One thing to try: an event's sample by its place in the catalogue, or a timer by its name.
    enum Move {
        case event(place: Int, sample: Int)
        case timer(String)
    }

    let variantsPerState: Int
    let makeFlow: (FlowClock) -> F
    var seen: Set<String> = []
    var variants: [String: Int] = [:]
    var paths: [String: [Step]] = [:]
    var finals: Set<String> = []
    var accepted: [String: Set<String>] = [:]
    var edges: [Edge] = []
    var waiting: [(moves: [Move], steps: [Step])] = []

    init(variantsPerState: Int, makeFlow: @escaping (FlowClock) -> F) {
        self.variantsPerState = variantsPerState
        self.makeFlow = makeFlow
    }

    mutating func explore() throws -> Exploration {
        let initial = try session(after: []).state
        try arrive(try session(after: []), [], [])
        var next = 0
        while next < waiting.count {
            try tryEverything(after: waiting[next].moves, waiting[next].steps)
            next += 1
        }
        return Exploration(
            flow: F.name, initial: initial, states: F.states, edges: edges, finals: finals, paths: paths, accepted: accepted)
    }

    private mutating func tryEverything(after moves: [Move], _ steps: [Step]) throws {
        let here = try session(after: moves)
        let timers = Set(here.machine.timers.filter { $0.remaining != nil }.map(\.plan.name)).sorted()
        for (place, spec) in F.events.specs.enumerated() where !spec.sources.isDisjoint(with: .nonTimers) {
            for sample in spec.samples.indices {
                try attempt(.event(place: place, sample: sample), .event(spec.name), after: moves, steps)
            }
        }
        for timer in timers { try attempt(.timer(timer), .timer(timer), after: moves, steps) }
    }

    private mutating func attempt(_ move: Move, _ step: Step, after moves: [Move], _ steps: [Step]) throws {
        let session = try session(after: moves)
        let from = session.state
        guard make(move, in: session) else { return }
        if case .event(let name) = step { accepted[from, default: []].insert(name) }
        let edge = Edge(from: from, step: step, to: session.state)
        if !edges.contains(edge) { edges.append(edge) }
        try arrive(session, moves + [move], steps + [step])
    }

    /// Notes a place that has not been seen before, to go on from there.
    private mutating func arrive(_ session: FlowUnderTest<F>, _ moves: [Move], _ steps: [Step]) throws {
        let state = session.state
        accepted[state] = accepted[state] ?? []
        paths[state] = paths[state] ?? steps
        if session.machine.isFinal { finals.insert(state) }
        let variant = state + (try session.machine.stateData().withoutTimers.description)
        guard variants[state, default: 0] < variantsPerState, seen.insert(variant).inserted else { return }
        variants[state, default: 0] += 1
        waiting.append((moves, steps))
    }

    private func session(after moves: [Move]) throws -> FlowUnderTest<F> {
        let session = try FlowUnderTest(makeFlow) { $0.leaveWorkUndone() }
        for move in moves { _ = make(move, in: session) }
        return session
    }

    /// Makes a move; false if it was refused or led to nothing.
    private func make(_ move: Move, in session: FlowUnderTest<F>) -> Bool {
        let version = session.machine.version
        switch move {
        case .event(let place, let sample):
            let spec = F.events.specs[place]
            let source = EventSource.allCases.first { spec.sources.contains($0) && $0 != .timer } ?? .ui
            guard let outcome = try? session.send(spec.samples[sample], from: source) else { return false }
            return session.machine.version != version || isWorthATry(outcome)
        case .timer(let name):
            fire(name, in: session)
            return session.machine.version != version
        }
    }

    private func isWorthATry(_ outcome: Outcome) -> Bool {
        if case .postponed = outcome { true } else { false }
    }

    /// Lets time pass until the timer fires, with all others standing still.
    private func fire(_ name: String, in session: FlowUnderTest<F>) {
        for timer in session.machine.timers where timer.plan.name != name { timer.pause() }
        if let remaining = session.remaining(name) { session.advance(remaining) }
        for timer in session.machine.timers { timer.resume() }
    }
}

extension EventSources {
    fileprivate static let nonTimers: EventSources = [.clients, .orchestrators]
}

extension JSON {
    /// The data without what changes with every second.
    package var withoutTimers: JSON {
        switch self {
        case .object(let members):
            .object(members.filter { $0.value["timer"] == nil }.map { Member($0.name, $0.value.withoutTimers) })
        case .array(let values): .array(values.map(\.withoutTimers))
        default: self
        }
    }
}
