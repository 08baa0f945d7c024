// SELECT: for clients that choose a database.

import RESP

extension Command {
    static let select: Command = Command(
        name: "SELECT", group: .connection, needs: .nothing,
        syntax: "SELECT 0",
        summary: "Selects the only database, 0.",
        examples: ["SELECT 0"],
        words: 2...2
    ) { call throws(CommandError) in
        guard call.arguments[1].integer == 0 else { throw CommandError(.generic, "there is only one database, 0") }
        call.reply.append(.ok)
    }
}
