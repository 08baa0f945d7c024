// RESET: resets the connection.

import RESP

extension Command {
    package static let reset = Command(
        name: "RESET", group: .connection, needs: .nothing,
        summary: "Resets the connection to how it began.",
        details: """
            Subscriptions and a transaction end, the protocol is RESP2 again, events count as they did at first, and a client that had to send a token must send it again.
            """,
        examples: ["RESET"],
        flags: [.whileSubscribed, .beforeAuthentication, .inTransaction],
        ResetRequest.self)
}

struct ResetRequest: PromptRequest {
    static let form = CommandForm { ResetRequest() }
    static var command: Command { .reset }

    func run(_ call: Call) throws(CommandError) -> SimpleText {
        let client = call.client
        call.host.subscriptions.removeAll(of: client)
        client.endTransaction()
        client.output.protocolVersion = .resp2
        client.name = ""
        call.source = client.ownSource
        // A stranger stays one, and keeps its deadline.
        client.resetAuthentication()
        return SimpleText("RESET")
    }
}
