// Errors that several commands share.

import RESP
import Sessions
import Texts

extension CommandError {
    package static func noSession(_ name: String) -> CommandError {
        CommandError(.noSession, "there is no session '\(name.shortened)'; NEW \(name.shortened) FLOW begins one")
    }

    package static func syntax(_ syntax: String) -> CommandError {
        CommandError(.generic, "syntax error; the command is: \(syntax)")
    }

    static func unknownCommand(_ name: String) -> CommandError {
        CommandError(.generic, "unknown command '\(name.shortened)'; COMMAND LIST names those that there are")
    }

    package static func wrongCount(_ command: Command) -> CommandError {
        CommandError(.generic, "wrong number of arguments for '\(command.name)'; the command is: \(command.syntax)")
    }

    static let notAuthenticated = CommandError(.notAuthenticated, "Authentication required: AUTH token")

    static let subscribed = CommandError(
        .generic, "while subscribed with RESP2, only (P)SUBSCRIBE, (P)UNSUBSCRIBE, PING, QUIT and RESET are taken")
}
