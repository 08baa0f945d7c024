// PUNSUBSCRIBE: unsubscribes from patterns.

import Memory
import RESP

extension Command {
    static let punsubscribe = Command(
        name: "PUNSUBSCRIBE", group: .subscriptions, needs: .nothing,
        summary: "Unsubscribes from these patterns, those of views included, or from all.",
        examples: ["PUNSUBSCRIBE session:room-*"],
        flags: [.whileSubscribed],
        PatternUnsubscribeRequest.self)
}

struct PatternUnsubscribeRequest: UnsubscribingRequest {
    let names: [ByteString]

    static let form = CommandForm(.channels(["session:GLOB"], atLeast: 0)) { PatternUnsubscribeRequest(names: $0) }
    static var command: Command { .punsubscribe }
    static let kind = Subscriptions.Kind.pattern
}
