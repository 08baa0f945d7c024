// HELLO: the version of the protocol.

import RESP

extension Command {
    static let hello: Command = Command(
        name: "HELLO", group: .connection,
        syntax: "HELLO [2|3 [AUTH user password] [SETNAME name]]",
        summary: "Chooses the version of the protocol.",
        examples: ["HELLO 3"],
        words: 1...7, flags: [.beforeAuthentication]
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

    static let noPassword = CommandError(
        "ERR", "this gamed asks for no password: whoever may open its socket may use it")
}
