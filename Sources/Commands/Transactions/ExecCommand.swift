// EXEC: carries out a transaction.

import RESP

extension Command {
    package static let exec = Command(
        name: "EXEC", group: .transactions, needs: .nothing,
        summary: "Carries out the commands queued since MULTI, in one go. Replies with their replies.",
        details: """
            Nothing of other clients comes in between. A command that is refused has its error in the array, and the others are \
            carried out all the same. EXECABORT means that a command was refused when it was to be queued, and that none was \
            carried out; in a cluster, MOVED and the like instead of an array, that its sessions have gone to another node meanwhile, and \
            again that none was. Timers that a command makes due fire before the next. Where it takes long, commands that only read are \
            refused with LIMIT.
            """,
        examples: ["EXEC"],
        flags: [.inTransaction],
        ExecRequest.self)
}

struct ExecRequest: PromptRequest {
    static let form = CommandForm { ExecRequest() }
    static var command: Command { .exec }

    func run(_ call: Call) throws(CommandError) -> NoReply {
        guard let transaction = call.client.endTransaction() else { throw CommandError(.generic, "EXEC without MULTI") }
        guard !transaction.isAborted else {
            throw CommandError(.executionAborted, "Transaction discarded because of previous errors.")
        }
        // The queued session may have moved to another node since.
        if let slot = transaction.slot { try call.host.cluster?.check(slot: slot) }
        Execution(of: transaction, by: call).run()
        return NoReply()
    }
}

/// The replies of the queued commands have been written one by one, each when it was carried out.
struct NoReply: ReplyValue {
    func write(to _: some ReplyWriter) {}
}
