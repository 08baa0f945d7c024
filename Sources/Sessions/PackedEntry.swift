// A history entry in its only encoded form. The ring in memory, a directory's log and a node's batches hold the same bytes: the fixed part
// below, and the entry's texts behind it.

import GameFlow

#if _endian(big)
    #error("history entries are stored as they are in memory, in little-endian order")
#endif

/// The fixed part of an encoded history entry, 24 bytes. States, events and timers are indices into the lists of the session's flow. It is three
/// words, which are copied faster than a dozen fields.
package struct PackedEntry: BitwiseCopyable {
    /// Slot and version.
    private var session: UInt64
    /// From, to, event and timer.
    private let step: UInt64
    /// Flow version, length of the texts, source and kind in a byte, parts, and actor.
    private var rest: UInt64

    @inline(__always)
    init(_ entry: borrowing HistoryEntry, of slot: UInt32, _ flowVersion: UInt16) {
        let cause = entry.cause
        let kind = entry.detail?.kind.rawValue ?? HistoryEntry.Kind.taken.rawValue
        session = UInt64(slot) | UInt64(entry.version) << 32
        step =
            (UInt64(entry.from) & 0xFFFF) | (UInt64(entry.to) & 0xFFFF) << 16 | UInt64(cause.event) << 32
            | UInt64(cause.timer) << 48
        rest =
            UInt64(flowVersion) | UInt64(cause.source.rawValue | kind << Self.sourceBits) << 32
            | UInt64(cause.actor.rawValue) << 48
    }

    package var slot: UInt32 { UInt32(truncatingIfNeeded: session) }

    /// The session's version after it.
    package internal(set) var version: UInt32 {
        get { UInt32(truncatingIfNeeded: session >> 32) }
        set { session = UInt64(slot) | UInt64(newValue) << 32 }
    }

    package var from: UInt16 { UInt16(truncatingIfNeeded: step) }
    package var to: UInt16 { UInt16(truncatingIfNeeded: step >> 16) }
    /// `HistoryEntry.Cause.none` if there is no event, or the flow does not have it.
    package var event: UInt16 { UInt16(truncatingIfNeeded: step >> 32) }
    /// `HistoryEntry.Cause.none` if no timer sent the event.
    package var timer: UInt16 { UInt16(truncatingIfNeeded: step >> 48) }

    /// The version of the flow that the indices refer to, among those that this process has had. A batch names the flow itself.
    package var flowVersion: UInt16 { UInt16(truncatingIfNeeded: rest) }

    package internal(set) var textCount: UInt16 {
        get { UInt16(truncatingIfNeeded: rest >> 16) }
        set { rest = rest & ~0xFFFF_0000 | UInt64(newValue) << 16 }
    }

    package internal(set) var parts: EntryParts {
        get { EntryParts(rawValue: UInt8(truncatingIfNeeded: rest >> 40)) }
        set { rest = rest & ~(0xFF << 40) | UInt64(newValue.rawValue) << 40 }
    }

    /// The event's sender, or the operator.
    package var actor: ActorNumber { ActorNumber(rawValue: UInt16(truncatingIfNeeded: rest >> 48)) }

    /// Bits of the source in the byte for source and kind.
    private static let sourceBits: UInt8 = 3
    private var sourceNumber: UInt8 { UInt8(truncatingIfNeeded: rest >> 32) & (1 << Self.sourceBits - 1) }
    private var kindNumber: UInt8 { UInt8(truncatingIfNeeded: rest >> 32) >> Self.sourceBits }

    package var source: EventSource { EventSource(rawValue: sourceNumber) ?? .network }
    package var kind: HistoryEntry.Kind { HistoryEntry.Kind(rawValue: kindNumber) ?? .taken }

    /// Whether a program of this version can have written it.
    package var isValid: Bool {
        EventSource(rawValue: sourceNumber) != nil && HistoryEntry.Kind(rawValue: kindNumber) != nil && parts.isSubset(of: .all)
    }

    package var isChange: Bool { kind.isChange }
    /// Whether its session began with it.
    var isBeginning: Bool { kindNumber == HistoryEntry.Kind.begun.rawValue }
    var isMove: Bool { isChange && from != to }
    /// Whether a timer fired and the session stayed in its state. States without a number of their own may differ.
    var isTick: Bool {
        timer != HistoryEntry.Cause.none && kindNumber == HistoryEntry.Kind.taken.rawValue && from == to
            && from != Self.unnumbered
    }

    private static var unnumbered: UInt16 { .max }

    /// Whether it is counted into an earlier entry that is the same: a timer that stayed in its state, or a refusal.
    @inline(__always)
    package var mayRepeat: Bool { isTick || kindNumber == HistoryEntry.Kind.refused.rawValue }

    /// Whether it is the same but for its version; their texts are for the caller to compare.
    func isSame(as other: PackedEntry) -> Bool { slot == other.slot && step == other.step && rest == other.rest }
}

package struct EntryParts: OptionSet, BitwiseCopyable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Why the event was refused.
    package static let refusal = EntryParts(rawValue: 1)
    /// The event's name, if its flow does not have it.
    static let event = EntryParts(rawValue: 2)
    static let payload = EntryParts(rawValue: 4)
    static let all: EntryParts = [.refusal, .event, .payload]
}

/// An entry with its texts, as both are appended to the ring and to a batch. The bytes are borrowed.
package struct EncodedEntry {
    package let entry: PackedEntry
    package let texts: UnsafeRawBufferPointer
}
