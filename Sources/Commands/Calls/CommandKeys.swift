// Which words of a command name sessions: they say which node of a cluster it is for.

import GameFlow
import Memory
import RESP
import Sessions
import Texts

/// Redis calls such words keys.
package enum CommandKeys: Sendable {
    case none
    /// The first word after the command's name.
    case first
    /// All words after it.
    case all
    /// All words are channels of sessions, and a client sends the command to any node.
    case channels
    /// All words are channels, each with the slot of its session.
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
    package var areSessions: Bool {
        switch self {
        case .first, .all: true
        case .none, .channels, .shardedChannels: false
        }
    }

    /// The places of keys among `count` words, at least one.
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

    // MARK: Errors that several commands share

    /// Advice to create it is for a client that may do so.
    package static func noSession(_ name: ByteString, for grant: Grant, in sessions: Sessions) -> CommandError {
        let text = name.text
        let advice = grant.isMaster(of: text) ? "; \(sessions.adviceToCreate(name))" : ""
        return CommandError(.noSession, "there is no session '\(text.shortened)'\(advice)")
    }

    package static func syntax(_ syntax: String) -> CommandError {
        CommandError(.generic, "syntax error; usage: \(syntax)")
    }

    static func unknownCommand(_ name: String) -> CommandError {
        CommandError(.generic, "unknown command '\(name.shortened)'; COMMAND LIST lists all commands")
    }

    /// `words` are the command's; a duration of two words is the most likely one too many.
    package static func wrongCount(_ command: Command, _ words: some Collection<String>) -> CommandError {
        let duration = command.takesDuration ? Duration.joined(words.dropFirst(command.words.upperBound - 1)) : nil
        let advice = duration.map { "a duration is one word, \($0); " } ?? ""
        return CommandError(
            .generic, "wrong number of arguments for '\(command.name)'; \(advice)usage: \(command.syntax)")
    }

    static let notAuthenticated = CommandError(.notAuthenticated, "Authentication required: AUTH token")

    static let subscribed = CommandError(
        .generic, "while subscribed with RESP2, only (P|S)SUBSCRIBE, (P|S)UNSUBSCRIBE, PING, QUIT and RESET are allowed")

    package init(_ error: SessionError) { self.init(error.code, error.sentence) }

    package static func noFlow(_ name: String, _ flows: [FlowKind]) -> CommandError { CommandError(.noFlow(name, flows)) }
}
