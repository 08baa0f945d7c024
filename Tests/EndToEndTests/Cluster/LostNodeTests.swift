// Connections of a client that it must not use again.

import TestSupport
import Testing
@testable import Client

@Suite struct `A client whose node has restarted` {
    @Test func `A connection to another node that was closed is made again, not used`() throws {
        let folder = try Folder()
        let (path, otherPath) = (folder.socket, folder.path + "/other.sock")
        let stub = try StubDaemon(at: path, views: [:])
        let old = try StubDaemon(at: otherPath, views: [:])
        let (client, other) = (DaemonClient(at: .socket(path)), DaemonClient(at: .socket(otherPath)))
        client.others["other"] = other
        for each in [client, other] { _ = try each.ask(["PING"]) }
        old.leave()
        let restarted = try StubDaemon(at: otherPath, views: [:])
        defer { for each in [stub, restarted] { each.leave() } }
        client.closeIfLost()
        _ = try other.ask(["PING"])
        #expect(restarted.count(of: "PING") == 1)
    }
}

@Suite struct `A client whose pipeline fails` {
    @Test func `A connection with replies that were not read is not used for the next request`() throws {
        let folder = try Folder()
        let stub = try StubDaemon(at: folder.socket, views: [:], replies: ["CLUSTER": "?\r\n", "PING": "+PONG\r\n"])
        defer { stub.leave() }
        let client = DaemonClient(at: .socket(folder.socket))
        #expect(throws: ControlError.self) { try client.ask(all: [["PING"], ["CLUSTER"], ["NODES"]]) }
        #expect(try client.ask(["PING"]) == .simple("PONG"))
        #expect(stub.count(of: "HELLO") == 2)
    }
}
