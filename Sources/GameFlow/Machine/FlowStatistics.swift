// Statistics of all sessions of one kind. They are updated with each change, so that reading them does not walk over a million sessions.

import Memory

/// Counts by index. A machine's host notifies it when sessions are added, removed, and changed.
package final class FlowStatistics {
    /// The sessions in one state, and the time that sessions have spent there.
    package struct Stay: BitwiseCopyable {
        @usableFromInline package var sessions: Int64 = 0
        /// In steps of 2^16 nanoseconds. While a session is in the state, the instant of its entry is subtracted. The value is correct only together
        /// with the sessions that are in the state now, and may wrap around meanwhile.
        @usableFromInline var spent: Int64 = 0

        @usableFromInline
        init() {}

        /// The seconds spent until now, those of sessions that are still there included.
        package func seconds(at now: Instant) -> Double {
            Double(max(0, spent &+ sessions &* FlowStatistics.steps(now))) * 65_536 / 1e9
        }
    }

    @usableFromInline static var sources: Int { 5 }
    @usableFromInline
    struct Counts: ~Copyable {
        @usableFromInline var transitions: UInt64 = 0
        /// By the index of the state's name.
        @usableFromInline var table = PlainTable(blank: Stay())
        /// By the history entry's kind, of which there are 12, and within a kind by source.
        @usableFromInline var outcomes = InlineArray<60, UInt64>(repeating: 0)

        @usableFromInline
        init() {}
    }

    @usableFromInline @exclusivity(unchecked) final var counts = Counts()

    /// How often a session has gone from one state to another.
    package var transitions: UInt64 { counts.transitions }

    /// By the index of the state's name.
    package var stays: [Stay] { (0..<counts.table.count).map { counts.table[UInt32($0)] } }

    package init() {}

    /// How often this has happened, brought about by that source.
    package func count(of what: HistoryEntry.Kind, from source: EventSource) -> UInt64 {
        counts.outcomes[Int(what.rawValue) * Self.sources + Int(source.rawValue)]
    }

    /// How often this has happened.
    package func count(of what: HistoryEntry.Kind) -> UInt64 {
        EventSource.allCases.reduce(0) { $0 + count(of: what, from: $1) }
    }

    package var sessions: Int { max(0, stays.reduce(0) { $0 + Int($1.sessions) }) }

    package func reset() {
        counts = Counts()
    }

    // MARK: For the host

    /// Something has happened to a session that is here.
    @inlinable package func record(_ entry: borrowing HistoryEntry) {
        let source = Int(entry.cause.source.rawValue)
        counts.outcomes[entry.detail == nil ? source : Int(entry.kind.rawValue) &* Self.sources &+ source] &+= 1
        if entry.from != entry.to { move(entry.from, entry.to, at: entry.at) }
    }

    /// A session is here from now on, in this state.
    package func enter(_ state: UInt32, at now: Instant) {
        if !counts.table.has(state) { makeRoom(for: state) }
        counts.table[state].enter(Self.steps(now))
    }

    /// A session that was in this state is no longer here.
    package func leave(_ state: UInt32, at now: Instant) {
        if !counts.table.has(state) { makeRoom(for: state) }
        counts.table[state].leave(Self.steps(now))
    }

    @inline(__always)
    @inlinable func move(_ old: UInt32, _ new: UInt32, at now: Instant) {
        counts.transitions &+= 1
        if !counts.table.has(max(old, new)) { makeRoom(for: max(old, new)) }
        let steps = Self.steps(now)
        counts.table[old].leave(steps)
        counts.table[new].enter(steps)
    }

    @inlinable static func steps(_ now: Instant) -> Int64 { now.nanoseconds >> 16 }

    @usableFromInline func makeRoom(for state: UInt32) { counts.table.makeRoom(for: state) }
}

extension FlowStatistics.Stay {
    @inlinable mutating func enter(_ steps: Int64) {
        sessions &+= 1
        spent &-= steps
    }

    @inlinable mutating func leave(_ steps: Int64) {
        sessions &-= 1
        spent &+= steps
    }
}
