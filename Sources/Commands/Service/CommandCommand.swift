// COMMAND: describes the commands to programs.

import RESP

extension Command {
    package static let command: Command = Command(
        name: "COMMAND", group: .service, needs: .nothing,
        syntax: "COMMAND [COUNT|LIST|INFO [name …]|DOCS [name …]|GETKEYS word …]",
        summary: "Lists and describes the commands.",
        details: """
            redis-cli builds its hints from COMMAND DOCS. GETKEYS tells which words of a command name sessions, and so which node of a \
            cluster it is for.
            """,
        examples: ["COMMAND LIST", "COMMAND DOCS SEND"],
        words: 1...128
    ) { call throws(CommandError) in
        let what = call.count > 1 ? call.arguments[1] : nil
        if what?.isWord("COUNT") == true {
            call.reply.append(integer: call.host.commands.commands.count)
        } else if what?.isWord("LIST") == true {
            call.reply.append(arrayOf: call.host.commands.commands.count)
            for command in call.host.commands.commands { call.reply.append(bulk: command.name.lowercased()) }
        } else if what?.isWord("DOCS") == true {
            CommandDocs.appendDocs(of: named(call), to: call.reply)
        } else if what == nil || what?.isWord("INFO") == true {
            CommandDocs.appendInfo(of: named(call), to: call.reply)
        } else if what?.isWord("GETKEYS") == true {
            try appendKeys(call)
        } else {
            throw .syntax(call.command.syntax)
        }
    }

    /// Where the words of a command begin that GETKEYS is asked about.
    private static let first = 2

    private static func appendKeys(_ call: Call) throws(CommandError) {
        let words = call.count - first
        guard words > 0, let command = call.host.commands[call.text(first)] else {
            throw CommandError(.generic, "Invalid command specified")
        }
        guard command.words.contains(words) else {
            throw CommandError(.generic, "Invalid number of arguments specified for command")
        }
        let places = command.keys.places(amongWords: words)
        guard !places.isEmpty else { throw CommandError(.generic, "The command has no key arguments") }
        call.reply.append(arrayOf: places.count)
        for place in places { call.reply.append(bulk: call.arguments[first + place]) }
    }

    /// The commands named after the second word; all if none is.
    private static func named(_ call: Call) -> [Command] {
        guard call.count > 2 else { return call.host.commands.commands }
        return (2..<call.count).compactMap { call.host.commands[call.text($0)] }
    }
}
