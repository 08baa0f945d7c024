// COMMAND: describes the commands to programs.

import Memory
import RESP

extension Command {
    package static let command = Command(
        name: "COMMAND", group: .service, needs: .nothing,
        summary: "Lists and describes the commands.",
        details: """
            redis-cli builds its hints from COMMAND DOCS. GETKEYS tells which words of a command name sessions, and so which node of a \
            cluster it is for.
            """,
        examples: ["COMMAND LIST", "COMMAND DOCS SEND"],
        Form(CommandInfoRequest.self), Form(CommandCountRequest.self), Form(CommandListRequest.self),
        Form(NamedCommandInfoRequest.self),
        Form(CommandDocsRequest.self), Form(CommandKeysRequest.self))
}

struct CommandCountRequest: PromptRequest {
    static let form = CommandForm(word: "COUNT") { CommandCountRequest() }
    static var command: Command { .command }

    func run(_ call: Call) throws(CommandError) -> Int { call.host.commands.commands.count }
}

struct CommandListRequest: PromptRequest {
    static let form = CommandForm(word: "LIST") { CommandListRequest() }
    static var command: Command { .command }

    func run(_ call: Call) throws(CommandError) -> [String] { call.host.commands.commands.map { $0.name.lowercased() } }
}

/// COMMAND alone is COMMAND INFO of all commands.
struct CommandInfoRequest: PromptRequest {
    static let form = CommandForm { CommandInfoRequest() }
    static var command: Command { .command }

    func run(_ call: Call) throws(CommandError) -> CommandInfoReply { CommandInfoReply(commands: call.host.commands.commands) }
}

struct NamedCommandInfoRequest: PromptRequest {
    let names: [String]

    static let form = CommandForm(word: "INFO", .several("name", .text, atLeast: 0, atMost: 126)) {
        NamedCommandInfoRequest(names: $0)
    }
    static var command: Command { .command }

    func run(_ call: Call) throws(CommandError) -> CommandInfoReply {
        CommandInfoReply(commands: call.host.commands.named(names))
    }
}

struct CommandDocsRequest: PromptRequest {
    let names: [String]

    static let form = CommandForm(word: "DOCS", .several("name", .text, atLeast: 0, atMost: 126)) {
        CommandDocsRequest(names: $0)
    }
    static var command: Command { .command }

    func run(_ call: Call) throws(CommandError) -> CommandDocsReply {
        CommandDocsReply(commands: call.host.commands.named(names))
    }
}

struct CommandKeysRequest: PromptRequest {
    let words: [ByteString]

    static let form = CommandForm(word: "GETKEYS", .several("word", .bytes, atLeast: 0, atMost: 126)) {
        CommandKeysRequest(words: $0)
    }
    static var command: Command { .command }

    /// Returns the words that name sessions.
    func run(_ call: Call) throws(CommandError) -> [ByteString] {
        guard let name = words.first, let command = call.host.commands[name.text] else {
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

extension CommandTable {
    /// The commands of these names; all if there are none.
    fileprivate func named(_ names: [String]) -> [Command] {
        names.isEmpty ? commands : names.compactMap { self[$0] }
    }
}
