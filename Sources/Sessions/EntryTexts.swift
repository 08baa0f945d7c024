// The texts of an encoded history entry: refusal, event and payload, each only where the entry has it.

import GameFlow
import Memory
import Texts

/// The texts of an entry, in place.
package struct EntryTexts {
    /// The code and the facts of a refusal.
    package struct Refusal {
        package let code: UnsafeRawBufferPointer
        package let facts: Facts
    }

    /// A mask of accepted events, or the facts as JSON.
    package enum Facts {
        case accepted(UInt64)
        case json(UnsafeRawBufferPointer)
        /// As logs have them that were written before facts were JSON.
        case early(RefusalFacts)
    }

    package private(set) var refusal: Refusal?
    package private(set) var event: UnsafeRawBufferPointer?
    package private(set) var payload: UnsafeRawBufferPointer?

    /// Nil if the bytes are damaged.
    package init?(_ bytes: UnsafeRawBufferPointer, _ parts: EntryParts) {
        var reader = TextReader(bytes)
        if parts.contains(.refusal) {
            guard let refusal = reader.refusal() else { return nil }
            self.refusal = refusal
        }
        func text(_ part: EntryParts) -> UnsafeRawBufferPointer?? {
            parts.contains(part) ? reader.text().map { .some($0) } : .some(nil)
        }
        guard let event = text(.event), let payload = text(.payload), reader.isAtEnd else { return nil }
        (self.event, self.payload) = (event, payload)
    }
}

/// The form of the facts behind a refusal's code. All but `mask` and `json` are only read.
private enum FactsByte: UInt8 {
    /// The message follows.
    case message
    /// The events that were accepted follow, a bit each.
    case mask
    case unknownEvent
    case notAllowed
    /// The number of the events that were accepted follows, and their names.
    case names
    case json
}

private struct TextReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
        guard bytes.count - offset >= MemoryLayout<Number>.size else { return nil }
        defer { offset += MemoryLayout<Number>.size }
        return bytes.loadUnaligned(fromByteOffset: offset, as: Number.self)
    }

    mutating func text() -> UnsafeRawBufferPointer? {
        guard let count = number(UInt16.self), bytes.count - offset >= Int(count) else { return nil }
        defer { offset += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)])
    }

    private mutating func names() -> [String]? {
        guard let count = number(UInt16.self) else { return nil }
        var names: [String] = []
        for _ in 0..<count {
            guard let name = text() else { return nil }
            names.append(String(decoding: name, as: UTF8.self))
        }
        return names
    }

    mutating func refusal() -> EntryTexts.Refusal? {
        guard let code = text(), let byte = number(UInt8.self).flatMap(FactsByte.init) else { return nil }
        let facts: EntryTexts.Facts? =
            switch byte {
            case .mask: number(UInt64.self).map { .accepted($0) }
            case .json: text().map { .json($0) }
            case .message: text().map { .early(.message(String(decoding: $0, as: UTF8.self))) }
            case .unknownEvent: .early(.unknownEvent)
            case .notAllowed: .early(.notAllowed)
            case .names: names().map { .early(.notValid(accepted: $0)) }
            }
        return facts.map { EntryTexts.Refusal(code: code, facts: $0) }
    }
}

