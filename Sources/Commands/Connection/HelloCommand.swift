// HELLO: chooses the version of the protocol.

import Posix
import Memory
import RESP

extension Command {
    static let hello = Command(
        name: "HELLO", group: .connection, needs: .nothing,
        summary: "Chooses the version of the protocol.",
        details: """
            If any part is refused, nothing changes.
            """,
        examples: ["HELLO 3", "HELLO 3 AUTH default 6yRzj0cOcTA4GQzVJ8gYc2qY SETNAME scoreboard"],
        flags: [.beforeAuthentication],
        // HELLO alone shows the connection as it is.
        Form { call throws(CommandError) in
            guard call.client.trust != .unauthenticated else { throw .notAuthenticated }
            return HelloReply(call: call)
        },
        Form(HelloRequest.self))
}

struct HelloRequest: PromptRequest {
    let version: ProtocolVersion
    let login: Login?
    let name: ByteString?

    static let form = CommandForm(
        .required(.choice(["2", "3"]), .protocolVersion),
        .optional(keyword: "AUTH", .required("user", .text), .required("token", .text)) { @Sendable (user, token) in
            Login(user: user, token: token)
        },
        .optional(keyword: "SETNAME", "name", .bytes)
    ) { HelloRequest(version: $0, login: $1, name: $2) }
    static var command: Command { .hello }

    func run(_ call: Call) throws(CommandError) -> HelloReply {
        guard login != nil || call.client.trust != .unauthenticated else { throw .notAuthenticated }
        // A refused HELLO changes nothing, so the name is checked before the login.
        if let name { try call.checkClientName(name) }
        if let login { try call.authenticate(login) }
        if let name { call.client.name = name.text }
        call.client.output.protocolVersion = version
        return HelloReply(call: call)
    }
}

extension WordParser<ProtocolVersion> {
    fileprivate static let protocolVersion = WordParser(type: .integer(from: 2)) { word, _ throws(CommandError) in
        guard let version = word.integer.flatMap(ProtocolVersion.init) else {
            throw CommandError(.noProtocol, "unsupported protocol version")
        }
        return version
    }
}

/// The connection as it is when the reply is written, at once.
struct HelloReply: MapValue {
    let call: Call

    func write(to map: inout MapWriter) {
        map.field("server", "gamed")
        map.field("version", gamedVersion)
        map.field("proto", call.client.output.protocolVersion.rawValue)
        map.field("id", call.client.id)
        map.field("mode", call.host.cluster != nil ? "cluster" : "standalone")
        map.field("role", "master")
        map.field("modules", [String]())
    }
}
