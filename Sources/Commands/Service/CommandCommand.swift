// COMMAND: describes the commands to programs.

import Memory
import RESP

extension Command {
    package static let command = Command(
        name: "COMMAND", group: .service, needs: .nothing,
        summary: "Lists and describes the commands.",
        details: """
            redis-cli builds its hints from COMMAND DOCS. GETKEYS returns the words of a command that name sessions; they \
            determine its node in a cluster.
            """,
        examples: ["COMMAND LIST", "COMMAND DOCS SEND"],
        // COMMAND alone is COMMAND INFO of all commands.
        Form { call in CommandInfoReply(commands: call.host.commands.commands) },
        Form(word: "COUNT") { call in call.host.commands.commands.count },
        Form(word: "LIST") { call in call.host.commands.commands.map { $0.name.lowercased() } },
        // As Redis has it: a null in the place of each unknown name; all commands if there are no names.
        Form(word: "INFO", .several("name", .text, atLeast: 0, atMost: 126)) { call, names in
            let table = call.host.commands
            return CommandInfoReply(commands: names.isEmpty ? table.commands : names.map { table[$0] })
        },
        Form(word: "DOCS", .several("name", .text, atLeast: 0, atMost: 126)) { call, names in
            let table = call.host.commands
            return CommandDocsReply(commands: names.isEmpty ? table.commands : names.compactMap { table[$0] })
        },
        Form(word: "GETKEYS", .several("word", .bytes, atLeast: 0, atMost: 126)) { call, words throws(CommandError) in
            try call.host.commands.keys(in: words)
        })
}

extension CommandTable {
    /// The words of a request that name sessions.
    fileprivate func keys(in words: [ByteString]) throws(CommandError) -> [ByteString] {
        guard let name = words.first, let command = self[name.text] else {
            throw CommandError(.generic, "Invalid command specified")
        }
        guard command.words.contains(words.count) else {
            throw CommandError(.generic, "Invalid number of arguments specified for command")
        }
        let places = command.keys.places(amongWords: words.count)
        guard !places.isEmpty else { throw CommandError(.generic, "The command has no key arguments") }
        return places.map { words[$0] }
    }
}
