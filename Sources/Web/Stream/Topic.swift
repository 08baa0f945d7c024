// What a stream tells of.

import Memory
import RESP
import Texts

enum Topic: Hashable {
    case sessions, status, flows
    /// A session's view, by name.
    case session(ByteString)
    /// A session's history, by name.
    case history(ByteString)

    /// The session that it is about.
    var name: ByteString? {
        switch self {
        case .session(let name), .history(let name): name
        case .sessions, .status, .flows: nil
        }
    }

    private static let maxCount = 16

    static func read(_ words: [String]) throws(CommandError) -> [Topic] {
        guard words.count <= maxCount else {
            throw CommandError(.limit, "a stream has \(maxCount) topics at most, and not \(words.count)")
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
            // Bytes are compared: a name may begin with what would join a character before it.
            if let name = word.utf8.dropping("session:".utf8) {
                self = .session(name)
            } else if let name = word.utf8.dropping("history:".utf8) {
                self = .history(name)
            } else {
                throw CommandError(.generic, "there is no topic '\(word.shortened)'; available: \(Self.forms)")
            }
        }
    }
}

extension String.UTF8View {
    /// What follows a prefix; nil if it is not there.
    fileprivate func dropping(_ prefix: String.UTF8View) -> ByteString? {
        guard starts(with: prefix) else { return nil }
        return Array(dropFirst(prefix.count)).withUnsafeBytes { ByteString($0) }
    }
}
