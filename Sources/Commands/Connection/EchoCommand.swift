// ECHO: sends a message back.

import RESP

extension Command {
    static let echo: Command = Command(
        name: "ECHO", group: .connection, needs: .nothing,
        syntax: "ECHO message",
        summary: "Replies with the message.",
        examples: ["ECHO hello"],
        words: 2...2, longWord: 1
    ) { call throws(CommandError) in call.reply.append(bulk: call.arguments[1]) }
}
