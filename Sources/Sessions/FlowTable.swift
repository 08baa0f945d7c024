// The flows that a daemon hosts, by name and by number. They can change while it runs.

import GameFlow
import Timers

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
        kind.figures.reset()
        add(kind)
    }

    private mutating func add(_ kind: FlowKind) {
        if let place = hosted.firstIndex(where: { $0.name == kind.name }) { hosted[place] = kind } else { hosted.append(kind) }
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
        kind.figures.reset()
        kindNumbers.remove(kind.number)
        if newest[kind.flowNumber] === kind { newest[kind.flowNumber] = kind.record() }
    }

    /// How often this has happened since the start.
    func count(of what: HistoryEntry.Kind) -> UInt64 {
        var count: UInt64 = 0
        for kind in all { count &+= kind.figures.count(of: what) }
        for past in retiredStatistics.values {
            for source in EventSource.allCases { count &+= past.count(of: what, from: source) }
        }
        return count
    }
}
