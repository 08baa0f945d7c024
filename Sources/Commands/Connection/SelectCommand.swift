// SELECT: for clients that ask for a database.

import RESP

extension Command {
    static let select: Command = Command(
        name: "SELECT", group: .connection,
        syntax: "SELECT 0",
        summary: "There is one database, 0.",
        examples: ["SELECT 0"],
        words: 2...2
    ) { call throws(CommandError) in
        guard call.arguments[1].integer == 0 else { throw CommandError("ERR", "there is one database here, 0") }
        call.reply.append(.ok)
    }
}
