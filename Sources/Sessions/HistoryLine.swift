// One line of the history, packed: numbers here, texts in `HistoryTexts`.

import GameFlow
import Timers

/// One line of a session's history, in 48 bytes.
package struct HistoryLine: BitwiseCopyable {
    /// No line.
    static let none = UInt64.max

    let at: Int64
    /// The position of its texts, which lie side by side: the event's name if the catalogue lacks it, the reason,
    /// the payload, who did it.
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
    /// The low bits of which kind of the session's flow its indices are of.
    private let lowEdition: UInt8
    /// Where it came from, and what happened.
    private var sourceAndWhat: UInt8
    private var code: UInt8 = 0
    /// Whether there is a payload, a refusal's reason, and the high bits of the edition.
    private var packed: UInt8

    /// Which kind of the session's flow its indices are of, in 13 bits.
    var edition: UInt16 { UInt16(lowEdition) | UInt16(packed >> 3) << 8 }

    private var source: EventSource { EventSource(rawValue: sourceAndWhat & 0xF) ?? .network }

    private(set) var what: Happening {
        get { Happening(rawValue: sourceAndWhat >> 4) ?? .taken }
        set { sourceAndWhat = sourceAndWhat & 0xF | newValue.rawValue << 4 }
    }

    /// What a refusal's sentence is made from.
    private enum Reason: UInt8 {
        case words, notValid, unknownEvent, notAllowed

        init(_ reason: Refused.Reason) {
            self =
                switch reason {
                case .words: .words
                case .notValid: .notValid
                case .unknownEvent: .unknownEvent
                case .notAllowed: .notAllowed
                }
        }
    }

    private var hasPayload: Bool {
        get { packed & 1 != 0 }
        set { packed = packed & ~1 | (newValue ? 1 : 0) }
    }

    private var reason: Reason {
        get { Reason(rawValue: packed >> 1 & 3) ?? .words }
        set { packed = packed & ~6 | newValue.rawValue << 1 }
    }

    init(_ occurrence: borrowing Occurrence, of session: UInt32, _ edition: UInt16, back: UInt32) {
        at = occurrence.at.nanoseconds
        self.session = session
        self.back = back
        number = occurrence.version
        from = UInt16(truncatingIfNeeded: occurrence.from)
        to = UInt16(truncatingIfNeeded: occurrence.to)
        event = occurrence.cause.event
        timer = occurrence.cause.timer
        lowEdition = UInt8(truncatingIfNeeded: edition)
        packed = UInt8(truncatingIfNeeded: edition >> 8) << 3
        sourceAndWhat = occurrence.cause.source.rawValue | Happening.taken.rawValue << 4
    }

    var version: UInt32 { what == .begun ? 0 : number }
    var isMove: Bool { isChange && from != to }
    var isChange: Bool { what.isChange }
    /// Whether a timer fired and the session stayed in its state.
    var isTick: Bool { what == .taken && from == to && timer != Cause.none }
    var hasTexts: Bool { length > 0 }
    private var length: Int { Int(eventLength) + Int(reasonLength) + Int(payloadLength) + Int(whoLength) }

    // MARK: Beginnings

    /// Whether it is a line of this session's. Sessions that begin together, side by side, share one line.
    func isOf(_ session: UInt32) -> Bool {
        session == self.session || what == .begun && session > self.session && session - self.session <= number
    }

    /// Whether the beginning of the session in the next slot can share this line; whether the same one began it is for the caller to know.
    func isShared(by occurrence: borrowing Occurrence, of session: UInt32, _ edition: UInt16) -> Bool {
        what == .begun && !hasPayload && occurrence.payload == nil && session == self.session &+ number &+ 1
            && edition == self.edition
            && at == occurrence.at.nanoseconds && event == occurrence.cause.event
            && from == UInt16(truncatingIfNeeded: occurrence.from)
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
        what = detail.what
        if what == .begun { number = 0 }
        if let refused = detail.refused {
            code = codes.number(of: refused.code)
            if event == Cause.none { name = refused.event }
            self.reason = Reason(refused.reason)
            switch refused.reason {
            case .notValid(let accepted): mask = accepted
            case .unknownEvent, .notAllowed: break
            case .words: reason = refused.sentence
            }
        }
        (eventLength, payloadLength, whoLength) = (Self.length(of: name), Self.length(of: payload), Self.length(of: who))
        reasonLength = self.reason == .notValid ? UInt16(MemoryLayout<UInt64>.size) : Self.length(of: reason)
        guard hasTexts else { return }
        var room = texts.append(length)
        self.texts = room.position
        room.write(name, Int(eventLength))
        if self.reason == .notValid { room.write(mask) } else { room.write(reason, Int(reasonLength)) }
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
            detail: hasPayload || what != .taken ? detail(flow, texts, codes) : nil, at: Instant(nanoseconds: at),
            version: version)
    }

    private func detail(_ flow: FlowKind, _ texts: borrowing HistoryTexts, _ codes: borrowing RefusalCodes) -> Detail {
        let bytes = length == 0 ? UnsafeRawBufferPointer(start: nil, count: 0) : texts.bytes(at: self.texts, length)
        let place = Int(eventLength)..<Int(eventLength) + Int(reasonLength)
        func text(_ range: Range<Int>) -> String {
            String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        }
        let end = bytes.count - Int(whoLength)
        let payload = hasPayload ? text(place.upperBound..<end) : nil
        guard what == .refused else {
            return Detail(what, payload: payload, by: whoLength > 0 ? text(end..<bytes.count) : nil)
        }
        let why: Refused.Reason =
            switch reason {
            case .notValid: .notValid(accepted: bytes.number(at: place.lowerBound))
            case .unknownEvent: .unknownEvent
            case .notAllowed: .notAllowed
            case .words: .words
            }
        let refused = flow.refused(
            why, event: flow.eventName(at: event) ?? text(0..<Int(eventLength)), code: codes[code],
            in: flow.stateName(at: UInt32(from)), from: source, words: text(place))
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
