// Which words of a command name sessions: they say which node of a cluster it is for.

import Cluster
import RESP

/// Redis calls such words keys.
package enum CommandKeys: Sendable {
    case none
    /// The first word after the command's name.
    case first
    /// All words after it.
    case all
    /// All words are channels of sessions, and a client sends the command to any node.
    case channels
    /// All words are channels whose slots are those of their sessions.
    case shardedChannels

    /// The places of the first and the last one, counted from the command's name, and the step between them, as COMMAND INFO has them.
    var positions: [Int] {
        switch self {
        case .none, .channels: [0, 0, 0]
        case .first: [1, 1, 1]
        case .all, .shardedChannels: [1, -1, 1]
        }
    }

    /// Whether they are names of sessions, and not of channels.
    var areSessions: Bool {
        switch self {
        case .first, .all: true
        case .none, .channels, .shardedChannels: false
        }
    }

    /// The places of keys among so many words, of which there is at least one.
    func places(amongWords count: Int) -> Range<Int> {
        switch self {
        case .none, .channels: 1..<1
        case .first: 1..<min(count, 2)
        case .all, .shardedChannels: 1..<max(count, 1)
        }
    }
}

extension CommandError {
    static let crossSlot = CommandError(
        .crossSlot, "Keys in request don't hash to the same slot; names with the same {tag} in them do")
}
