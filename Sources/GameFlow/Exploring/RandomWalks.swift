// Long walks through two flows at once, for what lies deeper than all states can be tried. They are the same each time. Each walk does
// without some events, and many without a timer that comes before its time, so that what ends a session does not cut all of them short.

struct RandomWalks {
    typealias Difference = (path: ComparedPath, what: String)

    private static let (walks, maxMoves) = (64, 400)
    /// Bounds the shortening of a difference.
    private static let maxReplays = 2_000

    private let kinds: (left: FlowKind, right: FlowKind)
    private let events: [ComparedEvent]
    private var random = Xorshift()
    private(set) var states: Set<String> = []
    private(set) var taken: Set<String> = []
    private(set) var moves = 0

    init(_ left: FlowKind, _ right: FlowKind, _ events: [ComparedEvent]) {
        kinds = (left, right)
        self.events = events
    }

    /// The first difference that is found, with as few of its walk's moves as lead there.
    mutating func run() throws -> Difference? {
        for _ in 0..<Self.walks {
            if let walk = try walk() { return try shortened(walk) }
        }
        return nil
    }

    // MARK: Walking

    /// The moves of a walk that ends in a difference; nil if it does not.
    private mutating func walk() throws -> [ComparedMove]? {
        let pair = ComparedPair(try Visit(kinds.left), try Visit(kinds.right))
        let (events, firesTimers) = (someEvents(), random.next(below: 3) == 0)
        var walked: [ComparedMove] = []
        for _ in 0..<Self.maxMoves where !pair.isFinal {
            guard let move = next(events, firesTimers, in: pair) else { return nil }
            moves += 1
            walked.append(move)
            switch pair.make(move) {
            case .refused: walked.removeLast()
            case .differently: return walked
            case .taken: if case .event(let event) = move { taken.insert(event.name) }
            }
            if try pair.difference() != nil { return walked }
            states.insert(pair.state.left)
        }
        return nil
    }

    /// Two thirds of them.
    private mutating func someEvents() -> [ComparedEvent] {
        let left = Set(events.map(\.name).withoutRepeats.filter { _ in random.next(below: 3) > 0 })
        return events.filter { left.contains($0.name) }
    }

    /// Mostly an event that is accepted, now and then any, and else time.
    private mutating func next(_ events: [ComparedEvent], _ firesTimers: Bool, in pair: ComparedPair) -> ComparedMove? {
        let names = pair.acceptedEvents
        let accepted = events.filter { names.contains($0.name) }
        switch random.next(below: 8) {
        case 0: return random.element(of: events).map { .event($0) }
        case 1...5 where !accepted.isEmpty: return random.element(of: accepted).map { .event($0) }
        case 6 where pair.canWait: return .linger
        case 7 where firesTimers && !pair.laterTimers.isEmpty: return random.element(of: pair.laterTimers).map { .timer($0) }
        default: return pair.canWait ? .wait : random.element(of: accepted).map { .event($0) }
        }
    }

    // MARK: Shortening

    /// Leaves out every part without which the rest still ends in a difference: halves first, and single moves in the end.
    private func shortened(_ walk: [ComparedMove]) throws -> Difference? {
        guard var best = try replay(walk) else { return nil }
        var (rest, size, replays) = (walk, walk.count / 2, 0)
        while size > 0, replays < Self.maxReplays {
            var start = 0
            while start < rest.count, replays < Self.maxReplays {
                replays += 1
                let shorter = Array(rest[..<start] + rest[min(start + size, rest.count)...])
                if let found = try replay(shorter) {
                    (best, rest) = (found, Array(shorter.prefix(found.count)))
                } else {
                    start += size
                }
            }
            size /= 2
        }
        return (best.path, best.what)
    }

    /// The first difference along the moves, and the number of moves up to it; nil if the sessions do not differ.
    private func replay(_ moves: [ComparedMove]) throws -> (path: ComparedPath, what: String, count: Int)? {
        let pair = ComparedPair(try Visit(kinds.left), try Visit(kinds.right))
        var path = ComparedPath()
        for (index, move) in moves.enumerated() {
            path.append(move, taking: pair.time(of: move))
            if case .differently(let what) = pair.make(move) { return (path, what, index + 1) }
            if let what = try pair.difference() { return (path, what, index + 1) }
        }
        return nil
    }
}

/// Numbers that look random and are the same each time.
private struct Xorshift {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func next(below bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(truncatingIfNeeded: state.multipliedFullWidth(by: UInt64(bound)).high)
    }

    mutating func element<Element>(of list: [Element]) -> Element? {
        list.isEmpty ? nil : list[next(below: list.count)]
    }
}

// MARK: - The path to a difference, as it is reported

struct ComparedPath {
    private var moves: [String] = []
    /// The time since the last of them: times that follow each other are one.
    private var time = Duration.zero

    /// `time` is how long the move takes, if it is a matter of time alone.
    mutating func append(_ move: ComparedMove, taking time: Duration?) {
        switch move {
        case .event(let event): append("\(event)")
        case .timer(let name): append("the timer \(name) alone")
        case .wait, .linger: self.time += time ?? .zero
        }
    }

    private mutating func append(_ move: String) {
        if time > .zero { moves.append(time.written) }
        moves.append(move)
        time = .zero
    }

    var words: [String] { time > .zero ? moves + [time.written] : moves }
}
