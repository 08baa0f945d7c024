// ECHO: a word comes back.

import RESP

extension Command {
    static let echo: Command = Command(
        name: "ECHO", group: .connection,
        syntax: "ECHO message",
        summary: "The message.",
        examples: ["ECHO hello"],
        words: 2...2, longWord: 1
    ) { call throws(CommandError) in call.reply.append(bulk: call.arguments[1]) }
}
