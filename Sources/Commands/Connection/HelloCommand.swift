// HELLO: the version of the protocol.

import Installation
import RESP

extension Command {
    static let hello: Command = Command(
        name: "HELLO", group: .connection,
        syntax: "HELLO [2|3 [AUTH default token] [SETNAME name]]",
        summary: "Chooses the version of the protocol.",
        details: """
            The version stays as it was if anything of the rest is refused.
            """,
        examples: ["HELLO 3", "HELLO 3 AUTH default 6yRzj0cOcTA4GQzVJ8gYc2qY SETNAME scoreboard"],
        words: 1...7, flags: [.beforeAuthentication]
    ) { call throws(CommandError) in
        let greeting = try Greeting(call)
        if let login = greeting.login { try call.authenticate(user: login.user, login.token) }
        guard call.client.standing != .stranger else { throw .notAuthenticated }
        if let place = greeting.namePlace { try call.nameClient(place) }
        if let version = greeting.version { call.reply.protocolVersion = version }
        answer(call)
    }

    private static func answer(_ call: Call) {
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
}

/// What HELLO was given, understood whole before any of it counts.
private struct Greeting {
    private(set) var version: ProtocolVersion?
    private(set) var login: (user: Argument, token: Argument)?
    /// Which word is the name.
    private(set) var namePlace: Int?

    init(_ call: Call) throws(CommandError) {
        guard call.count > 1 else { return }
        version = call.arguments[1].integer.flatMap(ProtocolVersion.init)
        guard version != nil else { throw CommandError("NOPROTO", "unsupported protocol version") }
        var index = 2
        while index < call.count {
            if call.arguments[index].isWord("AUTH"), index + 2 < call.count {
                login = (call.arguments[index + 1], call.arguments[index + 2])
                index += 3
            } else if call.arguments[index].isWord("SETNAME"), index + 1 < call.count {
                namePlace = index + 1
                index += 2
            } else {
                throw .syntax(call.command.syntax)
            }
        }
    }
}
