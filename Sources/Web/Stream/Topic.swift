// What a stream tells of.

import RESP
import Texts

enum Topic: Hashable {
    case sessions, status, flows
    /// A session's view, by name.
    case session(String)
    /// A session's history, by name.
    case history(String)

    private static let most = 16

    static func read(_ words: [String]) throws(CommandError) -> [Topic] {
        guard words.count <= most else {
            throw CommandError(.limit, "a stream has \(most) topics at most, and not \(words.count)")
        }
        var topics: [Topic] = []
        for word in words {
            let topic = try Topic(word)
            if !topics.contains(topic) { topics.append(topic) }
        }
        guard !topics.isEmpty else { throw CommandError(.generic, "a stream needs a topic: \(forms)") }
        return topics
    }

    private static let forms = "sessions, status, flows, session:NAME or history:NAME"

    private init(_ word: String) throws(CommandError) {
        switch word {
        case "sessions": self = .sessions
        case "status": self = .status
        case "flows": self = .flows
        default:
            if word.hasPrefix("session:") {
                self = .session(String(word.dropFirst("session:".count)))
            } else if word.hasPrefix("history:") {
                self = .history(String(word.dropFirst("history:".count)))
            } else {
                throw CommandError(.generic, "there is no topic '\(word.shortened)'; there are \(Self.forms)")
            }
        }
    }
}
