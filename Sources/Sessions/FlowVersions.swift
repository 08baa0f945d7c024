// The versions that a flow has had: an entry of the history has indices into the lists of the version that recorded it.

import GameFlow

/// One version of a flow, as far as the history needs it.
package struct FlowVersion {
    let number: UInt16
    /// The first entry that it can have recorded.
    let first: UInt64
    /// The kind, or the record of its names once its sessions have moved on.
    fileprivate(set) var kind: FlowKind
    /// The definition that its entries were recorded under; nil for a flow that is part of the program.
    let fingerprint: String?
    /// Its entries have smaller numbers than this; nil while there may be more.
    fileprivate(set) var end: UInt64?
}

/// The versions of each flow, by the flow's number, in the order of their first entries.
package struct FlowVersions {
    private var ofFlow: [[FlowVersion]] = []

    package init() {}

    /// Returns the version that recorded this entry. Nil if its number has been reused by a later version.
    subscript(number: UInt16, of flow: FlowKind, at serial: UInt64) -> FlowVersion? {
        // A standalone history has no versions, only the flow itself.
        guard flow.flowNumber < ofFlow.count else { return FlowVersion(number: 0, first: 0, kind: flow, fingerprint: nil) }
        return ofFlow[flow.flowNumber].last { $0.number == number && $0.first <= serial }
    }

    /// The first entry that this kind can have recorded.
    func first(of kind: FlowKind) -> UInt64 {
        guard kind.flowNumber < ofFlow.count else { return 0 }
        return ofFlow[kind.flowNumber].last { $0.number == kind.versionNumber }?.first ?? 0
    }

    /// Starts a version: entries of this kind begin at `first`. Entries before `oldest` have been overwritten. Returns false if entries still in the ring
    /// become unreadable.
    mutating func begin(_ kind: FlowKind, from first: UInt64, oldest: UInt64) -> Bool {
        let (number, losesNone) = add(kind, kind.origin?.fingerprint, from: first, oldest: oldest)
        kind.versionNumber = number
        return losesNone
    }

    /// The version of entries that are restored in this kind's names, and were recorded under that definition.
    mutating func number(of kind: FlowKind, under fingerprint: String?, from first: UInt64, oldest: UInt64) -> UInt16 {
        guard fingerprint != kind.origin?.fingerprint else { return kind.versionNumber }
        let versions = ofFlow[kind.flowNumber]
        if let known = versions.last(where: { $0.kind === kind && $0.fingerprint == fingerprint }) { return known.number }
        guard versions.count < Self.maxRestored || fingerprint == nil else {
            return number(of: kind, under: nil, from: first, oldest: oldest)
        }
        return add(kind, fingerprint, from: first, oldest: oldest).number
    }

    /// When a definition is retired, its lists of names are compared with those of at most this many others.
    private static let maxCompared = 4

    /// Versions of one flow at a time: each keeps a list of names.
    package static let maxCount: UInt16 = 1_024
    /// Entries under more definitions than this are restored without them, so that there are numbers left.
    private static let maxRestored = 800

    private mutating func add(
        _ kind: FlowKind, _ fingerprint: String?, from first: UInt64, oldest: UInt64
    ) -> (number: UInt16, losesNone: Bool) {
        while ofFlow.count <= kind.flowNumber { ofFlow.append([]) }
        var versions = ofFlow[kind.flowNumber]
        versions.removeAll { $0.end.map { $0 <= oldest } ?? false }
        let number = Self.free(versions)
        // If all numbers are in use, the oldest version is removed and its entries become unreadable.
        let lost = versions.firstIndex { $0.number == number }
        if let lost { versions.remove(at: lost) }
        versions.append(FlowVersion(number: number, first: first, kind: kind, fingerprint: fingerprint))
        ofFlow[kind.flowNumber] = versions
        return (number, lost == nil)
    }

    private static func free(_ versions: [FlowVersion]) -> UInt16 {
        let used = Set(versions.map(\.number))
        return (0..<maxCount).first { !used.contains($0) } ?? versions[0].number
    }

    /// Called when the kind has no sessions left. Keeps its names while entries before `end` exist; releases the rest of the kind.
    mutating func retire(_ kind: FlowKind, before end: UInt64) {
        guard kind.flowNumber < ofFlow.count else { return }
        let others = ofFlow[kind.flowNumber].reversed().filter { $0.kind !== kind }
        // Records come first: they keep their lists, while the newest definition's lists are released with it.
        let records = others.filter { $0.end != nil }.prefix(Self.maxCompared)
        let record = kind.record(sharing: (records + others.filter { $0.end == nil }.prefix(1)).map(\.kind))
        for index in ofFlow[kind.flowNumber].indices where ofFlow[kind.flowNumber][index].kind === kind {
            ofFlow[kind.flowNumber][index].kind = record
            ofFlow[kind.flowNumber][index].end = end
        }
    }
}
