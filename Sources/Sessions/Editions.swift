// The kinds that a flow has had: a line of the history has indices into the lists of the kind that noted it.

import GameFlow

/// One kind of a flow, as far as the history needs it.
package struct Edition {
    let number: UInt16
    /// The first line that it can have noted.
    let first: UInt64
    /// The kind, or the record of its names once its sessions have moved on.
    fileprivate(set) var kind: FlowKind
    /// The definition that its lines came about under; nil for a flow that is part of the program.
    let fingerprint: String?
    /// Its lines have smaller numbers than this; nil while there may be more.
    fileprivate(set) var end: UInt64?
}

/// The editions of each flow, by the flow's number, in the order of their first lines.
package struct Editions {
    private var ofFlow: [[Edition]] = []

    package init() {}

    /// Returns the edition that recorded this line. Nil if its number has been reused by a later edition.
    subscript(number: UInt16, of flow: FlowKind, at serial: UInt64) -> Edition? {
        // A standalone history has no editions, only the flow itself.
        guard flow.flowNumber < ofFlow.count else { return Edition(number: 0, first: 0, kind: flow, fingerprint: nil) }
        return ofFlow[flow.flowNumber].last { $0.number == number && $0.first <= serial }
    }

    /// The first line that this kind can have noted.
    func first(of kind: FlowKind) -> UInt64 {
        guard kind.flowNumber < ofFlow.count else { return 0 }
        return ofFlow[kind.flowNumber].last { $0.number == kind.edition }?.first ?? 0
    }

    /// Starts an edition: lines of this kind begin at `first`. Lines before `oldest` have been overwritten. Returns false if lines still in the ring
    /// become unreadable.
    mutating func begin(_ kind: FlowKind, from first: UInt64, oldest: UInt64) -> Bool {
        let (number, losesNone) = add(kind, kind.origin?.fingerprint, from: first, oldest: oldest)
        kind.edition = number
        return losesNone
    }

    /// The edition of lines that are restored in this kind's words, and came about under that definition.
    mutating func number(of kind: FlowKind, under fingerprint: String?, from first: UInt64, oldest: UInt64) -> UInt16 {
        guard fingerprint != kind.origin?.fingerprint else { return kind.edition }
        let editions = ofFlow[kind.flowNumber]
        if let known = editions.last(where: { $0.kind === kind && $0.fingerprint == fingerprint }) { return known.number }
        guard editions.count < Self.maxRestored || fingerprint == nil else {
            return number(of: kind, under: nil, from: first, oldest: oldest)
        }
        return add(kind, fingerprint, from: first, oldest: oldest).number
    }

    /// When a definition is retired, its lists of names are compared with those of at most this many others.
    private static let maxCompared = 4

    /// Editions of one flow at a time: each keeps a list of names.
    package static let maxCount: UInt16 = 1_024
    /// Lines under more definitions than this are restored without them, so that there are numbers left.
    private static let maxRestored = 800

    private mutating func add(
        _ kind: FlowKind, _ fingerprint: String?, from first: UInt64, oldest: UInt64
    ) -> (number: UInt16, losesNone: Bool) {
        while ofFlow.count <= kind.flowNumber { ofFlow.append([]) }
        var editions = ofFlow[kind.flowNumber]
        editions.removeAll { $0.end.map { $0 <= oldest } ?? false }
        let number = Self.free(editions)
        // If all numbers are in use, the oldest edition is removed and its lines become unreadable.
        let lost = editions.firstIndex { $0.number == number }
        if let lost { editions.remove(at: lost) }
        editions.append(Edition(number: number, first: first, kind: kind, fingerprint: fingerprint))
        ofFlow[kind.flowNumber] = editions
        return (number, lost == nil)
    }

    private static func free(_ editions: [Edition]) -> UInt16 {
        let used = Set(editions.map(\.number))
        return (0..<maxCount).first { !used.contains($0) } ?? editions[0].number
    }

    /// Called when the kind has no sessions left. Keeps its names while lines before `end` exist; releases the rest of the kind.
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
