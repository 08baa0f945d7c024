// Whether two flows do the same: for a flow that is written again, such as one that becomes a file.

import Timers

/// The result of exploring two flows side by side.
///
/// Both begin with their default parameters, and get the same events with the same payloads and the same time. The payloads are made
/// from what either flow declares: the ends of its ranges, its choices, and what lies just outside. Time passes until the next timer
/// fires, or half of that, or a single timer fires while the others stand still. After each move both must be in the same state, must
/// both be final or not, accept the same events from clients, and have the same timers with as much left; values that both carry must
/// be equal. States that carry ever new data, such as a count, are also tried at random: long walks, which are shortened if they end in a
/// difference. Of a refused event only the code counts. Hooks that could veto a step run; other hooks and work do not.
public struct FlowComparison: Sendable, CustomStringConvertible {
    /// What was found.
    public enum Verdict: Sendable, Equatable {
        /// No difference.
        case same
        /// What led to the difference, as few moves as possible, and what differs.
        case differs(after: [String], what: String)
    }

    /// What the flows are called here.
    public let names: (String, String)
    /// What was found.
    public internal(set) var verdict = Verdict.same
    /// The states that both were in.
    public internal(set) var states: Set<String> = []
    /// How many moves were tried.
    public internal(set) var moves = 0
    /// Whether states were met with more different data than could all be tried, so that the rest was tried at random.
    public internal(set) var isBounded = false
    /// Events of clients and orchestrators that neither of them has taken anywhere.
    public internal(set) var neverTaken: [String] = []

    /// Compares two kinds of flow. Each pair of states is explored with at most `variantsPerState` different data.
    /// - Throws: The error of a flow that cannot begin, if the other cannot either.
    public init(
        _ left: FlowKind, with right: FlowKind, names: (String, String)? = nil, variantsPerState: Int = 24
    ) throws {
        self.names = names ?? (left.name, right.name)
        var walk = ComparisonWalk(left, right, variantsPerState: variantsPerState)
        try walk.run()
        verdict = walk.verdict
        (states, moves, isBounded, neverTaken) = (walk.states, walk.moves, walk.isBounded, walk.neverTaken)
    }

    /// Whether no difference was found.
    public var isSame: Bool { verdict == .same }

    /// `game vs game.json5: after startPlaying, chooseEpisode {"episode":3}: 'choosingLevel' against 'choosingEpisode'`.
    public var description: String {
        switch verdict {
        case .same: "\(names.0) vs \(names.1): the same, in \(coverage)"
        case .differs(let path, let what):
            "\(names.0) vs \(names.1): \(path.isEmpty ? "at the beginning" : "after \(path.joined(separator: ", "))"): \(what)"
        }
    }

    private var coverage: String {
        let size = "\(states.count) \(states.count == 1 ? "state" : "states") and \(moves) moves"
        let bounded = isBounded ? "; not all that states can carry was tried" : ""
        return size + bounded + (neverTaken.isEmpty ? "" : "; never taken: \(neverTaken.joined(separator: ", "))")
    }
}
