// CLIENT: about connections.

import GameFlow
import Memory
import RESP
import Texts

extension Command {
    package static let client = Command(
        name: "CLIENT", group: .connection, needs: .nothing,
        summary: "Shows and names this connection, and lists the others.",
        details: """
            LIST shows all connections to a master, and only its own to any other client. The field `sessions` has the \
            patterns of a client that may access only some sessions. No subcommand changes another \
            connection. SOURCE sets the source of this connection's later events: a user interface, the network, or an \
            orchestrator, which performs the work of a state and reports its result. Requires an orchestrator or a master; \
            RESET ends it, and so does AUTH with a token that may not use it.
            """,
        examples: ["CLIENT ID", "CLIENT SETNAME scoreboard", "CLIENT SOURCE orchestrator"],
        Form(word: "ID") { call in call.client.id },
        Form(word: "GETNAME") { call in call.client.name.isEmpty ? nil : call.client.name },
        Form(word: "SETNAME", .required("name", .bytes)) { call, name throws(CommandError) in
            try call.nameClient(name)
            return EncodedReply.ok
        },
        // Sent by clients of Redis, and without effect here, as are the last two.
        Form(word: "SETINFO", .required("attribute", .text), .required("value", .text)) { _, _, _ in EncodedReply.ok },
        Form(word: "INFO") { call in VerbatimText(call.client.line + "\n") },
        Form(ClientListRequest.self),
        Form(ClientSourceRequest.self),
        Form(word: "NO-EVICT", .required("on", .text)) { _, _ in EncodedReply.ok },
        Form(word: "NO-TOUCH", .required("on", .text)) { _, _ in EncodedReply.ok })
}

/// Lists all clients for a master; for others, only the client itself.
struct ClientListRequest: CommandRequest {
    static let form = CommandForm(word: "LIST") { ClientListRequest() }
    static var command: Command { .client }

    func answer(to call: Call) throws(CommandError) -> CommandAnswer<VerbatimText> {
        guard call.client.grant.has(.administers), let clients = call.host.clients else {
            return .now(VerbatimText(call.client.line + "\n"))
        }
        let listing = ClientListing(of: clients)
        guard let turns = call.host.turns, call.client.canAwaitAnswers else { return .now(listing.finished) }
        // A later slice does not delay the other clients.
        if listing.advance(turns) { return .now(listing.finished) }
        return .later(PendingValue { listing.run(turns, $0) })
    }
}

/// A list of clients that is written in slices, as far as each turn's budget allows: for 10,000 clients it takes 0.1 s.
private final class ClientListing {
    /// Pieces of a turn that the line of one client counts as.
    private static let pieces = 4

    private unowned let clients: any ClientList
    private var rest: ArraySlice<Int>
    private var text = ""

    init(of clients: any ClientList) {
        self.clients = clients
        rest = clients.ids[...]
    }

    /// Clients that disconnect meanwhile are left out.
    private func addLine() {
        if let client = rest.popFirst().flatMap(clients.client) { text += client.line + "\n" }
    }

    /// The whole list, at once.
    var finished: VerbatimText {
        while !rest.isEmpty { addLine() }
        return VerbatimText(text)
    }

    /// Returns true at the end of the list.
    func advance(_ turns: any TurnBudget) -> Bool {
        repeat {
            addLine()
            turns.charge(pieces: Self.pieces)
        } while !rest.isEmpty && !turns.isBudgetExhausted
        return rest.isEmpty
    }

    func run(_ turns: any TurnBudget, _ answer: @escaping (Result<VerbatimText, CommandError>) -> Void) {
        turns.schedule { [self] in
            if advance(turns) { answer(.success(finished)) } else { run(turns, answer) }
        }
    }
}

package struct ClientSourceRequest: PromptRequest {
    package let source: EventSource

    package static let form = CommandForm(
        word: "SOURCE", needs: .orchestrates,
        .required(
            .choice(EventSource.ofClients.map(\.name), summary: "the source; over HTTP, default ui", member: "source"),
            .clientSource)
    ) { ClientSourceRequest(source: $0) }
    package static var command: Command { .client }

    package func run(_ call: Call) throws(CommandError) -> EncodedReply {
        call.source = source
        return .ok
    }
}

extension WordParser<EventSource> {
    fileprivate static let clientSource = WordParser(type: .choice(EventSource.ofClients.map(\.name))) {
        name throws(CommandError) in
        if let source = EventSource.ofClients.first(where: { $0.name == name.lowercased() }) { return source }
        throw CommandError(.generic, "events are of a source ui, network or orchestrator, not '\(name.shortened)'")
    }
}

extension Client {
    /// As CLIENT LIST shows it: clients of Redis read names and values around one sign.
    fileprivate var line: String {
        "id=\(id) addr=\(address.replacing("=", with: ":")) name=\(name) resp=\(output.protocolVersion.rawValue) sub=\(names(of: .channel).count) "
            + "psub=\(names(of: .pattern).count) ssub=\(names(of: .sharded).count) obl=\(output.count) standing=\(trust) "
            + "user=\(actor ?? grant.name) role=\(grant.role?.rawValue ?? "none") source=\(call.source.name)"
            + (grant.scope.map { " sessions=\($0.description.replacing("=", with: ":"))" } ?? "")
    }
}

extension Call {
    func nameClient(_ name: ByteString) throws(CommandError) {
        try checkClientName(name)
        client.name = name.text
    }

    /// Throws unless the name is printable ASCII without blanks, and not too long.
    func checkClientName(_ name: ByteString) throws(CommandError) {
        let longest = host.limits.nameLength
        guard name.count <= longest else {
            throw .limit(\.nameLength, "a client's name has at most \(longest) bytes, not \(name.count)")
        }
        guard name.withBytes({ $0.allSatisfy { (0x21...0x7e).contains($0) } }) else {
            throw CommandError(.generic, "Client names cannot contain spaces, newlines or special characters.")
        }
    }
}
