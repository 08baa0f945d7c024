// CLIENT: about a connection.

import RESP

extension Command {
    static let client: Command = Command(
        name: "CLIENT", group: .connection,
        syntax: "CLIENT ID|GETNAME|SETNAME name|SETINFO attribute value|INFO|LIST|NO-EVICT on|NO-TOUCH on",
        summary: "About this connection.",
        examples: ["CLIENT ID", "CLIENT SETNAME scoreboard"],
        words: 2...anyNumber
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
}
