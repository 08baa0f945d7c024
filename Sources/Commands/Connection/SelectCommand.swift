// SELECT: for clients that choose a database.

import RESP

extension Command {
    static let select = Command(
        name: "SELECT", group: .connection, needs: .nothing,
        summary: "Selects the only database, 0.",
        examples: ["SELECT 0"],
        SelectRequest.self)
}

struct SelectRequest: PromptRequest {
    let number: String

    static let form = CommandForm(arguments: [.word("0")], words: 1...1) { reader throws(CommandError) in
        SelectRequest(number: try reader.word().repairedText)
    }
    static var command: Command { .select }

    func run(_ call: Call) throws(CommandError) -> EncodedReply {
        guard number == "0" else { throw CommandError(.generic, "there is only one database, 0") }
        return .ok
    }
}