/// Encodes entries, one at a time: each is valid until the next.
package final class EntryEncoder {
    /// Bytes of a text. Longer ones are cut and end in an ellipsis, so that all of an entry's fit into two bytes of length.
    private static let maxTextBytes = 8_000
    /// An entry's texts with their lengths, the form of a refusal's facts and its accepted events.
    static let maxTextsBytes = 4 * (maxTextBytes + 2) + 1 + MemoryLayout<UInt64>.size

    private let memory = UnsafeMutableRawPointer.allocate(byteCount: maxTextsBytes, alignment: 8)
    private var count = 0

    package init() {}

    deinit { memory.deallocate() }

    @inline(__always)
    package func encode(_ entry: borrowing HistoryEntry, of slot: UInt32, _ flowVersion: UInt16) -> EncodedEntry {
        var packed = PackedEntry(entry, of: slot, flowVersion)
        guard let detail = entry.detail else {
            return EncodedEntry(entry: packed, texts: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        append(detail, &packed)
        return EncodedEntry(entry: packed, texts: UnsafeRawBufferPointer(start: memory, count: count))
    }

    private func append(_ detail: HistoryEntry.Detail, _ entry: inout PackedEntry) {
        count = 0
        if let refused = detail.refused {
            entry.parts.insert(.refusal)
            append(refused)
            if entry.event == HistoryEntry.Cause.none { append(refused.event, .event, &entry) }
        }
        if let payload = detail.payload { append(payload, .payload, &entry) }
        entry.textCount = UInt16(truncatingIfNeeded: count)
    }

    private func append(_ refused: Refused) {
        append(refused.code.text)
        guard case .notValidMask(let accepted) = refused.facts else {
            append(FactsByte.json.rawValue)
            return append(refused.facts.json)
        }
        append(FactsByte.mask.rawValue)
        append(accepted)
    }

    private func append(_ text: String, _ part: EntryParts, _ entry: inout PackedEntry) {
        entry.parts.insert(part)
        append(text)
    }

    private func append(_ text: String) {
        var text = text.cut(to: Self.maxTextBytes)
        text.withUTF8 { bytes in
            append(UInt16(truncatingIfNeeded: bytes.count))
            if let start = bytes.baseAddress { (memory + count).copyMemory(from: start, byteCount: bytes.count) }
            count += bytes.count
        }
    }

    private func append<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
        memory.storeBytes(of: number, toByteOffset: count, as: Number.self)
        count += MemoryLayout<Number>.size
    }
}

// MARK: - A line of the ring: an encoded entry, and where its texts and the session's line before it are.

/// One line of the ring, 48 bytes.
package struct PackedHistoryEntry: BitwiseCopyable {
    /// No line.
    static let none = UInt64.max

    let at: Int64
    /// The number in `Repetitions` of an entry that may repeat; otherwise the position of the texts in `HistoryTexts`.
    let place: UInt64
    /// The version of a beginning is 0: here it is how many more sessions share the line.
    private(set) var entry: PackedEntry
    /// The distance to the session's previous line, in lines; 0 for its first line.
    let back: UInt32
    /// Its number within its session's life.
    let seq: UInt32

    init(_ entry: PackedEntry, at: Instant, seq: UInt32, place: UInt64, back: UInt32) {
        (self.at, self.place, self.entry, self.back, self.seq) = (at.nanoseconds, place, entry, back, seq)
        if entry.isBeginning { self.entry.version = 0 }
    }

    var version: UInt32 { entry.isBeginning ? 0 : entry.version }
    var hasTexts: Bool { entry.textCount > 0 }

    /// Whether it is a line of this session's. Sessions that begin together, in neighbouring slots, share one line.
    func isOf(_ session: UInt32) -> Bool {
        session == entry.slot || entry.isBeginning && session > entry.slot && session - entry.slot <= entry.version
    }

    /// Whether the beginning of the session in the next slot can share this line; their texts are for the caller to compare.
    func isShared(by other: PackedEntry, at: Instant, seq: UInt32) -> Bool {
        entry.isBeginning && other.isBeginning && seq == self.seq && !entry.parts.contains(.payload)
            && other.parts == entry.parts
            && other.textCount == entry.textCount && other.slot == entry.slot &+ entry.version &+ 1
            && other.flowVersion == entry.flowVersion && at.nanoseconds == self.at && other.event == entry.event
            && other.from == entry.from && other.source == entry.source && other.actor == entry.actor
    }

    mutating func share() { entry.version += 1 }

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
        let code = ErrorCode(String(decoding: refusal.code, as: UTF8.self))
        return HistoryEntry.Detail(refused: Refused(event: event, code: code, refusal.facts.decoded), payload: payload)
    }
}

extension EntryTexts.Facts {
    fileprivate var decoded: RefusalFacts {
        switch self {
        case .accepted(let mask): .notValidMask(accepted: mask)
        case .json(let bytes): RefusalFacts(json: String(decoding: bytes, as: UTF8.self))
        case .early(let facts): facts
        }
    }
}
