// PING: whether the daemon answers.

import Memory
import RESP

extension Command {
    static let ping = Command(
        name: "PING", group: .connection, needs: .nothing,
        summary: "Replies with PONG, or with the message.",
        examples: ["PING"],
        flags: [.whileSubscribed], longWord: 1,
        Form(.optional("message", .bytes)) { call, message in
            if call.client.isSubscribed, call.client.output.protocolVersion == .resp2 {
                return PingReply.subscribed(message ?? "")
            }
            return message.map(PingReply.message) ?? .pong
        })
}

enum PingReply: ReplyValue {
    case pong
    case message(ByteString)
    /// As a client with RESP2 expects it that is subscribed.
    case subscribed(ByteString)

    func write(to reply: ReplyBuffer) {
        switch self {
        case .pong: reply.append(.pong)
        case .message(let message): message.write(to: reply)
        case .subscribed(let message): ["pong", message].write(to: reply)
        }
    }
}

extension Command {
    static let echo = Command(
        name: "ECHO", group: .connection, needs: .nothing,
        summary: "Replies with the message.",
        examples: ["ECHO hello"],
        longWord: 1,
        Form(.required("message", .bytes)) { _, message in message })

    package static let quit = Command(
        name: "QUIT", group: .connection, needs: .nothing,
        summary: "Closes the connection.",
        examples: ["QUIT"],
        flags: [.whileSubscribed, .beforeAuthentication, .inTransaction],
        // Further words are ignored, as in Redis.
        Form(.ignored) { call, _ in
            call.client.endpoint?.closeWhenSent()
            return EncodedReply.ok
        })

    package static let reset = Command(
        name: "RESET", group: .connection, needs: .nothing,
        summary: "Resets the connection to its initial state.",
        details: """
            Ends subscriptions and a transaction, and restores RESP2 and the initial source of events. A client that needed \
            a token must authenticate again.
            """,
        examples: ["RESET"],
        flags: [.whileSubscribed, .beforeAuthentication, .inTransaction],
        Form { call in
            let client = call.client
            call.host.subscriptions.removeAll(of: client)
            client.endTransaction()
            client.output.protocolVersion = .resp2
            client.name = ""
            call.source = client.ownSource
            // A stranger stays one, and keeps its deadline.
            client.resetAuthentication()
            return SimpleText("RESET")
        })

    static let select = Command(
        name: "SELECT", group: .connection, needs: .nothing,
        summary: "Selects the only database, 0.",
        examples: ["SELECT 0"],
        Form(.required(.choice(["0"]), .onlyDatabase)) { _, _ in EncodedReply.ok })
}

extension WordParser<Void> {
    fileprivate static let onlyDatabase = WordParser(type: .text) { number throws(CommandError) in
        guard number == "0" else { throw CommandError(.generic, "there is only one database, 0") }
    }
}
