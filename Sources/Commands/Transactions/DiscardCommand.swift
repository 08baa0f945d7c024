// DISCARD: drops a transaction.

import RESP

extension Command {
    package static let discard: Command = Command(
        name: "DISCARD", group: .transactions, needs: .nothing,
        syntax: "DISCARD",
        summary: "Drops the commands queued since MULTI.",
        examples: ["DISCARD"],
        words: 1...1, flags: [.inTransaction]
    ) { call throws(CommandError) in
        guard call.client.endTransaction() != nil else { throw CommandError(.generic, "DISCARD without MULTI") }
        call.reply.append(.ok)
    }
}
