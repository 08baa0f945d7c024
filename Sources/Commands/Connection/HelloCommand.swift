// HELLO: chooses the version of the protocol.

import Installation
import Memory
import RESP

extension Command {
    static let hello = Command(
        name: "HELLO", group: .connection, needs: .nothing,
        summary: "Chooses the version of the protocol.",
        details: """
            If any part is refused, the version stays as it was.
            """,
        examples: ["HELLO 3", "HELLO 3 AUTH default 6yRzj0cOcTA4GQzVJ8gYc2qY SETNAME scoreboard"],
        flags: [.beforeAuthentication],
        HelloRequest.self)
}

struct HelloRequest: PromptRequest {
    private(set) var version: ProtocolVersion?
    private(set) var login: Login?
    private(set) var name: ByteString?

    static let form = CommandForm(arguments: [argument], words: 0...6) { reader throws(CommandError) in
        try HelloRequest(&reader)
    }
    static var command: Command { .hello }

    private static let argument = CommandArgument(
        "2",
        .block([
            .choice(["2", "3"]), .keyword("AUTH", [CommandArgument("user"), CommandArgument("token")], isOptional: true),
            .keyword("SETNAME", [CommandArgument("name")], isOptional: true),
        ]), isOptional: true)

    /// All of it is read before any of it takes effect.
    private init(_ reader: inout ArgumentReader) throws(CommandError) {
        var words = reader.rest()[...]
        guard let first = words.popFirst() else { return }
        version = first.integer.flatMap(ProtocolVersion.init)
        guard version != nil else { throw CommandError(.noProtocol, "unsupported protocol version") }
        while let word = words.popFirst() {
            if word.isWord("AUTH"), words.count > 1 {
                login = Login(user: words.removeFirst().repairedText, token: words.removeFirst().repairedText)
            } else if word.isWord("SETNAME"), let next = words.popFirst() {
                name = ByteString(next.bytes)
            } else {
                throw .syntax(reader.usage)
            }
        }
    }

    func run(_ call: Call) throws(CommandError) -> HelloReply {
        if let login { try call.authenticate(login) }
        guard call.client.trust != .stranger else { throw .notAuthenticated }
        if let name { try call.nameClient(name) }
        if let version { call.client.output.protocolVersion = version }
        return HelloReply(
            version: call.client.output.protocolVersion, client: call.client.id, isInCluster: call.host.cluster != nil)
    }
}

struct HelloReply: ReplyValue {
    let version: ProtocolVersion
    let client: Int
    let isInCluster: Bool

    func write(to reply: some ReplyWriter) {
        var map = reply.beginMap()
        map.field("server", "gamed")
        map.field("version", gamedVersion)
        map.field("proto", version.rawValue)
        map.field("id", client)
        map.field("mode", isInCluster ? "cluster" : "standalone")
        map.field("role", "master")
        map.field("modules", [String]())
        map.end()
    }
}
