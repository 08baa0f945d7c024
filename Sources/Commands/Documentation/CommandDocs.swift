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
            reply.append(bulk: command.name.lowercased())
            reply.append(mapOf: 4)
            for (key, value) in [("summary", command.summary), ("since", "0.1.0"), ("group", "gamed")] {
                reply.append(bulk: key)
                reply.append(bulk: value)
            }
            reply.append(bulk: "arguments")
            append(CommandArgument.list(of: command.syntax), to: reply)
        }
    }

    private static func append(_ arguments: [CommandArgument], to reply: ReplyBuffer) {
        reply.append(arrayOf: arguments.count)
        for argument in arguments { append(argument, to: reply) }
    }

    private static func append(_ argument: CommandArgument, to reply: ReplyBuffer) {
        let (texts, flags, parts) = (argument.texts, argument.flags, argument.parts)
        reply.append(mapOf: texts.count + (flags.isEmpty ? 0 : 1) + (parts.isEmpty ? 0 : 1))
        for (key, value) in texts {
            reply.append(bulk: key)
            reply.append(bulk: value)
        }
        if !flags.isEmpty {
            reply.append(bulk: "flags")
            reply.append(setOf: flags.count)
            // redis-cli insists on simple strings here.
            for flag in flags { reply.append(simple: flag) }
        }
        if !parts.isEmpty {
            reply.append(bulk: "arguments")
            append(parts, to: reply)
        }
    }
}

extension CommandArgument {
    /// Redis-cli shows the name up to version 7.0, and the display text from 7.2 on.
    fileprivate var texts: [(String, String)] {
        let texts = [("name", name), ("type", type)] + (token.map { [("token", $0)] } ?? [])
        return parts.isEmpty ? texts + [("display_text", name)] : texts
    }

    private var type: String {
        switch kind {
        // A client that looks for the word behind it must not take that word for the number.
        case .value: ["n", "cursor"].contains(name) ? "integer" : "string"
        case .word: "pure-token"
        case .oneOf: "oneof"
        case .block: "block"
        }
    }

    fileprivate var flags: [String] {
        (isOptional ? ["optional"] : []) + (isRepeated ? ["multiple"] : [])
    }

    fileprivate var parts: [CommandArgument] {
        switch kind {
        case .value, .word: []
        case .oneOf(let parts), .block(let parts): parts
        }
    }
}
