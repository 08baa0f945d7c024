// What Redis clients send before and besides the commands that are ours.

import GameFlow
import Glibc
import RESP
import Timers

extension Command {
    static let redisCommands: [Command] = [
        hello, auth, ping, echo, quit, reset, select, clientCommand, config, commandCommand, info,
        subscribe, unsubscribe, psubscribe, punsubscribe,
    ]

    private static let hello: Command = Command(
        name: "HELLO", syntax: "HELLO [2|3 [AUTH user password] [SETNAME name]]",
        summary: "Chooses the version of the protocol.", words: 1...7
    ) { call throws(CommandError) in
        if call.count > 1 {
            guard let version = call.arguments[1].integer.flatMap(ProtocolVersion.init) else {
                throw CommandError("NOPROTO", "unsupported protocol version")
            }
            try greet(call)
            call.reply.protocolVersion = version
        }
        call.reply.append(mapOf: 7)
        for (name, value) in [("server", "gamed"), ("version", gamedVersion)] {
            call.reply.append(bulk: name)
            call.reply.append(bulk: value)
        }
        call.reply.append(bulk: "proto")
        call.reply.append(integer: call.reply.protocolVersion.rawValue)
        call.reply.append(bulk: "id")
        call.reply.append(integer: call.client.id)
        for (name, value) in [("mode", "standalone"), ("role", "master")] {
            call.reply.append(bulk: name)
            call.reply.append(bulk: value)
        }
        call.reply.append(bulk: "modules")
        call.reply.append(arrayOf: 0)
    }

    private static func greet(_ call: Call) throws(CommandError) {
        var index = 2
        while index < call.count {
            if call.arguments[index].isWord("AUTH"), index + 2 < call.count { throw noPassword }
            guard call.arguments[index].isWord("SETNAME"), index + 1 < call.count else { throw .syntax(call.command.syntax) }
            call.client.name = call.text(index + 1)
            index += 2
        }
    }

    private static let noPassword = CommandError(
        "ERR", "this gamed asks for no password: whoever may open its socket may use it")

    private static let auth: Command = Command(
        name: "AUTH", syntax: "AUTH [user] password", summary: "Refused: this gamed asks for no password.", words: 2...3
    ) { call throws(CommandError) in throw noPassword }

    private static let ping: Command = Command(
        name: "PING", syntax: "PING [message]", summary: "PONG, or the message.", words: 1...2, worksWhileSubscribed: true
    ) { call throws(CommandError) in
        if call.client.isSubscribed, call.reply.protocolVersion == .resp2 {
            call.reply.append(arrayOf: 2)
            call.reply.append(bulk: "pong")
            call.reply.append(bulk: call.count > 1 ? call.text(1) : "")
        } else if call.count > 1 {
            call.reply.append(bulk: call.arguments[1])
        } else {
            call.reply.append(.pong)
        }
    }

    private static let echo: Command = Command(
        name: "ECHO", syntax: "ECHO message", summary: "The message.", words: 2...2
    ) { call throws(CommandError) in call.reply.append(bulk: call.arguments[1]) }

    private static let quit: Command = Command(
        name: "QUIT", syntax: "QUIT", summary: "Ends the connection.", words: 1...anyNumber, worksWhileSubscribed: true
    ) { call throws(CommandError) in
        call.reply.append(.ok)
        call.client.closeWhenSent()
    }

    private static let reset: Command = Command(
        name: "RESET", syntax: "RESET", summary: "Puts the connection back to how it began.", words: 1...1,
        worksWhileSubscribed: true
    ) { call throws(CommandError) in
        call.daemon.subscriptions.removeAll(of: call.client)
        call.reply.protocolVersion = .resp2
        call.client.name = ""
        call.reply.append(simple: "RESET")
    }

    private static let select: Command = Command(
        name: "SELECT", syntax: "SELECT 0", summary: "There is one database, 0.", words: 2...2
    ) { call throws(CommandError) in
        guard call.arguments[1].integer == 0 else { throw CommandError("ERR", "there is one database here, 0") }
        call.reply.append(.ok)
    }

    private static let clientCommand: Command = Command(
        name: "CLIENT", syntax: "CLIENT ID|GETNAME|SETNAME name|SETINFO attribute value|INFO|LIST|NO-EVICT on|NO-TOUCH on",
        summary: "About this connection.", words: 2...anyNumber
    ) { call throws(CommandError) in
        let what = call.arguments[1]
        if what.isWord("ID") {
            call.reply.append(integer: call.client.id)
        } else if what.isWord("GETNAME") {
            if call.client.name.isEmpty { call.reply.appendNull() } else { call.reply.append(bulk: call.client.name) }
        } else if what.isWord("SETNAME"), call.count == 3 {
            call.client.name = call.text(2)
            call.reply.append(.ok)
        } else if what.isWord("SETINFO") || what.isWord("NO-EVICT") || what.isWord("NO-TOUCH") {
            call.reply.append(.ok)
        } else if what.isWord("INFO") || what.isWord("LIST") {
            call.reply.append(
                verbatim: "id=\(call.client.id) name=\(call.client.name) resp=\(call.reply.protocolVersion.rawValue)\n")
        } else {
            throw .syntax(call.command.syntax)
        }
    }

