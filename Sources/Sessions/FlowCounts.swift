// What sessions have done, by flow, over all the kinds that a flow has had.

import GameFlow
import Timers

/// What is left of kinds whose sessions have moved on.
package struct PastFigures {
    /// More names of states than this are not kept one by one.
    private static let mostStates = 1_000
    package static let otherStates = "…other"

    /// By what happened and where it came from.
    private var outcomes: [HistoryEntry.Kind: [UInt64]] = [:]
    package private(set) var transitions: UInt64 = 0
    /// The seconds that sessions have spent in states of these names.
    package private(set) var seconds: [String: Double] = [:]
    /// Whether the names are paths of a chart's states.
    package private(set) var hasPaths = false

    package func count(of what: HistoryEntry.Kind, from source: EventSource) -> UInt64 {
        outcomes[what]?[Int(source.rawValue)] ?? 0
    }

    mutating func add(_ kind: FlowKind, at now: Instant) {
        let figures = kind.figures
        for what in HistoryEntry.Kind.allCases {
            let counts = EventSource.allCases.map { figures.count(of: what, from: $0) }
            let before = outcomes[what] ?? counts.map { _ in 0 }
            outcomes[what] = zip(before, counts).map { $0 &+ $1 }
        }
        transitions &+= figures.transitions
        hasPaths = kind.hasStatePaths
        for (place, stay) in figures.stays.enumerated() {
            let more = stay.seconds(at: now)
            guard more > 0 else { continue }
            let name = kind.stateName(at: UInt32(place))
            seconds[seconds.count < Self.mostStates || seconds[name] != nil ? name : Self.otherStates, default: 0] += more
        }
    }
}

extension FlowKind {
    /// Whether its states' names are dotted paths of a chart's states, joined by commas where several are active.
    package var hasStatePaths: Bool { origin != nil }
}

extension Sessions {
    /// Every kind that has sessions, or can have some: those of one flow together make its figures, with its past.
    package var countedKinds: [FlowKind] { flows + leaving }

    /// How often this has happened since the start.
    package func count(of what: HistoryEntry.Kind) -> Int {
        var all: UInt64 = what == .dropped ? UInt64(givenUp) : 0
        for kind in flowTable.hosted { all &+= kind.figures.count(of: what) }
        for kind in leaving { all &+= kind.figures.count(of: what) }
        for past in pastFigures.values {
            for source in EventSource.allCases { all &+= past.count(of: what, from: source) }
        }
        return Int(all)
    }

    /// The kind has no sessions any more: its figures become the flow's.
    func keepFigures(of kind: FlowKind) {
        pastFigures[kind.name, default: PastFigures()].add(kind, at: timekeeper.now)
        kind.figures.reset()
    }
}
