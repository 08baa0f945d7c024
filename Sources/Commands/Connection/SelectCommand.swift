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
    static let form = CommandForm(.required(choice: ["0"], .onlyDatabase)) { _ in SelectRequest() }
    static var command: Command { .select }

    func run(_ call: Call) throws(CommandError) -> EncodedReply { .ok }
}

extension WordParser<Void> {
    fileprivate static let onlyDatabase = WordParser(type: .text) { word, _ throws(CommandError) in
        try check(word.repairedText)
    } fromJSON: { json, _ throws(CommandError) in
        try check(json.description)
    }

    private static func check(_ number: String) throws(CommandError) {
        guard number == "0" else { throw CommandError(.generic, "there is only one database, 0") }
    }
}
