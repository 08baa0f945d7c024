// SINCE: sends a returning subscriber the messages that it has missed.

import GameFlow
import Memory
import RESP
import Sessions
import Texts

extension WordParser<NumberInLife> {
    /// The `seq` of the last message that a subscriber knows.
    static let messageNumber = WordParser(type: .version) { text throws(CommandError) in
        if let known = NumberInLife(text) { return known }
        throw CommandError(
            .generic, "'\(text.shortened)' is not the number of a message; use its seq: 17, or 3:17 with the session's life")
    }
}

enum MissedMessages {
    /// The newest entries are sent, at most this many.
    static let maxCount = 1_000

    /// The messages after the known one, the oldest first. If some are no longer kept, or do not fit, the first message is a gap.
    static func texts(of name: ByteString, since known: NumberInLife, for call: Call) -> [String] {
        let host = call.host
        guard let session = host.sessions.find(name) else {
            return [SessionMessage.gap(name.text, nil, before: Int(known.number))]
        }
        let entries = session.entries(
            after: known.number, ofLife: known.life, atMost: Self.maxCount, at: host.wallNanoseconds)
        call.charge(requests: entries.texts.count / 8)
        let fitting = fitting(entries.texts.map { SessionMessage.text($0, of: session) }, host.limits)
        let isComplete = entries.isComplete && fitting.count == entries.texts.count
        let first = entries.texts.suffix(fitting.count).first?.seq ?? Int(session.seq) + 1
        return (isComplete ? [] : [SessionMessage.gap(name.text, session, before: first - 1)]) + fitting
    }

    /// The newest messages that take at most half of the output that a client may have unread.
    private static func fitting(_ messages: [String], _ limits: Limits) -> ArraySlice<String> {
        var (first, left) = (messages.endIndex, limits.outputBytes / 2)
        while first > 0, messages[first - 1].utf8.count <= left {
            first -= 1
            left -= messages[first].utf8.count
        }
        return messages[first...]
    }
}
