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

    static let form = CommandForm(arguments: [.channels(["session:GLOB"], isOptional: true)], words: 0...Command.anyNumber - 1)
    { reader throws(CommandError) in
        PatternUnsubscribeRequest(names: reader.rest().map { ByteString($0.bytes) })
    }
    static var command: Command { .punsubscribe }
    static let kind = Subscriptions.Kind.pattern
}
