// The flows that a daemon hosts, by name and by number. They can change while it runs.

import GameFlow

/// Flows keep their number for as long as the process runs, since dropped sessions refer to it: also while they are gone.
struct FlowTable {
    /// In the order in which they came.
    private(set) var hosted: [FlowKind] = []
    private var byName: [String: FlowKind] = [:]
    /// The newest kind of each flow, by the flow's number; of one that is gone, the last.
    private var newest: [FlowKind] = []
    private var numbers: [String: Int] = [:]
    /// The numbers of kinds in use: of those that are hosted, and of those that still have sessions.
    private var kindNumbers: Set<Int> = []

    subscript(name: String) -> FlowKind? { byName[name] }

    func newest(ofFlow number: Int) -> FlowKind { newest[number] }

    /// The last kind of a flow that has been hosted, now or before.
    func newest(named name: String) -> FlowKind? { numbers[name].map { newest[$0] } }

    /// Hosts the kind, in the place of one of its name if there is one.
    mutating func add(_ kind: FlowKind) {
        if let place = hosted.firstIndex(where: { $0.name == kind.name }) { hosted[place] = kind } else { hosted.append(kind) }
        byName[kind.name] = kind
        kind.number = (0...).first { !kindNumbers.contains($0) } ?? 0
        kindNumbers.insert(kind.number)
        kind.flowNumber = numbers[kind.name] ?? newest.count
        numbers[kind.name] = kind.flowNumber
        if kind.flowNumber == newest.count { newest.append(kind) } else { newest[kind.flowNumber] = kind }
    }

    /// Its flow is hosted no more.
    mutating func remove(_ kind: FlowKind) {
        hosted.removeAll { $0 === kind }
        byName[kind.name] = nil
    }

    /// The kind has no sessions any more.
    mutating func retire(_ kind: FlowKind) {
        kindNumbers.remove(kind.number)
        if newest[kind.flowNumber] === kind { newest[kind.flowNumber] = kind.record() }
    }
}
