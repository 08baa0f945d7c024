// CLIENT: about connections.

import GameFlow
import RESP
import Texts

extension Command {
    package static let client: Command = Command(
        name: "CLIENT", group: .connection, needs: .nothing,
        syntax:
            "CLIENT ID|GETNAME|SETNAME name|SETINFO attribute value|INFO|LIST|SOURCE ui|network|orchestrator|NO-EVICT on|NO-TOUCH on",
        summary: "Shows and names this connection, and lists the others.",
        details: """
            LIST shows all connections to a master, and only its own to any other client. Nothing here changes another connection. \
            SOURCE says what this connection's events count as from then on: those of a user interface, of the network, or \
            of an orchestrator, which does the work of a state and tells what came of it. Only an orchestrator or a master may; RESET ends it.
            """,
        examples: ["CLIENT ID", "CLIENT SETNAME scoreboard", "CLIENT SOURCE orchestrator"],
        words: 2...8,
        forms: [Form("SOURCE", needs: .orchestrates)]
    ) { call throws(CommandError) in
        let what = call.arguments[1]
        if what.isWord("ID") {
            call.reply.append(integer: call.client.id)
        } else if what.isWord("GETNAME") {
            if call.client.name.isEmpty { call.reply.appendNull() } else { call.reply.append(bulk: call.client.name) }
        } else if what.isWord("SETNAME"), call.count == 3 {
            try call.nameClient(2)
            call.reply.append(.ok)
        } else if what.isWord("SOURCE"), call.count == 3 {
            call.source = try source(call.arguments[2])
            call.reply.append(.ok)
        } else if what.isWord("SETINFO") || what.isWord("NO-EVICT") || what.isWord("NO-TOUCH") {
            call.reply.append(.ok)
        } else if what.isWord("INFO") || what.isWord("LIST") {
            let clients = clients(call, all: what.isWord("LIST"))
            call.takesAsLong(as: clients.count / 8)
            call.reply.append(verbatim: clients.map { $0.line + "\n" }.joined())
        } else {
            throw .syntax(call.command.syntax)
        }
    }

    private static func source(_ word: Argument) throws(CommandError) -> EventSource {
        if word.isWord("UI") { return .ui }
        if word.isWord("NETWORK") { return .network }
        if word.isWord("ORCHESTRATOR") { return .orchestrator }
        throw CommandError(
            .generic, "events are of a source ui, network or orchestrator, not '\(word.repairedText.shortened)'")
    }

    /// All clients for a trusted one; for others, only the client itself.
    private static func clients(_ call: Call, all: Bool) -> [Client] {
        all && call.client.grant.has(.administers) ? call.host.clients?.everybody ?? [call.client] : [call.client]
    }
}

extension Client {
    /// As CLIENT LIST shows it.
    fileprivate var line: String {
        "id=\(id) addr=\(address) name=\(name) resp=\(output.protocolVersion.rawValue) sub=\(channels.count) psub=\(patterns.count) ssub=\(shardedChannels.count) "
            + "obl=\(output.count) standing=\(trust) user=\(actor ?? grant.name) role=\(grant.role?.rawValue ?? "none") source=\(call.source.name)"
    }
}

extension Call {
    /// Names the client, in printable ASCII without blanks.
    func nameClient(_ index: Int) throws(CommandError) {
        let (word, most) = (arguments[index], host.limits.nameLength)
        guard word.count <= most else {
            throw .limit(\.nameLength, "a client's name has \(most) bytes at the most, and not \(word.count)")
        }
        guard word.bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw CommandError(.generic, "Client names cannot contain spaces, newlines or special characters.")
        }
        client.name = text(index)
    }
}
