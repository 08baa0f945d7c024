// PING: whether the daemon answers.

import RESP

extension Command {
    static let ping: Command = Command(
        name: "PING", group: .connection, needs: .nothing,
        syntax: "PING [message]",
        summary: "Replies with PONG, or with the message.",
        examples: ["PING"],
        words: 1...2, flags: [.whileSubscribed], longWord: 1
    ) { call throws(CommandError) in
        if call.client.isSubscribed, call.reply.protocolVersion == .resp2 {
            call.reply.append(arrayOf: 2)
            call.reply.append(bulk: "pong")
            if call.count > 1 { call.reply.append(bulk: call.arguments[1]) } else { call.reply.append(bulk: "") }
        } else if call.count > 1 {
            call.reply.append(bulk: call.arguments[1])
        } else {
            call.reply.append(.pong)
        }
    }
}
