// A line of the ring: an encoded entry, and where its texts and the session's line before it are.

import GameFlow
import Texts
import Timers

/// One line of the ring, 48 bytes.
package struct PackedHistoryEntry: BitwiseCopyable {
    /// No line.
    static let none = UInt64.max

    let at: Int64
    /// Of an entry that may repeat, its number in `Repetitions`. Of any other, the position of its texts in `HistoryTexts`.
    let place: UInt64
    /// The version of a beginning is 0: here it is how many more sessions share the line.
    private(set) var entry: PackedEntry
    /// The distance to the session's previous line, in lines; 0 for its first line.
    let back: UInt32
    /// Its number within its session's life.
    let seq: UInt32

    init(_ entry: PackedEntry, at: Instant, seq: UInt32, place: UInt64, back: UInt32) {
        (self.at, self.place, self.entry, self.back, self.seq) = (at.nanoseconds, place, entry, back, seq)
        if entry.kind == .begun { self.entry.version = 0 }
    }

    var version: UInt32 { entry.kind == .begun ? 0 : entry.version }
    var hasTexts: Bool { entry.textCount > 0 }

    // MARK: Beginnings

    /// Whether it is a line of this session's. Sessions that begin together, in neighbouring slots, share one line.
    func isOf(_ session: UInt32) -> Bool {
        session == entry.slot || entry.kind == .begun && session > entry.slot && session - entry.slot <= entry.version
    }

    /// Whether the beginning of the session in the next slot can share this line; their texts are for the caller to compare.
    func isShared(by other: PackedEntry, at: Instant, seq: UInt32) -> Bool {
        entry.kind == .begun && other.kind == .begun && seq == self.seq && !entry.parts.contains(.payload)
            && other.parts == entry.parts
            && other.textCount == entry.textCount && other.slot == entry.slot &+ entry.version &+ 1
            && other.edition == entry.edition && at.nanoseconds == self.at && other.event == entry.event
            && other.from == entry.from && other.source == entry.source && other.actor == entry.actor
    }

    mutating func share() { entry.version += 1 }

    // MARK: Reading

    /// The entry as it was recorded.
    func entry(of flow: FlowKind, _ texts: UnsafeRawBufferPointer) -> HistoryEntry {
        let hasDetail = entry.kind != .taken || entry.parts.contains(.payload)
        return HistoryEntry(
            from: UInt32(entry.from), to: UInt32(entry.to),
            cause: HistoryEntry.Cause(entry.source, event: entry.event, timer: entry.timer, actor: entry.actor),
            detail: hasDetail ? detail(flow, texts) : nil, at: Instant(nanoseconds: at), version: version)
    }

    private func detail(_ flow: FlowKind, _ bytes: UnsafeRawBufferPointer) -> HistoryEntry.Detail {
        guard let texts = EntryTexts(bytes, entry.parts) else { preconditionFailure("a line of the ring has other texts") }
        let payload = texts.payload.map { String(decoding: $0, as: UTF8.self) }
        guard let refusal = texts.refusal else {
            return HistoryEntry.Detail(entry.kind, payload: payload)
        }
        let event = flow.eventName(at: entry.event) ?? texts.event.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return HistoryEntry.Detail(refused: refusal.refused(by: flow, event, in: entry), payload: payload)
    }
}

extension EntryTexts.Refusal {
    /// The refusal, with its error message made again.
    fileprivate func refused(by flow: FlowKind, _ event: String, in entry: PackedEntry) -> Refused {
        let reason: Refused.Reason =
            switch self.reason {
            case .accepted: .notValid(accepted: accepted)
            case .unknownEvent: .unknownEvent
            case .notAllowed: .notAllowed
            case .sentence: .words
            }
        return flow.refused(
            reason, event: event, code: ErrorCode(String(decoding: code, as: UTF8.self)),
            in: flow.stateName(at: UInt32(entry.from)), from: entry.source, words: String(decoding: sentence, as: UTF8.self))
    }
}
