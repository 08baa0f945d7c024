// One line of the history, packed: numbers here, texts in `HistoryTexts`.

import GameFlow
import Timers

/// One line of a session's history, in 48 bytes.
package struct HistoryLine: BitwiseCopyable {
    /// No line.
    static let none = UInt64.max

    let at: Int64
    /// The position of its texts, which lie side by side: the event's name if the catalogue lacks it (of a dropped session, its own name),
    /// the reason, the payload, who did it.
    private(set) var texts: UInt64 = 0
    let session: UInt32
    /// The distance to the session's previous line, in lines; 0 if there is none.
    let back: UInt32
    /// The session's version; of a beginning, which is version 0, how many more sessions share the line.
    private var number: UInt32
    private let from: UInt16
    private let to: UInt16
    private let event: UInt16
    private let timer: UInt16
    private var eventLength: UInt16 = 0
    private var reasonLength: UInt16 = 0
    private var payloadLength: UInt16 = 0
    private var whoLength: UInt16 = 0
    private let source: EventSource
    private var kind = Kind.taken
    private var code: UInt8 = 0
    private var hasPayload = false

    /// The event's outcome, and for a refusal what its sentence is made from.
    private enum Kind: UInt8 {
        case taken, postponed, waiting, ignored, begun, forced, paused, resumed, extended, dropped
        case notValid, unknownEvent, notAllowed, words

        /// A refusal's reason is found out later.
        init(_ what: Happening) {
            self =
                switch what {
                case .taken: .taken
                case .postponed: .postponed
                case .waiting: .waiting
                case .ignored: .ignored
                case .begun: .begun
                case .forced: .forced
                case .paused: .paused
                case .resumed: .resumed
                case .extended: .extended
                case .dropped: .dropped
                case .refused: .words
                }
        }

        var what: Happening {
            switch self {
            case .taken: .taken
            case .postponed: .postponed
            case .waiting: .waiting
            case .ignored: .ignored
            case .begun: .begun
            case .forced: .forced
            case .paused: .paused
            case .resumed: .resumed
            case .extended: .extended
            case .dropped: .dropped
            case .notValid, .unknownEvent, .notAllowed, .words: .refused
            }
        }
    }

    init(_ occurrence: borrowing Occurrence, of session: UInt32, back: UInt32) {
        at = occurrence.at.nanoseconds
        self.session = session
        self.back = back
        number = occurrence.version
        from = UInt16(truncatingIfNeeded: occurrence.from)
        to = UInt16(truncatingIfNeeded: occurrence.to)
        event = occurrence.cause.event
        timer = occurrence.cause.timer
        source = occurrence.cause.source
    }

    var what: Happening { kind.what }
    var version: UInt32 { kind == .begun ? 0 : number }
    var isMove: Bool { isChange && from != to }
    var isChange: Bool { what.isChange }
    /// Whether a timer fired and the session stayed in its state.
    var isTick: Bool { kind == .taken && from == to && timer != Cause.none }
    var hasTexts: Bool { length > 0 }
    private var length: Int { Int(eventLength) + Int(reasonLength) + Int(payloadLength) + Int(whoLength) }

    // MARK: Beginnings

    /// Whether it is a line of this session's. Sessions that begin together, side by side, share one line.
    func isOf(_ session: UInt32) -> Bool {
        session == self.session || kind == .begun && session > self.session && session - self.session <= number
    }

    /// Whether the beginning of the session in the next slot can share this line; whether the same one began it is for the caller to know.
    func isShared(by occurrence: borrowing Occurrence, of session: UInt32) -> Bool {
        kind == .begun && !hasPayload && occurrence.payload == nil && session == self.session &+ number &+ 1
            && at == occurrence.at.nanoseconds && from == UInt16(truncatingIfNeeded: occurrence.from)
            && source == occurrence.cause.source
    }

    mutating func share() { number += 1 }

    // MARK: Texts

    /// Stores the texts of the occurrence.
    mutating func keep(_ detail: Detail, in texts: inout HistoryTexts, _ codes: inout RefusalCodes) {
        var (name, reason) = ("", "")
        let (payload, who) = (detail.payload ?? "", detail.who ?? "")
        var mask: UInt64 = 0
        hasPayload = detail.payload != nil
        kind = Kind(detail.what)
        if kind == .begun { number = 0 }
        if let refused = detail.refused {
            code = codes.number(of: refused.code)
            if event == Cause.none { name = refused.event }
            switch refused.reason {
            case .notValid(let accepted): (kind, mask) = (.notValid, accepted)
            case .unknownEvent: kind = .unknownEvent
            case .notAllowed: kind = .notAllowed
            case .words: reason = refused.sentence
            }
        }
        (eventLength, payloadLength, whoLength) = (Self.length(of: name), Self.length(of: payload), Self.length(of: who))
        reasonLength = kind == .notValid ? UInt16(MemoryLayout<UInt64>.size) : Self.length(of: reason)
        guard hasTexts else { return }
        var room = texts.append(length)
        self.texts = room.position
        room.write(name, Int(eventLength))
        if kind == .notValid { room.write(mask) } else { room.write(reason, Int(reasonLength)) }
        if payloadLength > 0 { room.write(payload, Int(payloadLength)) }
        if whoLength > 0 { room.write(who, Int(whoLength)) }
    }

    /// Occurrences come with texts that are cut already; this only guarantees that they fit.
    private static func length(of text: String) -> UInt16 { UInt16(min(text.utf8.count, HistoryTexts.chunkSize / 4)) }

    // MARK: Reading

    /// The occurrence as it was noted. Its texts must still be in the ring.
    func occurrence(of flow: FlowKind, in texts: borrowing HistoryTexts, _ codes: borrowing RefusalCodes) -> Occurrence {
        Occurrence(
            from: UInt32(from), to: UInt32(to), cause: Cause(source, event: event, timer: timer),
            detail: hasPayload || kind != .taken ? detail(flow, texts, codes) : nil, at: Instant(nanoseconds: at),
            version: version)
    }

    private func detail(_ flow: FlowKind, _ texts: borrowing HistoryTexts, _ codes: borrowing RefusalCodes) -> Detail {
        let bytes = length == 0 ? UnsafeRawBufferPointer(start: nil, count: 0) : texts.bytes(at: self.texts, length)
        let reason = Int(eventLength)..<Int(eventLength) + Int(reasonLength)
        func text(_ range: Range<Int>) -> String {
            String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        }
        let end = bytes.count - Int(whoLength)
        let payload = hasPayload ? text(reason.upperBound..<end) : nil
        let why: Refused.Reason
        switch kind {
        case .taken, .postponed, .waiting, .ignored, .begun, .forced, .paused, .resumed, .extended, .dropped:
            return Detail(kind.what, payload: payload, by: whoLength > 0 ? text(end..<bytes.count) : nil)
        case .notValid: why = .notValid(accepted: bytes.number(at: reason.lowerBound))
        case .unknownEvent: why = .unknownEvent
        case .notAllowed: why = .notAllowed
        case .words: why = .words
        }
        let refused = flow.refused(
            why, event: flow.eventName(at: event) ?? text(0..<Int(eventLength)), code: codes[code],
            in: flow.stateName(at: UInt32(from)), from: source, words: text(reason))
        return Detail(refused: refused, payload: payload)
    }
}

/// Error codes by number. There are only a handful.
struct RefusalCodes: ~Copyable {
    private var codes: [ErrorCode] = []

    subscript(number: UInt8) -> ErrorCode { Int(number) < codes.count ? codes[Int(number)] : .generic }

    mutating func number(of code: ErrorCode) -> UInt8 {
        if let known = codes.firstIndex(of: code) { return UInt8(truncatingIfNeeded: known) }
        // A damaged or edited file can hold any number of codes; those beyond the last number all read as ERR.
        guard codes.count < UInt8.max else { return .max }
        codes.append(code)
        return UInt8(truncatingIfNeeded: codes.count - 1)
    }
}
