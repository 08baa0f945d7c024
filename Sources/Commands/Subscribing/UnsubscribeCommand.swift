// UNSUBSCRIBE: unsubscribes from sessions.

import Memory
import RESP

extension Command {
    static let unsubscribe = Command(
        name: "UNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        summary: "Unsubscribes from these sessions and views (view:NAME), or from all.",
        examples: ["UNSUBSCRIBE session:room"],
        flags: [.whileSubscribed],
        UnsubscribeRequest.self)
}

struct UnsubscribeRequest: UnsubscribingRequest {
    let names: [ByteString]

    static let form = CommandForm(arguments: [.channels(["session:NAME"], isOptional: true)], words: 0...Command.anyNumber - 1)
    { reader throws(CommandError) in
        UnsubscribeRequest(names: reader.rest().map { ByteString($0.bytes) })
    }
    static var command: Command { .unsubscribe }
    static let kind = Subscriptions.Kind.channel
}