    private static let config: Command = Command(
        name: "CONFIG", syntax: "CONFIG GET pattern [pattern …]", summary: "Settings, as far as Redis clients ask for them.",
        words: 2...anyNumber
    ) { call throws(CommandError) in
        guard call.arguments[1].isWord("GET"), call.count > 2 else { throw .syntax(call.command.syntax) }
        let settings = [("save", ""), ("appendonly", "no"), ("databases", "1")]
        let patterns = (2..<call.count).map { Glob(call.text($0)) }
        let found = settings.filter { setting in patterns.contains { $0.matches(setting.0) } }
        call.reply.append(mapOf: found.count)
        for (name, value) in found {
            call.reply.append(bulk: name)
            call.reply.append(bulk: value)
        }
    }

    private static let commandCommand: Command = Command(
        name: "COMMAND", syntax: "COMMAND [COUNT|LIST|INFO [name …]|DOCS [name …]]", summary: "What commands there are.",
        words: 1...anyNumber
    ) { call throws(CommandError) in
        let what = call.count > 1 ? call.arguments[1] : nil
        if what?.isWord("COUNT") == true {
            call.reply.append(integer: CommandTable.all.commands.count)
        } else if what?.isWord("LIST") == true {
            call.reply.append(arrayOf: CommandTable.all.commands.count)
            for command in CommandTable.all.commands { call.reply.append(bulk: command.name.lowercased()) }
        } else if what?.isWord("DOCS") == true {
            CommandDocs.appendDocs(of: named(call), to: call.reply)
        } else if what == nil || what?.isWord("INFO") == true {
            CommandDocs.appendInfo(of: named(call), to: call.reply)
        } else {
            throw .syntax(call.command.syntax)
        }
    }

    /// The commands that are named behind the second word; all of them if none is.
    private static func named(_ call: Call) -> [Command] {
        guard call.count > 2 else { return CommandTable.all.commands }
        return (2..<call.count).compactMap { CommandTable.all[call.text($0)] }
    }

    private static let info: Command = Command(
        name: "INFO", syntax: "INFO [section]", summary: "How the daemon is.", words: 1...anyNumber
    ) { call throws(CommandError) in
        let daemon = call.daemon
        call.reply.append(
            verbatim: """
                # Server\r
                gamed_version:\(gamedVersion)\r
                process_id:\(getpid())\r
                time:\(daemon.virtualClock == nil ? "system" : "virtual")\r
                # Clients\r
                connected_clients:\(daemon.clientCount)\r
                # Sessions\r
                sessions:\(daemon.sessions.count)\r
                armed_timers:\(daemon.timekeeper.armedCount)\r

                """)
    }

    private static let subscribe: Command = Command(
        name: "SUBSCRIBE", syntax: "SUBSCRIBE session:NAME [session:NAME …]",
        summary: "A message in JSON for every change of these sessions.", words: 2...anyNumber, worksWhileSubscribed: true
    ) { call throws(CommandError) in try call.subscribe(.channel, "subscribe") }

    private static let psubscribe: Command = Command(
        name: "PSUBSCRIBE", syntax: "PSUBSCRIBE session:GLOB [session:GLOB …]",
        summary: "A message in JSON for every change of the sessions that match.", words: 2...anyNumber,
        worksWhileSubscribed: true
    ) { call throws(CommandError) in try call.subscribe(.pattern, "psubscribe") }

    private static let unsubscribe: Command = Command(
        name: "UNSUBSCRIBE", syntax: "UNSUBSCRIBE [session:NAME …]", summary: "No more messages of these, or of any.",
        words: 1...anyNumber, worksWhileSubscribed: true
    ) { call throws(CommandError) in call.unsubscribe(.channel, "unsubscribe") }

    private static let punsubscribe: Command = Command(
        name: "PUNSUBSCRIBE", syntax: "PUNSUBSCRIBE [session:GLOB …]", summary: "No more messages of these, or of any.",
        words: 1...anyNumber, worksWhileSubscribed: true
    ) { call throws(CommandError) in call.unsubscribe(.pattern, "punsubscribe") }
}

extension Call {
    fileprivate func subscribe(_ kind: Subscriptions.Kind, _ word: String) throws(CommandError) {
        for index in 1..<count {
            try daemon.subscriptions.add(client, kind, text(index))
            confirm(word, text(index))
        }
    }

    fileprivate func unsubscribe(_ kind: Subscriptions.Kind, _ word: String) {
        let names = count > 1 ? (1..<count).map(text) : daemon.subscriptions.names(of: client, kind)
        for name in names {
            daemon.subscriptions.remove(client, kind, name)
            confirm(word, name)
        }
        if names.isEmpty { confirm(word, nil) }
    }

    private func confirm(_ word: String, _ name: String?) {
        reply.append(pushOf: 3)
        reply.append(bulk: word)
        if let name { reply.append(bulk: name) } else { reply.appendNull() }
        reply.append(integer: daemon.subscriptions.count(of: client))
    }
}
