// DISCARD: drops a transaction.

import RESP

extension Command {
    package static let discard = Command(
        name: "DISCARD", group: .transactions, needs: .nothing,
        summary: "Drops the commands queued since MULTI.",
        examples: ["DISCARD"],
        flags: [.inTransaction],
        DiscardRequest.self)
}

struct DiscardRequest: PromptRequest {
    static let form = CommandForm { DiscardRequest() }
    static var command: Command { .discard }

    func run(_ call: Call) throws(CommandError) -> EncodedReply {
        guard call.client.endTransaction() != nil else { throw CommandError(.generic, "DISCARD without MULTI") }
        return .ok
    }
}
