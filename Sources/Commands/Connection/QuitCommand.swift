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
    static let form = CommandForm(arguments: [], words: 0...Command.anyNumber - 1) { _ throws(CommandError) in QuitRequest() }
    static var command: Command { .quit }

    func run(_ call: Call) throws(CommandError) -> EncodedReply {
        call.client.endpoint?.closeWhenSent()
        return .ok
    }
}
