// A node that joins a cluster redirects the clients that reach it.

import Foundation
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A node that joins a cluster` {
    @Test func `A new node redirects clients at once if their shards stay where they are`() throws {
        let cluster = try TestCluster([:])
        try cluster.start("b")
        try cluster.begin("a")
        let node = try cluster.node("a")
        try #require(node.waitUntilReplying(), "\(node.errors)")
        let names = (0..<32).map { "room\($0)" }
        var codes: [String: Set<String>] = [:]
        let isKnown = try eventually {
            for name in names {
                if let code = try node.answer("STATE", name).code?.text { codes[name, default: []].insert(code) }
            }
            // The node redirects clients, or has the shard itself by now.
            return names.allSatisfy { codes[$0]?.isDisjoint(with: ["MOVED", "NOSESSION"]) == false } && cluster.areSharedOut
        }
        #expect(isKnown, "\(codes)")
        try cluster.settle()
        let others = try names.filter { try cluster.owner($0) == "b" }
        #expect(!others.isEmpty && others.count < names.count)
        for name in others {
            let seen = codes[name] ?? []
            #expect(seen.contains("MOVED") && !seen.contains("TRYAGAIN"), "\(name): \(seen)")
        }
    }

    /// Formerly each node made such sessions, which hid the owner's once their shards came to it.
    @Test func `A session of --session is created by its owner alone, and survives a move to a node with the same option`()
        throws
    {
        let names = (0..<16).map { "room\($0)" }
        let cluster = try TestCluster([:], options: names.flatMap { ["--session", "\($0)=turns"] })
        try cluster.start("a")
        try cluster.begin("b")
        try cluster.settle()
        let (a, b) = (try cluster.node("a"), try cluster.node("b"))
        let listed = try [a, b].flatMap {
            try $0.answer("SESSIONS", "0", "COUNT", "1000").list.last?.list.compactMap(\.text) ?? []
        }
        #expect(listed.sorted() == names.sorted())
        let mine = try names.filter { try cluster.owner($0) == "a" }
        try #require(!mine.isEmpty)
        for name in mine { try cluster.ask("FORCE", name, "second") }
        cluster.stop("a")
        try cluster.settle()
        for name in mine { #expect(try cluster.ask("STATE", name)["state"]?.text == "second", "\(name)") }
    }

    /// Formerly a node that joined others owned nothing yet, and created none.
    @Test func `A session of --session that a running cluster lacks is created by a node that starts and gets its shard`()
        throws
    {
        let names = (0..<16).map { "room\($0)" }
        let cluster = try TestCluster([:])
        try cluster.start("a")
        try cluster.begin("b", ["GAMED_SESSION": names.map { "\($0)=turns" }.joined(separator: " ")])
        try cluster.settle()
        let node = try cluster.node("b")
        let here = try names.filter { try cluster.owner($0) == "b" }
        try #require(!here.isEmpty && here.count < names.count)
        #expect(eventually { (try? node.answer("SESSIONS", "0", "COUNT", "1000").list.last?.list.count) == here.count })
        for name in names {
            let answer = try cluster.ask("STATE", name)
            #expect(answer.code == (here.contains(name) ? nil : .noSession), "\(name): \(answer)")
        }
    }

    @Test func `A node whose start fails after it has joined hands its shards over before it ends`() throws {
        let cluster = try TestCluster([:])
        try cluster.start("a")
        let failing = try cluster.startNode(
            "b", at: cluster.server.uri(cluster.database), ["GAMED_BLUETOOTH": cluster.folder.path + "/missing.json5"])
        let (errors, status) = failing.waitForEnd()
        #expect(status != 0 && errors.contains("missing.json5"), "\(errors)")
        #expect(try cluster.server.ask("SELECT count(*) FROM node WHERE ended IS NULL", in: cluster.database) == "1")
        let left = "SELECT count(*) FROM node WHERE standing->>'leaving' = 'true'"
        #expect(try cluster.server.ask(left, in: cluster.database) == "1", "others would count it as a crash")
        try cluster.settle()
    }

    @Test func `A node that the database refuses logs the reason once, and clients get it`() throws {
        let cluster = try TestCluster([:])
        let role = "reads_\(cluster.database)"
        for statement in [
            "CREATE ROLE \(role) LOGIN PASSWORD 'crocodile'", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)",
        ] { _ = try cluster.server.ask(statement, in: cluster.database) }
        let store = "postgres://\(role):crocodile@127.0.0.1:\(cluster.server.port)/\(cluster.database)"
        let node = try cluster.startNode("a", at: store)
        let reason = "permission denied for table cluster"
        #expect(node.complains("error: cannot serve sessions: the database: \(reason)"), "\(node.errors)")
        #expect(eventually { (try? node.answer("STATE", "room").sentence?.contains(reason)) == true })
        _ = try cluster.server.ask(
            "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)", in: cluster.database)
        #expect(node.complains("notice: sessions are served again"), "\(node.errors)")
        #expect(node.errors.components(separatedBy: "cannot serve sessions").count == 2, "\(node.errors)")
        #expect(node.stop() == 0, "\(node.errors)")
    }

    @Test func `UNDROP restores no session whose shard has been at another node since the DROP`() throws {
        let names = (0..<16).map { "room\($0)" }
        let cluster = try TestCluster([:], options: ["--limit", "undo-ms=600000"])
        try cluster.start("a")
        let node = try cluster.node("a")
        for name in names {
            try cluster.ask("NEW", name, "turns")
            try cluster.ask("DROP", name)
        }
        try cluster.begin("b")
        try cluster.settle()
        let moved = try names.filter { try cluster.owner($0) == "b" }
        try #require(!moved.isEmpty && moved.count < names.count)
        cluster.stop("b")
        try cluster.settle()
        for name in names {
            let answer = try cluster.ask("UNDROP", name)
            #expect(answer.code == (moved.contains(name) ? .noSession : nil), "\(name): \(answer)")
        }
        #expect(try node.answer("SESSIONS").list.last?.list.count == names.count - moved.count)
    }

    @Test func `A device whose session is at another node is logged with that node`() throws {
        let folder = try Folder()
        let devices = """
            { "devices": [{ "name": "button", "address": "C0:FF:EE:00:00:01", "kind": "button", "connected": true,
              "values": { "pressed": "01" },
              "events": [{ "on": "notification", "attribute": "0x002A", "value": "pressed", "session": "hall", "event": "pass" }] }] }
            """
        try devices.write(toFile: folder.path + "/devices.json5", atomically: true, encoding: .utf8)
        let cluster = try TestCluster([:], options: ["--bluetooth", folder.path + "/devices.json5"])
        try cluster.start("a", "b")
        for name in ["a", "b"] { try #require(try cluster.node(name).waitUntilUp()) }
        try cluster.ask("NEW", "hall", "turns")
        let owner = try cluster.owner("hall")
        let other = try cluster.node(owner == "a" ? "b" : "a")
        let refused = try other.answer("BLUETOOTH", "NOTIFY", "button")
        #expect(refused.integer == 0, "\(refused)")
        #expect(
            eventually { other.errors.contains("to the session 'hall', which is not at this node (MOVED ") }, "\(other.errors)")
        let answer = try cluster.node(owner).answer("BLUETOOTH", "NOTIFY", "button")
        #expect(answer.integer == 1, "\(answer)")
    }

    @Test func `Sessions that come from another node count against the quota of the token that created them`() throws {
        let folder = try Folder()
        let digest = "83af97f6ae46a97c4257353b25149607fd755d2a6ac55a06cf25a7b2b7416c8d"
        try "room7 master quota-sessions=16 sha256=\(digest)\n".write(
            toFile: folder.path + "/tokens", atomically: true, encoding: .utf8)
        chmod(folder.path + "/tokens", 0o600)
        let cluster = try TestCluster([:], options: ["--token-file", folder.path + "/tokens", "--listen", "127.0.0.1:0"])
        try cluster.start("a")
        let client = try networkClient(of: cluster.node("a"))
        #expect(try client.ask("AUTH room7.a-token-of-the-quota-test").text == "OK")
        for number in 0..<16 { #expect(try client.ask("NEW room\(number) turns").text == "first") }
        try cluster.begin("b")
        try cluster.settle()
        cluster.stop("a")
        try cluster.settle()
        let other = try networkClient(of: cluster.node("b"))
        #expect(try other.ask("AUTH room7.a-token-of-the-quota-test").text == "OK")
        #expect(try other.ask("NEW one-more turns").code?.text == "QUOTA")
        #expect(try other.ask("DROP room0").integer == 1)
        #expect(try other.ask("NEW one-more turns").text == "first")
    }
    private func networkClient(of node: RunningDaemon) throws -> TestClient {
        try #require(node.waitUntilUp(), "\(node.errors)")
        let port = node.said.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) }
        return try TestClient(port: try #require(port, "\(node.said)"))
    }
}
