// Ends of the histories of dropped sessions, readable for as long as the ring keeps their entries.

import GameFlow
import Memory

/// The last history entries of dropped sessions, by name: at most one per line of the ring.
struct DroppedSessions: ~Copyable {
    /// The end of a dropped session's history.
    struct Ending {
        /// The serial number of its last entry, which records the drop.
        let serial: UInt64
        /// The number of its flow.
        let flow: Int
        /// The actor that created it; none if that is unknown.
        let creator: ActorNumber
    }

    private var endings: [ByteString: Ending] = [:]
    /// The same in order of their serial numbers.
    private var order: ArraySlice<(name: ByteString, serial: UInt64)> = []
    /// The newest entry of each life without a session. Used only while the history is being restored.
    private var restoring: [Life: UInt64] = [:]

    subscript(name: ByteString) -> Ending? { endings[name] }

    /// A session was dropped. Entries before `oldest` have been overwritten.
    mutating func add(_ name: ByteString, _ ending: Ending, oldest: UInt64) {
        endings[name] = ending
        order.append((name, ending.serial))
        while let (name, serial) = order.first, serial < oldest {
            order.removeFirst()
            if endings[name]?.serial == serial { endings[name] = nil }
        }
    }

    func latest(of life: Life) -> UInt64 { restoring[life] ?? PackedHistoryEntry.none }

    mutating func restored(_ serial: UInt64, of life: Life) { restoring[life] = serial }

    mutating func endRestoring() { restoring = [:] }
}
