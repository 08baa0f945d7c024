// HELLO: chooses the version of the protocol.

import Installation
import RESP

extension Command {
    static let hello: Command = Command(
        name: "HELLO", group: .connection, needs: .nothing,
        syntax: "HELLO [2|3 [AUTH user token] [SETNAME name]]",
        summary: "Chooses the version of the protocol.",
        details: """
            If any part is refused, the version stays as it was.
            """,
        examples: ["HELLO 3", "HELLO 3 AUTH default 6yRzj0cOcTA4GQzVJ8gYc2qY SETNAME scoreboard"],
        words: 1...7, flags: [.beforeAuthentication]
    ) { call throws(CommandError) in
        let greeting = try Greeting(call)
        if let login = greeting.login { try call.authenticate(user: login.user, login.token) }
        guard call.client.trust != .stranger else { throw .notAuthenticated }
        if let index = greeting.nameIndex { try call.nameClient(index) }
        if let version = greeting.version { call.reply.protocolVersion = version }
        answer(call)
    }

    private static func answer(_ call: Call) {
        var map = call.reply.beginMap()
        map.field("server", "gamed")
        map.field("version", gamedVersion)
        map.field("proto", call.reply.protocolVersion.rawValue)
        map.field("id", call.client.id)
        map.field("mode", call.host.cluster == nil ? "standalone" : "cluster")
        map.field("role", "master")
        map.field("modules", [])
        map.end()
    }
}

/// HELLO's arguments, parsed completely before any of them takes effect.
private struct Greeting {
    private(set) var version: ProtocolVersion?
    private(set) var login: (user: Argument, token: Argument)?
    /// The index of the name.
    private(set) var nameIndex: Int?

    init(_ call: Call) throws(CommandError) {
        guard call.count > 1 else { return }
        version = call.arguments[1].integer.flatMap(ProtocolVersion.init)
        guard version != nil else { throw CommandError(.noProtocol, "unsupported protocol version") }
        var index = 2
        while index < call.count {
            if call.arguments[index].isWord("AUTH"), index + 2 < call.count {
                login = (call.arguments[index + 1], call.arguments[index + 2])
                index += 3
            } else if call.arguments[index].isWord("SETNAME"), index + 1 < call.count {
                nameIndex = index + 1
                index += 2
            } else {
                throw .syntax(call.command.syntax)
            }
        }
    }
}
