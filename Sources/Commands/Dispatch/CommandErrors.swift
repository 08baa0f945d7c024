// The errors that several commands share.

import RESP
import Sessions
import Texts

extension CommandError {
    package static func noSession(_ name: String) -> CommandError {
        CommandError("NOSESSION", "there is no session '\(name.shortened)'; NEW \(name.shortened) FLOW begins one")
    }

    package static func syntax(_ syntax: String) -> CommandError {
        CommandError("ERR", "syntax error; the command is: \(syntax)")
    }

    static func unknownCommand(_ name: String) -> CommandError {
        CommandError("ERR", "unknown command '\(name.shortened)'; COMMAND LIST names those that there are")
    }

    package static func wrongCount(_ command: Command) -> CommandError {
        CommandError("ERR", "wrong number of arguments for '\(command.name)'; the command is: \(command.syntax)")
    }

    static let notAuthenticated = CommandError("NOAUTH", "Authentication required: AUTH token")

    static let subscribed = CommandError(
        "ERR", "while subscribed with RESP2, only (P)SUBSCRIBE, (P)UNSUBSCRIBE, PING, QUIT and RESET are taken")
}
