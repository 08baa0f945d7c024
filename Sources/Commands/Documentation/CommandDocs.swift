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
            reply.append(arrayOf: 7)
            reply.append(bulk: command.name.lowercased())
            reply.append(integer: command.arity)
            command.flagWords.write(to: reply)
            for position in command.keys.positions { reply.append(integer: position) }
            // No categories of an ACL. redis-py reads their place with RESP3.
            reply.append(setOf: 0)
        }
    }
}

/// COMMAND DOCS: redis-cli builds its hints from it.
struct CommandDocsReply: MapValue {
    let commands: [Command]

    func write(to map: inout MapWriter) {
        for command in commands { map.field(command.name.lowercased(), command) }
    }
}

extension Command: MapValue {
    package func write(to map: inout MapWriter) {
        map.field("summary", summary)
        map.field("since", "0.1.0")
        map.field("group", "gamed")
        map.field("arguments", arguments)
    }
}

extension CommandArgument: MapValue {
    package func write(to map: inout MapWriter) {
        let flags = (isOptional ? ["optional"] : []) + (isRepeated ? ["multiple"] : [])
        map.field("name", name)
        map.field("type", typeName)
        if let token { map.field("token", token) }
        // Redis-cli shows the name up to version 7.0, and the display text from 7.2 on.
        if parts.isEmpty { map.field("display_text", name) }
        if !flags.isEmpty { map.field("flags", FlagWords(words: flags)) }
        if !parts.isEmpty { map.field("arguments", parts) }
    }
}

/// Simple strings, as Redis writes them: redis-py insists on them.
private struct FlagWords: ReplyValue {
    let words: [String]

    func write(to reply: ReplyBuffer) {
        reply.append(setOf: words.count)
        for word in words { reply.append(simple: word) }
    }
}

extension Command {
    /// Its flags in Redis' words.
    fileprivate var flagWords: FlagWords {
        let words: [(String, Bool)] = [
            ("write", flags.contains(.changes)), ("readonly", keys.areSessions && !flags.contains(.changes)),
            ("admin", flags.contains(.isGuarded)), ("pubsub", group == .subscriptions),
            ("no_auth", flags.contains(.beforeAuthentication)), ("loading", !group.isAboutSessions),
        ]
        return FlagWords(words: words.filter(\.1).map(\.0))
    }
}

extension CommandArgument {
    private var typeName: String {
        switch kind {
        // Typed as a number, so that a client does not take a following keyword for it.
        case .value: if case .integer = type { "integer" } else { "string" }
        case .word: "pure-token"
        case .oneOf: "oneof"
        case .block: "block"
        }
    }

    private var parts: [CommandArgument] {
        switch kind {
        case .value, .word: []
        case .oneOf(let parts), .block(let parts): parts
        }
    }
}
