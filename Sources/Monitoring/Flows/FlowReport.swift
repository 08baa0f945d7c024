// The figures of one flow, over all the kinds that it has and has had.

import GameFlow
import Sessions

/// Counts of one flow's sessions, as they are written.
struct FlowReport {
    struct State {
        let label: MetricLabel
        var sessions: Int64 = 0
        var seconds = 0.0
    }

    let label: MetricLabel
    private(set) var sessions = 0
    private(set) var transitions: UInt64 = 0
    /// By what happened, and within that by source.
    private(set) var outcomes = [UInt64](repeating: 0, count: HistoryEntry.Kind.allCases.count * EventSource.allCases.count)
    /// By their numbers in `index`.
    private(set) var states: [State] = []
    private var index = StateIndex()

    init(_ name: String) {
        label = MetricLabel("flow", name)
    }

    func count(of what: HistoryEntry.Kind, from source: EventSource) -> UInt64 { outcomes[Self.place(what, source)] }

    private static func place(_ what: HistoryEntry.Kind, _ source: EventSource) -> Int {
        Int(what.rawValue) * EventSource.allCases.count + Int(source.rawValue)
    }

    // MARK: Adding

    mutating func add(_ names: StateNames, at now: Instant) {
        let statistics = names.kind.statistics
        addOutcomes(transitions: statistics.transitions) { statistics.count(of: $0, from: $1) }
        let own = Self.states(names, at: now)
        sessions += statistics.sessions
        guard !states.isEmpty else { return (states, index) = (own, names.index) }
        for (name, state) in zip(names.index.names, own) { add(sessions: state.sessions, seconds: state.seconds, to: name) }
    }

    mutating func add(_ past: RetiredKindStatistics) {
        addOutcomes(transitions: past.transitions) { past.count(of: $0, from: $1) }
        for (name, seconds) in past.seconds {
            for state in StateNames.states(in: name, arePaths: past.hasPaths) {
                add(sessions: 0, seconds: seconds, to: state)
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
        for (place, stay) in names.kind.statistics.stays.enumerated() {
            let (members, seconds) = (names.members(of: place), stay.seconds(at: now))
            while states.count < names.index.labels.count { states.append(State(label: names.index.labels[states.count])) }
            for member in members {
                states[member].sessions += stay.sessions
                states[member].seconds += seconds
            }
        }
        return states
    }

    /// Adds to what another kind of the flow has of this state.
    private mutating func add(sessions: Int64, seconds: Double, to state: String) {
        let number = index.number(of: state)
        if number == states.count { states.append(State(label: index.labels[number])) }
        states[number].sessions += sessions
        states[number].seconds += seconds
    }
}

// MARK: - All flows' figures, put together for one answer

/// Remembers the names of states between two answers.
final class FlowReports {
    private var names: [ObjectIdentifier: StateNames] = [:]

    /// One for each flow that is or was hosted, in the order in which they came; those that are gone at the end.
    func reports(of sessions: Sessions) -> [FlowReport] {
        let kinds = sessions.countedKinds
        forgetAllBut(kinds)
        var reports: [FlowReport] = []
        var places: [String: Int] = [:]
        let place = { (name: String) in
            if let known = places[name] { return known }
            places[name] = reports.count
            reports.append(FlowReport(name))
            return reports.count - 1
        }
        for kind in kinds { reports[place(kind.name)].add(names(of: kind), at: sessions.timekeeper.now) }
        for (name, past) in sessions.retiredStatistics.sorted(by: { $0.key < $1.key }) { reports[place(name)].add(past) }
        return reports
    }

    /// They keep their kinds, so that no other kind can come to lie where one was.
    private func names(of kind: FlowKind) -> StateNames {
        if let known = names[ObjectIdentifier(kind)] { return known }
        let made = StateNames(kind)
        names[ObjectIdentifier(kind)] = made
        return made
    }

    private func forgetAllBut(_ kinds: [FlowKind]) {
        guard names.count > kinds.count else { return }
        let here = Set(kinds.map { ObjectIdentifier($0) })
        names = names.filter { here.contains($0.key) }
    }
}

// MARK: - The states of a kind one by one

/// Which states a session is in where it is in one of this name: learnt once for each name.
final class StateNames {
    let kind: FlowKind
    private(set) var index = StateIndex()
    /// By the index of the name.
    private var members: [[Int]] = []

    init(_ kind: FlowKind) {
        self.kind = kind
    }

    /// The numbers of the states that are active in the state of this index.
    func members(of place: Int) -> [Int] {
        while members.count <= place { members.append(numbers(of: kind.stateName(at: UInt32(members.count)))) }
        return members[place]
    }

    private func numbers(of name: String) -> [Int] {
        var found: [Int] = []
        for state in Self.states(in: name, arePaths: kind.hasStatePaths) {
            let number = index.number(of: state)
            if !found.contains(number) { found.append(number) }
        }
        return found
    }

    /// `a.b,a.c` is in `a`, `a.b` and `a.c`. The names of other flows' states are not taken apart.
    static func states(in name: String, arePaths: Bool) -> [String] {
        guard arePaths else { return [name] }
        var states: [String] = []
        for path in name.split(separator: ",") {
            for dot in path.indices where path[dot] == "." { add(String(path[..<dot]), to: &states) }
            add(String(path), to: &states)
        }
        return states
    }

    private static func add(_ state: String, to states: inout [String]) {
        if !states.contains(state) { states.append(state) }
    }
}

/// The states by number, and their labels.
struct StateIndex {
    /// More states of a flow than this are summed up.
    private static let maxStates = 500

    private(set) var names: [String] = []
    private(set) var labels: [MetricLabel] = []
    private var numbers: [String: Int] = [:]

    mutating func number(of state: String) -> Int {
        if let known = numbers[state] { return known }
        guard names.count < Self.maxStates || state == RetiredKindStatistics.otherStates else {
            return number(of: RetiredKindStatistics.otherStates)
        }
        numbers[state] = names.count
        names.append(state)
        labels.append(MetricLabel("state", state))
        return names.count - 1
    }
}
