// Walks through two flows at once, breadth first, so that the first difference is one of the nearest.

import Texts

/// To try several moves at one place, it repeats the path to it in new sessions.
struct ComparisonWalk {
    private struct Place {
        var moves: [ComparedMove] = []
        var path = ComparedPath()
        /// Whether time has passed here without a timer firing.
        var hasLingered = false
    }

    /// Bounds of the walk: moves that are tried, and moves that are made for that.
    private static let (maxMoves, maxSteps) = (40_000, 1_000_000)

    /// Different data that are tried in each state.
    private static let variantsPerState = 24

    private let kinds: (left: FlowKind, right: FlowKind)
    private let events: [ComparedEvent]
    private var seen: Set<String> = []
    private var variants: [String: Int] = [:]
    private var waiting: [Place] = []
    private var taken: Set<String> = []
    private var steps = 0
    private var found: FlowComparison

    init(_ left: FlowKind, _ right: FlowKind, names: (String, String)) {
        kinds = (left.decidingOnly(), right.decidingOnly())
        events = ComparedEvent.all(of: left, right)
        found = FlowComparison(names: names)
        let large = (left.events + right.events).filter { $0.payload.map(ComparedEvent.areTooMany) ?? false }
        found.partlyTried = large.map(\.name).withoutRepeats
    }

    mutating func run() throws -> FlowComparison {
        if let start = try begin() { try explore(from: start) }
        found.neverTaken = events.map(\.name).withoutRepeats.filter { !taken.contains($0) }
        return found
    }

    private mutating func explore(from start: ComparedPair) throws {
        try arrive(start, Place())
        var next = 0
        while next < waiting.count, found.isSame {
            guard found.moves < Self.maxMoves, steps < Self.maxSteps else {
                found.isBounded = true
                break
            }
            try tryEverything(at: waiting[next])
            next += 1
        }
        if found.isBounded, found.isSame { try goDeeper() }
    }

    /// Searches at random for differences behind many moves, such as a count that goes far up.
    private mutating func goDeeper() throws {
        var walks = RandomWalks(kinds.left, kinds.right, events)
        guard let difference = try walks.run() else {
            found.states.formUnion(walks.states)
            taken.formUnion(walks.taken)
            return found.moves += walks.moves
        }
        found.verdict = .differs(after: difference.path.words, what: difference.what)
    }

    // MARK: Places

    /// Nil if only one of them can begin.
    private mutating func begin() throws -> ComparedPair? {
        switch (Result { try Visit(kinds.left) }, Result { try Visit(kinds.right) }) {
        case (.success(let left), .success(let right)):
            return ComparedPair(left, right)
        case (.failure(let error), .failure): throw error
        case (.failure(let error), .success):
            found.verdict = .differs(after: [], what: "cannot begin (\(error)) against can")
        case (.success, .failure(let error)):
            found.verdict = .differs(after: [], what: "can begin against cannot (\(error))")
        }
        return nil
    }

    private mutating func pair(at place: Place) throws -> ComparedPair? {
        guard let pair = try begin() else { return nil }
        for move in place.moves { _ = pair.make(move) }
        steps += place.moves.count
        return pair
    }

    /// Compares the pair, and queues it if it is new, to continue from there.
    private mutating func arrive(_ pair: ComparedPair, _ place: Place) throws {
        if let what = try pair.difference() { return found.verdict = .differs(after: place.path.words, what: what) }
        let state = pair.state.left
        found.states.insert(state)
        guard seen.insert("\(try pair.variant()) \(place.hasLingered)").inserted else { return }
        guard variants[state, default: 0] < Self.variantsPerState else { return found.isBounded = true }
        variants[state, default: 0] += 1
        waiting.append(place)
    }

    // MARK: Moves

    private mutating func tryEverything(at place: Place) throws {
        guard var here = try pair(at: place) else { return }
        let (canWait, timers) = (here.canWait, here.laterTimers)
        for event in events {
            let isUsed = try attempt(.event(event), in: here, place)
            guard found.isSame else { return }
            // An event that both refuse changes neither session.
            guard isUsed else { continue }
            taken.insert(event.name)
            guard let again = try pair(at: place) else { return }
            here = again
        }
        for timer in timers where found.isSame { try retry(.timer(timer), at: place) }
        guard canWait, found.isSame else { return }
        try retry(.wait, at: place)
        if found.isSame, !place.hasLingered { try retry(.linger, at: place) }
    }

    private mutating func retry(_ move: ComparedMove, at place: Place) throws {
        guard let pair = try pair(at: place) else { return }
        _ = try attempt(move, in: pair, place)
    }

    /// Whether the move may have changed the pair.
    private mutating func attempt(_ move: ComparedMove, in pair: ComparedPair, _ place: Place) throws -> Bool {
        (found.moves, steps) = (found.moves + 1, steps + 1)
        var next = place
        next.moves.append(move)
        next.path.append(move, taking: pair.time(of: move))
        if case .linger = move { next.hasLingered = true } else { next.hasLingered = false }
        switch pair.make(move) {
        case .refused: return false
        case .taken: try arrive(pair, next)
        case .differently(let what): found.verdict = .differs(after: next.path.words, what: what)
        }
        return true
    }
}

// MARK: - Comparison of two flows

/// The result of exploring two flows side by side.
///
/// Both begin with their default parameters, and get the same events with the same payloads and the same time. The payloads are made
/// from what either flow declares: the ends of its ranges, its choices, and what lies just outside. Time passes until the next timer
/// fires, or half of that, or a single timer fires while the others are paused. After each move both must be in the same state, must
/// both be final or not, accept the same events from clients, and have the same timers with as much left; values that both carry must
/// be equal. States that carry ever new data, such as a count, are also tried at random: long walks, which are shortened if they end in a
/// difference. Of a refused event only the code counts. Hooks that could veto a step run; other hooks and work do not.
public struct FlowComparison: Sendable, CustomStringConvertible {
    /// The comparison's result.
    public enum Verdict: Sendable, Equatable {
        /// No difference.
        case same
        /// The moves to the difference, as few as possible, and the difference itself.
        case differs(after: [String], what: String)
    }

    /// The names of the two flows in this comparison.
    public let names: (String, String)
    /// The comparison's result.
    public internal(set) var verdict = Verdict.same
    /// The states that both were in.
    public internal(set) var states: Set<String> = []
    /// How many moves were tried.
    public internal(set) var moves = 0
    /// Whether states were met with more different data than could all be tried, so that the rest was tried at random.
    public internal(set) var isBounded = false
    /// Events with so many fields or values that only a part of their payloads was tried.
    public internal(set) var partlyTried: [String] = []
    /// Events of clients and orchestrators that neither flow has accepted in any state.
    public internal(set) var neverTaken: [String] = []

    init(names: (String, String)) {
        self.names = names
    }

    /// Compares two kinds of flow. Each pair of states is explored with at most 24 different data.
    /// - Throws: The error of a flow that cannot begin, if the other cannot either.
    public init(_ left: FlowKind, with right: FlowKind, names: (String, String)? = nil) throws {
        var walk = ComparisonWalk(left, right, names: names ?? (left.name, right.name))
        self = try walk.run()
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
        let size = "\("state".counted(states.count)) and \(moves) moves"
        let bounded = isBounded ? "; not all that states can carry was tried" : ""
        let partly = partlyTried.isEmpty ? "" : "; not with all payloads: \(partlyTried.joined(separator: ", "))"
        return size + bounded + partly + (neverTaken.isEmpty ? "" : "; never taken: \(neverTaken.joined(separator: ", "))")
    }
}
