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
    /// Explores a kind of flow. Two visits to a state count as the same if its data is; so many variants of one state are looked at.
    public init(_ kind: FlowKind, variantsPerState: Int = 12) throws {
        var explorer = Explorer(kind, variantsPerState: variantsPerState)
        self = try explorer.explore()
    }

    /// Explores a flow that `make` makes.
    public init<F: Flow>(variantsPerState: Int = 12, _ make: @escaping (FlowClock) -> F) throws where F.Context == NoContext {
        try self.init(TypedFlowKind(making: make), variantsPerState: variantsPerState)
    }
}

extension FlowKind {
    /// The flow's graph, found out the first time that somebody asks.
    public final func exploration() throws -> Exploration {
        if let known = knownExploration as? Exploration { return known }
        let found = try Exploration(self)
        knownExploration = found
        return found
    }
}
