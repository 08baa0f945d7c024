// Statistics of a flow's retired kinds.

import GameFlow
import Texts
import Timers

/// Sums of the statistics of kinds without sessions.
package struct RetiredKindStatistics {
    /// More names of states than this are not kept one by one.
    private static let maxStates = 1_000
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
            seconds[seconds.count < Self.maxStates || seconds[name] != nil ? name : Self.otherStates, default: 0] += more
        }
    }
}

extension FlowKind {
    /// Whether its states' names are dotted paths of a chart's states, joined by commas where several are active.
    package var hasStatePaths: Bool { origin != nil }
}

// MARK: - NEW's JSON: the parameters, the state and the data that a session begins with

extension FlowKind {
    /// Begins with the parameters in `context`, in the state named by `state`. The state's values are in `data`, or else in the
    /// object itself.
    package func begin(on timekeeper: Timekeeper, where json: JSON) throws -> AnyMachine {
        let context = json["context"]
        if let state = json["state"]?.text {
            let image = SessionImage(state: state, data: json["data"] ?? json.stateData, context: context)
            return try begin(on: timekeeper, at: image)
        }
        guard case .object(let members) = json, let context, members.allSatisfy({ $0.name == "context" }) else {
            let more = parameters.isEmpty ? "" : ", or gives the flow's parameters: {\"context\":{\"\(parameters[0].name)\":…}}"
            throw RestorationError(
                "NEW's JSON is an object that names the state to begin in: {\"state\":\"\(states[0])\"}\(more)")
        }
        return try begin(on: timekeeper, context: context)
    }
}

extension JSON {
    /// All members but the state and the parameters.
    fileprivate var stateData: JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != "state" && $0.name != "context" })
    }
}
