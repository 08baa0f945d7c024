import RESP

/// Why a command was not carried out: a code for programs, a sentence for people.
package struct CommandError: Error, CustomStringConvertible {
    package let code: String
    package let sentence: String

    /// A sentence that quotes too much is cut.
    package init(_ code: String, _ sentence: String) {
        self.code = code
        self.sentence = sentence.cut(to: ReplyBuffer.longestError)
    }

    package var description: String { "\(code) \(sentence)" }

    static func noSession(_ name: String) -> CommandError {
        CommandError("NOSESSION", "there is no session '\(name.shortened)'; NEW \(name.shortened) FLOW begins one")
    }

    static func noFlow(_ name: String, _ flows: [FlowType]) -> CommandError {
        CommandError("NOFLOW", "there is no flow '\(name.shortened)'; there are \(flows.map(\.name).joined(separator: ", "))")
    }

    static func syntax(_ syntax: String) -> CommandError {
        CommandError("ERR", "syntax error; the command is: \(syntax)")
    }

    static func unknownCommand(_ name: String) -> CommandError {
        CommandError("ERR", "unknown command '\(name.shortened)'; COMMAND LIST names those that there are")
    }

    static func wrongCount(_ command: Command) -> CommandError {
        CommandError("ERR", "wrong number of arguments for '\(command.name)'; the command is: \(command.syntax)")
    }

    static let notAuthenticated = CommandError("NOAUTH", "Authentication required: AUTH token")

    static let subscribed = CommandError(
        "ERR", "while subscribed with RESP2, only (P)SUBSCRIBE, (P)UNSUBSCRIBE, PING, QUIT and RESET are taken")
}
