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

    static let form = CommandForm(.channels(["session:NAME"], atLeast: 0)) { UnsubscribeRequest(names: $0) }
    static var command: Command { .unsubscribe }
    static let kind = Subscriptions.Kind.channel
}
