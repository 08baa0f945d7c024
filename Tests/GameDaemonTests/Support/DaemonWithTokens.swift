// A daemon with tokens, and clients that log in with them.

import Testing
import Timers
@testable import Commands
@testable import GameDaemon
@testable import Logging
@testable import Network

/// The secret of each token is its name, repeated and reversed.
final class DaemonWithTokens {
    let stepped: SteppedDaemon
    private(set) var lines: [String] = []

    init(_ tokens: String...) throws {
        let log = Lines()
        stepped = try SteppedDaemon(
            tokens: TokenTable(try tokens.map(Self.line)),
            log: Log(level: .notice, style: .dated) {
                log.texts.append(String(decoding: $0, as: UTF8.self)); return true
            })
        self.log = log
        for name in ["room-7-a", "room-7-b", "room-70", "lobby"] { try stepped.daemon.begin(name, flow: "turns") }
    }

    private final class Lines { var texts: [String] = [] }
    private let log: Lines
    var logged: [String] { log.texts }

    static func secret(_ id: String) -> String { String(String(repeating: id + "-", count: 16).reversed()) }

    /// Parses a line such as `room7 play sessions=room-7-*`, with the digest of its token's secret added.
    static func line(_ text: String) throws -> TokenLine {
        let id = String(text.prefix { $0 != " " })
        let digest = try TokenLine(id: id, role: .read, secret: secret(id)).digest
        return try TokenLine(parsing: "\(text) sha256=\(digest.hexadecimal)"[...])
    }

    /// Returns the reply to each line, sent by a client that has logged in with this token.
    func answers(_ id: String, _ lines: String...) throws -> [String] {
        let client = try stepped.connect(at: .tcp)
        client.send("AUTH \(id).\(Self.secret(id))\r\n")
        try stepped.turn(2)
        #expect(client.read() == "+OK\r\n")
        return try lines.map { line in
            client.send(line + "\r\n")
            try stepped.turn(2)
            return client.read() ?? ""
        }
    }
}
