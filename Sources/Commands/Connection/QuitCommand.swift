// QUIT: closes the connection.

import RESP

extension Command {
    package static let quit = Command(
        name: "QUIT", group: .connection, needs: .nothing,
        summary: "Closes the connection.",
        examples: ["QUIT"],
        flags: [.whileSubscribed, .beforeAuthentication, .inTransaction],
        QuitRequest.self)
}

struct QuitRequest: PromptRequest {
    /// Further words are ignored, as in Redis.
    static let form = CommandForm(.ignored) { _ in QuitRequest() }
    static var command: Command { .quit }

    func run(_ call: Call) throws(CommandError) -> EncodedReply {
        call.client.endpoint?.closeWhenSent()
        return .ok
    }
}
