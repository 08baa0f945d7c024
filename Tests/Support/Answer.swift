// Replies of a daemon, as tests compare them.

import RESP
import Texts

/// A reply, with accessors.
package struct Answer: Equatable, CustomStringConvertible {
    package let reply: Reply

    package init(reply: Reply) {
        self.reply = reply
    }

    package var text: String? { reply.text }
    package var integer: Int? {
        if case .integer(let number) = reply { number } else { nil }
    }
    /// The error's code.
    package var code: ErrorCode? {
        if case .error(let code, _) = reply { code } else { nil }
    }
    package var sentence: String? {
        if case .error(_, let text) = reply { text } else { nil }
    }
    package var isError: Bool { code != nil }
    /// Whether the node executed nothing because it does not own the session.
    package var isElsewhere: Bool { code == .clusterDown || code == .moved || code == .tryAgain }
    package var list: [Answer] {
        if case .array(let replies) = reply { replies.map(Answer.init) } else { [] }
    }
    package var isNull: Bool { reply == .null }

    /// The value behind a key, of a map in either version of the protocol.
    package subscript(key: String) -> Answer? {
        switch reply {
        case .array(let replies):
            let place = stride(from: 0, to: replies.count - 1, by: 2).first { replies[$0].text == key }
            return place.map { Answer(reply: replies[$0 + 1]) }
        case .map(let pairs): return pairs.first { $0.key.text == key }.map { Answer(reply: $0.value) }
        default: return nil
        }
    }

    package var description: String { "\(reply)" }
}
