// The figures of one flow, over all the kinds that it has and has had.

import GameFlow
import Sessions
import Timers

/// What one flow's sessions have done, as it is written.
struct FlowReport {
    struct State {
        let name: String
        let label: MetricLabel
        var sessions: Int64 = 0
        var seconds = 0.0
    }

    let label: MetricLabel
    private(set) var sessions = 0
    private(set) var transitions: UInt64 = 0
    /// By what happened, and within that by source.
    private(set) var outcomes = [UInt64](repeating: 0, count: HistoryEntry.Kind.allCases.count * EventSource.allCases.count)
    private(set) var states: [State] = []
    private var numbers: [String: Int] = [:]

    init(_ name: String) {
        label = MetricLabel("flow", name)
    }

    func count(of what: HistoryEntry.Kind, from source: EventSource) -> UInt64 { outcomes[Self.place(what, source)] }

    private static func place(_ what: HistoryEntry.Kind, _ source: EventSource) -> Int {
        Int(what.rawValue) * EventSource.allCases.count + Int(source.rawValue)
    }

    // MARK: Adding

    mutating func add(_ names: StateNames, at now: Instant) {
        let figures = names.kind.figures
        addOutcomes(transitions: figures.transitions) { figures.count(of: $0, from: $1) }
        let own = Self.states(names, at: now)
        sessions += figures.sessions
        guard !states.isEmpty else { return states = own }
        for state in own { add(state) }
    }

    mutating func add(_ past: RetiredKindStatistics) {
        addOutcomes(transitions: past.transitions) { past.count(of: $0, from: $1) }
        for (name, seconds) in past.seconds {
            for state in StateNames.states(in: name, arePaths: past.hasPaths) {
                add(State(name: state, label: MetricLabel("state", state), seconds: seconds))
            }
        }
    }

    private mutating func addOutcomes(transitions more: UInt64, _ count: (HistoryEntry.Kind, EventSource) -> UInt64) {
        transitions &+= more
        for what in HistoryEntry.Kind.allCases {
            for source in EventSource.allCases { outcomes[Self.place(what, source)] &+= count(what, source) }
        }
    }

    private static func states(_ names: StateNames, at now: Instant) -> [State] {
        var states: [State] = []
        for (place, stay) in names.kind.figures.stays.enumerated() {
            let (members, seconds) = (names.members(of: place), stay.seconds(at: now))
            while states.count < names.labels.count {
                states.append(State(name: names.names[states.count], label: names.labels[states.count]))
            }
            for member in members {
                states[member].sessions += stay.sessions
                states[member].seconds += seconds
            }
        }
        return states
    }

    /// Adds to what another kind of the flow has of this state.
    private mutating func add(_ state: State) {
        if numbers.isEmpty { for (number, known) in states.enumerated() { numbers[known.name] = number } }
        if let number = numbers[state.name] { return add(state, to: number) }
        guard states.count < StateNames.maxCount || state.name == RetiredKindStatistics.otherStates else {
            return add(State(other: state))
        }
        numbers[state.name] = states.count
        states.append(state)
    }

    private mutating func add(_ state: State, to number: Int) {
        states[number].sessions += state.sessions
        states[number].seconds += state.seconds
    }
}

extension FlowReport.State {
    /// The same among those that are summed up.
    fileprivate init(other state: Self) {
        let name = RetiredKindStatistics.otherStates
        self.init(name: name, label: MetricLabel("state", name), sessions: state.sessions, seconds: state.seconds)
    }
}
