// Explores a flow from its initial state in virtual time, trying every event of the catalogue and every timer.

/// The cause of a change from one state to another: an event or a timer.
public enum Step: Hashable, Sendable, CustomStringConvertible {
    /// An event of the catalogue, by its name.
    case event(String)
    /// A timer that fired, by its name.
    case timer(String)
    /// A milestone of a timer: its name, and the time left.
    case milestone(String, left: Duration)

    public var description: String {
        switch self {
        case .event(let name): name
        case .timer(let name): "after \(name)"
        case .milestone(let timer, let left): "after \(timer), \(left.written) left"
        }
    }
}

/// A step that was seen, with its two states.
public struct Edge: Hashable, Sendable {
    /// The name of the state that it leaves.
    public let from: String
    /// The event or timer that causes the change.
    public let step: Step
    /// The name of the state that it leads to.
    public let to: String

    /// A step between two states.
    public init(from: String, step: Step, to: String) {
        self.from = from
        self.step = step
        self.to = to
    }
}

/// A flow's graph, as far as its catalogue's samples reach.
public struct Exploration: Sendable {
    /// The flow's name.
    public let flow: String
    /// The name of the state in which sessions begin.
    public let initial: String
    /// The names of all states, reached or not, in the flow's order.
    public let states: [String]
    /// Every step that was seen.
    public let edges: [Edge]
    /// States after which nothing more comes.
    public let finals: Set<String>
    /// The shortest path to every state that was reached.
    public let paths: [String: [Step]]
    /// The events accepted in every state that was reached, in at least one of its variants.
    public let accepted: [String: Set<String>]
    /// The events that a state postpones.
    public let postponed: [String: Set<String>]
    /// Whether everything was tried that the samples allow. False if a state has too many variants, or the limit of moves was reached.
    public let isComplete: Bool
    /// How many moves were tried until a limit ended the exploration; nil if none did. States that were not reached may be reachable then.
    package let movesUntilStop: Int?

    /// States that no step was seen to lead to.
    public var unreachable: [String] {
        let reached = Set(paths.keys.flatMap(\.parts))
        return states.filter { !reached.contains($0) }
    }

    /// States that are not final, and have no way out.
    public var deadEnds: [String] {
        let reached = Set(paths.keys.flatMap(\.parts))
        let left = edges.reduce(into: finals) { $0.formUnion(Set($1.from.parts).subtracting($1.to.parts)) }
        return states.filter { reached.contains($0) && !left.contains($0) }
    }
}

extension String {
    /// The states that a session is in at once, one for each region; mostly it is one state.
    fileprivate var parts: [String] { split(separator: ",").map(String.init) }
}

extension Exploration {
    /// Explores a kind of flow. Visits to a state with the same data count as one variant, and each state is explored in at most
    /// `variantsPerState` of them. After `maxMoves` it ends, complete or not.
    public init(_ kind: FlowKind, variantsPerState: Int = 12, maxMoves: Int = .max) throws {
        try self.init(kind, variantsPerState: variantsPerState, maxMoves: maxMoves, maxSteps: .max)
    }

    /// To try a move in a state, the path to that is repeated: `maxSteps` bounds the moves that are made, those of paths included.
    package init(_ kind: FlowKind, variantsPerState: Int = 12, maxMoves: Int, maxSteps: Int) throws {
        var explorer = Explorer(kind, variantsPerState: variantsPerState, maxMoves: maxMoves, maxSteps: maxSteps)
        self = try explorer.explore()
    }

    /// Explores a flow that `make` makes.
    public init<F: Flow>(variantsPerState: Int = 12, _ make: @escaping (FlowClock) -> F) throws where F.Context == NoContext {
        try self.init(TypedFlowKind(making: make), variantsPerState: variantsPerState)
    }
}

extension FlowKind {
    /// The flow's graph, explored at the first call.
    public final func exploration() throws -> Exploration {
        if let known = knownExploration as? Exploration { return known }
        let found = try Exploration(self)
        knownExploration = found
        return found
    }

    // MARK: A flow's graph: as the flow is written, or else as an exploration finds it

    package final func graph() throws -> FlowGraph {
        if let written { return written.graph }
        return try exploration().graph
    }
}

extension Exploration {
    /// For Graphviz.
    public var dot: String { graph.dot }

    /// For Mermaid, which web pages and code hosts draw.
    public var mermaid: String { graph.mermaid }

    package var graph: FlowGraph {
        let seen = [initial] + edges.flatMap { [$0.from, $0.to] }
        let names = (states + seen).withoutRepeats
        let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0 + 1) })
        let root = FlowGraph.State(
            name: flow, path: "", kind: .compound, parent: nil, children: Array(1..<names.count + 1),
            beginnings: [numbers[initial]].compactMap { $0 })
        return FlowGraph(
            flow: flow, origin: .explored,
            states: [root] + names.enumerated().map { state($1, isListed: $0 < states.count) },
            edges: edges.compactMap { edge in
                guard let from = numbers[edge.from], let to = numbers[edge.to] else { return nil }
                let waits = isPostponed(edge)
                return FlowGraph.Edge(
                    from: from, to: to, event: edge.step.event, timer: edge.step.timer,
                    label: waits ? FlowGraph.postponed("\(edge.step)") : "\(edge.step)", isInner: waits)
            })
    }

    private func isPostponed(_ edge: Edge) -> Bool {
        guard edge.from == edge.to, let event = edge.step.event else { return false }
        return postponed[edge.from]?.contains(event) == true
    }

    private func state(_ name: String, isListed: Bool) -> FlowGraph.State {
        var state = FlowGraph.State(
            name: name, path: name, kind: finals.contains(name) ? .final : .atomic, parent: 0)
        state.isReached = paths[name] != nil
        state.isListed = isListed
        return state
    }
}

extension Step {
    fileprivate var event: String? {
        switch self {
        case .event(let name): name
        case .timer, .milestone: nil
        }
    }

    fileprivate var timer: String? {
        switch self {
        case .event: nil
        case .timer(let name), .milestone(let name, _): name
        }
    }
}
