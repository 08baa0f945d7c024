// COMMAND: describes the commands to programs.

import RESP

extension Command {
    package static let command: Command = Command(
        name: "COMMAND", group: .service, needs: .nothing,
        syntax: "COMMAND [COUNT|LIST|INFO [name …]|DOCS [name …]]",
        summary: "Lists and describes the commands.",
        details: """
            redis-cli builds its hints from COMMAND DOCS.
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
        } else {
            throw .syntax(call.command.syntax)
        }
    }

    /// The commands named after the second word; all if none is.
    private static func named(_ call: Call) -> [Command] {
        guard call.count > 2 else { return call.host.commands.commands }
        return (2..<call.count).compactMap { call.host.commands[call.text($0)] }
    }
}
