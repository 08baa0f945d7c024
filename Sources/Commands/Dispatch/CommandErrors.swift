// Errors that several commands share.

import RESP
import Sessions
import Texts
import Timers

extension CommandError {
    /// Only a client that may begin it is told how.
    package static func noSession(_ name: String, for grant: Grant) -> CommandError {
        let hint = grant.isMaster(of: name) ? "; NEW \(name.shortened) FLOW creates one" : ""
        return CommandError(.noSession, "there is no session '\(name.shortened)'\(hint)")
    }

    package static func syntax(_ syntax: String) -> CommandError {
        CommandError(.generic, "syntax error; usage: \(syntax)")
    }

    static func unknownCommand(_ name: String) -> CommandError {
        CommandError(.generic, "unknown command '\(name.shortened)'; COMMAND LIST lists all commands")
    }

    /// `words` are the command's; a duration of two words is the most likely one too many.
    package static func wrongCount(_ command: Command, _ words: some Collection<String>) -> CommandError {
        let duration =
            command.syntax.hasSuffix(" duration") ? Duration.joined(words.dropFirst(command.words.upperBound - 1)) : nil
        let advice = duration.map { "a duration is one word, \($0); " } ?? ""
        return CommandError(
            .generic, "wrong number of arguments for '\(command.name)'; \(advice)usage: \(command.syntax)")
    }

    static let notAuthenticated = CommandError(.notAuthenticated, "Authentication required: AUTH token")

    static let subscribed = CommandError(
        .generic, "while subscribed with RESP2, only (P|S)SUBSCRIBE, (P|S)UNSUBSCRIBE, PING, QUIT and RESET are taken")
}
