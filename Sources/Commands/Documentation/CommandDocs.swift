// COMMAND INFO and COMMAND DOCS, as Redis clients expect them.

import RESP

/// COMMAND INFO: name, arity, flags, and the positions of keys (session names are keys).
struct CommandInfoReply: ReplyValue {
    /// Nil for a name that is no command's.
    let commands: [Command?]

    func write(to reply: ReplyBuffer) {
        reply.append(arrayOf: commands.count)
        for command in commands {
            guard let command else {
                reply.appendNull()
                continue
            }
            let hasKey = command.keys.areSessions
            reply.append(arrayOf: 7)
            reply.append(bulk: command.name.lowercased())
            reply.append(integer: command.arity)
            reply.append(setOf: command.words(ofFlags: hasKey).count)
            // As Redis writes them: simple strings.
            for flag in command.words(ofFlags: hasKey) { reply.append(simple: flag) }
            for position in command.keys.positions { reply.append(integer: position) }
            // No categories of an ACL. redis-py reads their place with RESP3.
            reply.append(setOf: 0)
        }
    }
}

/// COMMAND DOCS: redis-cli builds its hints from it.
struct CommandDocsReply: ReplyValue {
    let commands: [Command]

    func write(to reply: ReplyBuffer) {
        var docs = reply.beginMap()
        for command in commands {
            docs.key(command.name.lowercased())
            var map = reply.beginMap()
            map.field("summary", command.summary)
            map.field("since", "0.1.0")
            map.field("group", "gamed")
            map.key("arguments")
            write(command.arguments, to: reply)
            map.end()
        }
        docs.end()
    }

    private func write(_ arguments: [CommandArgument], to reply: ReplyBuffer) {
        reply.append(arrayOf: arguments.count)
        for argument in arguments { write(argument, to: reply) }
    }

    private func write(_ argument: CommandArgument, to reply: ReplyBuffer) {
        let (flags, parts) = (argument.flags, argument.parts)
        var map = reply.beginMap()
        for (key, value) in argument.texts { map.field(key, value) }
        if !flags.isEmpty {
            map.key("flags")
            reply.append(setOf: flags.count)
            // redis-cli insists on simple strings here.
            for flag in flags { reply.append(simple: flag) }
        }
        if !parts.isEmpty {
            map.key("arguments")
            write(parts, to: reply)
        }
        map.end()
    }
}

extension Command {
    /// Its flags in Redis' words.
    fileprivate func words(ofFlags isAboutSession: Bool) -> [String] {
        let words: [(String, Bool)] = [
            ("write", flags.contains(.changes)), ("readonly", isAboutSession && !flags.contains(.changes)),
            ("admin", flags.contains(.isGuarded)), ("pubsub", group == .subscriptions),
            ("no_auth", flags.contains(.beforeAuthentication)), ("loading", !group.isAboutSessions),
        ]
        return words.filter(\.1).map(\.0)
    }
}

extension CommandArgument {
    /// Redis-cli shows the name up to version 7.0, and the display text from 7.2 on.
    fileprivate var texts: [(String, String)] {
        let texts = [("name", name), ("type", typeName)] + (token.map { [("token", $0)] } ?? [])
        return parts.isEmpty ? texts + [("display_text", name)] : texts
    }

    private var typeName: String {
        switch kind {
        // Typed as a number, so that a client does not take a following keyword for it.
        case .value: if case .integer = type { "integer" } else { "string" }
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
