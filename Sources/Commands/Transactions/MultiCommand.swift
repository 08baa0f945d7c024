// MULTI: begins a transaction.

import RESP

extension Command {
    package static let multi = Command(
        name: "MULTI", group: .transactions, needs: .nothing,
        summary: "Queues the commands that follow, until EXEC carries them out or DISCARD drops them.",
        details: """
            Each is answered QUEUED, or refused if it is unknown, has too few or too many words or is not permitted; EXEC then \
            carries out none of them. In a cluster, all of them are about sessions of one slot (CROSSSLOT). At most transaction-commands commands with transaction-bytes bytes are queued (limits).
            """,
        examples: ["MULTI"],
        flags: [.inTransaction],
        MultiRequest.self)
}

struct MultiRequest: PromptRequest {
    static let form = CommandForm { MultiRequest() }
    static var command: Command { .multi }

    func run(_ call: Call) throws(CommandError) -> EncodedReply {
        // As in Redis, this one does not spoil the queued commands: it is an error as a value.
        guard call.client.transaction == nil else {
            return EncodedReply(error: .generic, "MULTI calls can not be nested")
        }
        call.client.beginTransaction()
        return .ok
    }
}
