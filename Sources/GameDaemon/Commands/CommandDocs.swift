// The commands, explained in the forms that Redis clients read.

import RESP

enum CommandDocs {
    /// As COMMAND INFO: name, arity, flags, and where keys stand (session names are keys).
    static func appendInfo(of commands: [Command], to reply: ReplyBuffer) {
        reply.append(arrayOf: commands.count)
        for command in commands {
            let hasKey = command.syntax.contains(" session")
            reply.append(arrayOf: 6)
            reply.append(bulk: command.name.lowercased())
            reply.append(integer: command.arity)
            reply.append(arrayOf: 0)
            for place in hasKey ? [1, 1, 1] : [0, 0, 0] { reply.append(integer: place) }
        }
    }

    /// As COMMAND DOCS: redis-cli makes its hints from this.
    static func appendDocs(of commands: [Command], to reply: ReplyBuffer) {
        reply.append(mapOf: commands.count)
        for command in commands {
            let arguments = command.syntax.split(separator: " ").dropFirst()
            reply.append(bulk: command.name.lowercased())
            reply.append(mapOf: 4)
            reply.append(bulk: "summary")
            reply.append(bulk: command.summary)
            reply.append(bulk: "since")
            reply.append(bulk: "0.1.0")
            reply.append(bulk: "group")
            reply.append(bulk: "gamed")
            reply.append(bulk: "arguments")
            reply.append(arrayOf: arguments.isEmpty ? 0 : 1)
            if !arguments.isEmpty { appendArgument(arguments.joined(separator: " "), to: reply) }
        }
    }

    /// The whole of a command's arguments as one, so that a hint shows them as they are written.
    private static func appendArgument(_ syntax: String, to reply: ReplyBuffer) {
        reply.append(mapOf: 3)
        for (name, value) in [("name", syntax), ("type", "string"), ("display_text", syntax)] {
            reply.append(bulk: name)
            reply.append(bulk: value)
        }
    }
}
