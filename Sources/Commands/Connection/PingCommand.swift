// PING: whether the daemon answers.

import Memory
import RESP

extension Command {
    static let ping = Command(
        name: "PING", group: .connection, needs: .nothing,
        summary: "Replies with PONG, or with the message.",
        examples: ["PING"],
        flags: [.whileSubscribed], longWord: 1,
        PingRequest.self)
}

struct PingRequest: PromptRequest {
    let message: ByteString?

    static let form = CommandForm(.optional("message", .bytes)) { PingRequest(message: $0) }
    static var command: Command { .ping }

    func run(_ call: Call) throws(CommandError) -> PingReply {
        if call.client.isSubscribed, call.client.output.protocolVersion == .resp2 { return .subscribed(message ?? "") }
        return message.map(PingReply.message) ?? .pong
    }
}

enum PingReply: ReplyValue {
    case pong
    case message(ByteString)
    /// As a client with RESP2 expects it that is subscribed.
    case subscribed(ByteString)

    func write(to reply: some ReplyWriter) {
        switch self {
        case .pong: reply.append(.pong)
        case .message(let message): message.write(to: reply)
        case .subscribed(let message): ["pong", message].write(to: reply)
        }
    }
}
