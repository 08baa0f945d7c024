// ECHO: sends a message back.

import Memory
import RESP

extension Command {
    static let echo = Command(
        name: "ECHO", group: .connection, needs: .nothing,
        summary: "Replies with the message.",
        examples: ["ECHO hello"],
        longWord: 1,
        EchoRequest.self)
}

struct EchoRequest: PromptRequest {
    let message: ByteString

    static let form = CommandForm(.required("message", .bytes)) { EchoRequest(message: $0) }
    static var command: Command { .echo }

    func run(_ call: Call) throws(CommandError) -> ByteString { message }
}
