// The flows that a daemon hosts, by name and by number. They can change while it runs.

import GameFlow
import Texts

/// Flows keep their number for as long as the process runs, since dropped sessions refer to it: also while they are gone.
struct FlowTable {
    /// In the order in which they came.
    private(set) var hosted: [FlowKind] = []
    /// Kinds with sessions that are still moving to a newer kind.
    private(set) var retiring: [FlowKind] = []
    /// The number of changes of flows so far.
    var changes = 0
    /// Statistics of retired kinds, by the flow's name.
    private(set) var retiredStatistics: [String: RetiredKindStatistics] = [:]
    private var byName: [String: FlowKind] = [:]
    /// The newest kind of each flow, by the flow's number; of one that is gone, the last.
    private var newest: [FlowKind] = []
    private var numbers: [String: Int] = [:]
    /// The numbers of kinds in use: of those that are hosted, and of those that still have sessions.
    private var kindNumbers: Set<Int> = []

    subscript(name: String) -> FlowKind? { byName[name] }

    /// Every kind that has sessions, or can have some: those of one flow together make its figures, with its past.
    var all: [FlowKind] { hosted + retiring }

    func newest(ofFlow number: Int) -> FlowKind { newest[number] }

    /// Hosts the kind. One of its name retires: its sessions stay with it until they are moved.
    mutating func host(_ kind: FlowKind) {
        if let old = byName[kind.name] {
            retiring.append(old)
            if kind.executor == nil { kind.executor = old.executor }
        }
        kind.statistics.reset()
        add(kind)
    }

    private mutating func add(_ kind: FlowKind) {
        if let index = hosted.firstIndex(where: { $0.name == kind.name }) { hosted[index] = kind } else { hosted.append(kind) }
        byName[kind.name] = kind
        kind.number = (0...).first { !kindNumbers.contains($0) } ?? 0
        kindNumbers.insert(kind.number)
        kind.flowNumber = numbers[kind.name] ?? newest.count
        numbers[kind.name] = kind.flowNumber
        if kind.flowNumber == newest.count { newest.append(kind) } else { newest[kind.flowNumber] = kind }
    }

    /// Stops hosting a flow. Its sessions continue until they are set aside.
    mutating func stopHosting(_ kind: FlowKind) {
        hosted.removeAll { $0 === kind }
        byName[kind.name] = nil
        retiring.append(kind)
    }

    /// Called when the kind has no sessions left: adds its statistics to those of the flow.
    mutating func retire(_ kind: FlowKind, at now: Instant) {
        retiring.removeAll { $0 === kind }
        retiredStatistics[kind.name, default: RetiredKindStatistics()].add(kind, at: now)
        kind.statistics.reset()
        kindNumbers.remove(kind.number)
        if newest[kind.flowNumber] === kind { newest[kind.flowNumber] = kind.record() }
    }

    /// How often this has happened since the start.
    func count(of what: HistoryEntry.Kind) -> UInt64 {
        let counts = all.map { $0.statistics.count(of: what) } + retiredStatistics.values.map { $0.count(of: what) }
        return counts.reduce(0, &+)
    }
}

// MARK: - Statistics of a flow's retired kinds.

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

    func count(of what: HistoryEntry.Kind) -> UInt64 { outcomes[what]?.reduce(0, &+) ?? 0 }

    mutating func add(_ kind: FlowKind, at now: Instant) {
        let statistics = kind.statistics
        for what in HistoryEntry.Kind.allCases {
            let counts = EventSource.allCases.map { statistics.count(of: what, from: $0) }
            let before = outcomes[what] ?? counts.map { _ in 0 }
            outcomes[what] = zip(before, counts).map { $0 &+ $1 }
        }
        transitions &+= statistics.transitions
        hasPaths = kind.hasStatePaths
        for (index, stay) in statistics.stays.enumerated() {
            let more = stay.seconds(at: now)
            guard more > 0 else { continue }
            let name = kind.stateName(at: UInt32(index))
            seconds[seconds.count < Self.maxStates || seconds[name] != nil ? name : Self.otherStates, default: 0] += more
        }
    }
}

extension FlowKind {
    /// Whether its states' names are dotted paths of a chart's states, joined by commas where several are active.
    package var hasStatePaths: Bool { origin != nil }

    // MARK: NEW's JSON: the parameters, the state and the data that a session begins with

    /// Begins with the parameters in `context`, in the state named by `state`. The state's values are in `data`, or else in the
    /// object itself.
    package func begin(on timekeeper: Timekeeper, where json: JSON) throws -> AnyMachine {
        let context = json["context"]
        if let state = json["state"]?.text {
            try checkMembersBesideData(of: json)
            let image = SessionImage(givenState: state, data: json["data"] ?? json.stateData, context: context)
            return try begin(on: timekeeper, at: image)
        }
        guard json["data"] == nil else {
            throw RestorationError("data needs the state that it is of: {\"state\":\"\(states[0])\",\"data\":…}")
        }
        guard case .object(let members) = json, let context, members.allSatisfy({ $0.name == "context" }) else {
            let more = parameters.isEmpty ? "" : ", or gives the flow's parameters: {\"context\":{\"\(parameters[0].name)\":…}}"
            throw RestorationError(
                "NEW's JSON is an object that names the state to begin in: {\"state\":\"\(states[0])\"}\(more)")
        }
        return try begin(on: timekeeper, context: context)
    }

    /// Throws if NEW's JSON has `data` and other values beside it, which would be ignored.
    private func checkMembersBesideData(of json: JSON) throws(RestorationError) {
        guard case .object(let members) = json, json["data"] != nil,
            let name = members.map(\.name).first(where: { !["state", "context", "data"].contains($0) })
        else { return }
        let shown = name.shortened
        let isParameter = parameters.contains { $0.name == name }
        let more = isParameter ? ", or the flow's parameter within context: {\"context\":{\"\(shown)\":…}}" : ""
        throw RestorationError(
            "NEW's JSON has '\(shown)' beside data; write it within data: {\"data\":{\"\(shown)\":…}}\(more)")
    }
}

extension JSON {
    /// All members but the state and the parameters.
    fileprivate var stateData: JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != "state" && $0.name != "context" })
    }
}
