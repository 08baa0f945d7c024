// The sent events with ids that sessions of any flow should remember: the repeated reply, and the refused ids.

import GameFlow
import Memory
import RESP
@testable import Sessions

/// The words of a SEND that the daemon understands.
struct SendWords {
    let event: [UInt8]
    let payload: [UInt8]?
    private(set) var hasCondition = false
    private(set) var id: String?

    /// Nil if an option is unknown, is given twice, or has a wrong id.
    init?(_ words: [[UInt8]]) {
        guard (3...8).contains(words.count) else { return nil }
        event = words[2]
        payload = words.count.isMultiple(of: 2) ? words[3] : nil
        for index in stride(from: payload == nil ? 3 : 4, to: words.count, by: 2) {
            switch (String(decoding: words[index], as: UTF8.self).uppercased(), words[index + 1]) {
            case ("IF", _) where !hasCondition: hasCondition = true
            case ("ID", let word) where id == nil && Self.isID(word): id = String(decoding: word, as: UTF8.self)
            default: return nil
            }
        }
    }

    private static func isID(_ word: [UInt8]) -> Bool {
        (1...64).contains(word.count) && word.allSatisfy { (0x21...0x7e).contains($0) }
    }
}

struct SendsModel: Equatable {
    fileprivate struct Entry: Equatable {
        let id: EventID
        /// Nil if it was sent in a transaction. The model does not follow its words.
        let event: [UInt8]?
        let payload: [UInt8]?
        let reply: Reply

        /// The range of its saved bytes.
        var bytes: ClosedRange<Int> {
            let count = id.id.utf8.count + id.actor.utf8.count + reply.answerBytes
            return count...6 * count + 100
        }
    }

    fileprivate struct Remembered: Equatable {
        let life: UInt32
        var entries: [Entry] = []
    }

    /// The state shown of a session: its life's number, and the events that it remembers.
    struct Shown: Equatable {
        let life: UInt32
        let events: [SentEvent]
    }

    /// A SEND, and its reply.
    struct Sending {
        let words: [[UInt8]]
        let actor: String
        let reply: Reply
        let lifeBefore: UInt32?
    }

    fileprivate static let maxBytes = 16 << 10
    private var sessions: [ByteString: Remembered] = [:]

    /// Returns whether the reply is to an id that the session remembered: then the event changes nothing.
    mutating func apply(_ sending: Sending, to name: ByteString, _ shown: Shown?, limit: Int) throws(Fault) -> Bool {
        guard let shown, let words = SendWords(sending.words), let text = words.id else { return false }
        // A timer that fired after the event has ended that life.
        guard sending.lifeBefore == shown.life else { return false }
        let id = EventID(text, of: sending.actor)
        var known = remembered(name, shown.life)
        if let entry = known.entries.first(where: { $0.id == id }) {
            try check(entry, words, sending.reply)
            return true
        }
        if sending.reply.code == nil || shown.events.contains(where: { $0.id == id }) {
            known.entries.append(Entry(id: id, event: words.event, payload: words.payload, reply: sending.reply))
            try known.forget(to: shown.events.count, limit)
        }
        sessions[name] = known
        try check(name, shown)
        return false
    }

    private func check(_ entry: Entry, _ words: SendWords, _ reply: Reply) throws(Fault) {
        // Such errors are sent before the session handles the event.
        if reply.code == .journal || words.hasCondition && reply.code == .generic { return }
        if let event = entry.event {
            let isSame = event == words.event && entry.payload == words.payload
            try promise(
                isSame ? reply == entry.reply : reply.code == .generic,
                "the id '\(entry.id.id)' was answered with \(entry.reply.readable) before, and now with \(reply.readable)")
        } else {
            try promise(
                reply == entry.reply || reply.code == .generic,
                "the id '\(entry.id.id)' was answered in a transaction, and now with \(reply.readable)")
        }
    }

    private func remembered(_ name: ByteString, _ life: UInt32) -> Remembered {
        sessions[name].flatMap { $0.life == life ? $0 : nil } ?? Remembered(life: life)
    }

    // MARK: Checks

    /// A session remembers the events that it was sent in this life, in that order.
    func check(_ name: ByteString, _ shown: Shown) throws(Fault) {
        let entries = remembered(name, shown.life).entries
        let isRight =
            entries.count == shown.events.count
            && zip(entries, shown.events).allSatisfy { $0.id == $1.id && $0.reply == $1.answer?.reply }
        try promise(isRight, "'\(name.text)' should remember \(entries), and has \(shown.events)")
    }

    /// Accepts the sessions as they are shown after a transaction.
    mutating func believe(_ shown: [ByteString: Shown]) {
        sessions = shown.reduce(into: [:]) { sessions, session in
            let known = remembered(session.key, session.value.life).entries
            let entries = session.value.events.compactMap { event in
                known.first { $0.id == event.id }
                    ?? event.answer.map { Entry(id: event.id, event: nil, payload: nil, reply: $0.reply) }
            }
            sessions[session.key] = Remembered(life: session.value.life, entries: entries)
        }
    }
}

extension SendsModel.Remembered {
    /// The oldest go where there are more than the limit, or more bytes than the bound; one always stays.
    fileprivate mutating func forget(to count: Int, _ limit: Int) throws(Fault) {
        while entries.count > max(1, count) {
            let most = entries.reduce(0) { $0 + $1.bytes.upperBound }
            try promise(
                entries.count > limit || most > SendsModel.maxBytes,
                "\(count) ids are remembered, and should be \(entries.count)")
            entries.removeFirst()
        }
        let least = entries.reduce(0) { $0 + $1.bytes.lowerBound }
        try promise(
            entries.count <= max(1, limit) && (entries.count <= 1 || least <= SendsModel.maxBytes),
            "\(entries.count) ids are remembered, with \(least) bytes or more")
    }
}

extension SentAnswer {
    fileprivate var reply: Reply {
        switch self {
        case .state(let state): .simple(state)
        case .refused(let code, let sentence): .error(code: code, text: sentence)
        }
    }
}

extension Reply {
    fileprivate var answerBytes: Int {
        switch self {
        case .simple(let text): text.utf8.count
        case .error(let code, let text): code.text.utf8.count + text.utf8.count
        case .integer, .bulk, .null, .array, .map, .set, .push, .double, .boolean, .verbatim, .bigNumber: 0
        }
    }
}
