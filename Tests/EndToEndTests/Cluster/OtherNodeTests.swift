// gamectl with a daemon that redirects it to another node.

import TestSupport
import Testing

@Suite struct `gamectl on the session of another node` {
    private let folder: Folder
    private let node: TcpDaemon
    private let stub: StubDaemon
    private var address: String { "127.0.0.1:\(node.port)" }

    init() throws {
        (folder, node) = (try Folder(), try TcpDaemon(token: TcpDaemon.token, ["--session", "room=turns"]))
        stub = try StubDaemon(at: folder.socket, views: [:], elsewhere: "127.0.0.1:\(node.port)")
    }

    private func gamectl(_ words: String...) throws -> Program {
        try Program(gamectlPath, ["--socket", folder.socket] + words)
    }

    @Test func `gamectl reports that the other node requires a token, and how to give one`() throws {
        defer { stub.leave() }
        let found = try gamectl("state", "room")
        #expect(
            found.errors
                == "gamectl: NOAUTH \(folder.socket) names the node \(address), which requires a token: give one that all nodes accept, with --token-file FILE or in GAMED_TOKEN, or run gamectl on that node's machine\n",
            "\(found)")
        #expect(found.status == 1)
    }

    @Test func `gamectl reports that the other node does not know the token`() throws {
        defer { stub.leave() }
        let found = try gamectl("--token", "wrong", "state", "room")
        #expect(found.errors.contains("names the node \(address): the token of --token was refused: "), "\(found)")
        #expect(found.errors.contains("give all nodes the same --token-file"), "\(found)")
    }

    @Test func `gamectl shows another node's session with a token that both nodes accept`() throws {
        defer { stub.leave() }
        let found = try gamectl("--token", TcpDaemon.token, "state", "room")
        #expect(found.status == 0 && found.output.contains("flow     turns"), "\(found)")
    }
}
