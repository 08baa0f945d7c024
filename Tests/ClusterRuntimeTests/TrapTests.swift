// A session whose flow traps ends one node, or two if the first cannot report the trap. Tests/TrapProbe has the flows.

import Foundation
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A node that a flow has trapped` {
    /// Its flows trap while the file `gate` exists.
    private static func cluster(gate: String? = nil) throws -> TestCluster {
        var environment = ["SWIFT_BACKTRACE": "enable=no"]
        if let gate { environment["TRAP_WHILE"] = gate }
        return try TestCluster([:], program: "trap-probe", environment: environment)
    }

    /// Waits until a trap has ended this node.
    private static func trap(_ cluster: TestCluster, _ node: String) throws {
        let process = try cluster.node(node)
        #expect((-31..<0).contains(process.waitForStatus()), "a signal ends it")
        cluster.forget(node)
    }

    private static func reason(_ cluster: TestCluster, _ name: String) throws -> String {
        let answer = try cluster.ask("STATE", name)
        return answer.code == .setAside ? answer.sentence ?? "" : "it is not set aside: \(answer)"
    }

    @Test func `A trap ends one node, and its session stays quarantined when the shard moves`() throws {
        let cluster = try Self.cluster()
        try cluster.start("a", "b", "c")
        let (bad, good) = (try cluster.name("bad", on: "a"), try cluster.name("good", on: "a"))
        for name in [bad, good] { try cluster.ask("NEW", name, "trapper") }
        for name in [bad, bad, good] { try cluster.ask("SEND", name, "count") }
        _ = try? cluster.node("a").answer("SEND", bad, "arm")
        try Self.trap(cluster, "a")
        let problem = "'\(bad)' is quarantined: the daemon died while '\(bad)' handled 'burst' of its timer 'fuse'; HISTORY"
        #expect(try Self.reason(cluster, bad).hasPrefix(problem))
        let events = try cluster.ask("HISTORY", bad).list.compactMap { $0["event"]?.text }
        #expect(events.filter { $0 == "count" }.count == 2)
        #expect(try cluster.ask("SEND", good, "count").text == "calm")
        #expect(cluster.nodes.values.allSatisfy { $0.isRunning })
        #expect(try cluster.server.ask("SELECT count(*) FROM trapped", in: cluster.database) == "0")
        let early = "SELECT count(*) FROM node WHERE ended < lease_until"
        #expect(try cluster.server.ask(early, in: cluster.database) == "1", "others had to wait for the end of its lease")
        let owner = try cluster.owner(bad)
        #expect(try cluster.node(owner).errors.contains(problem))
        // The session stays quarantined when its owner stops.
        cluster.stop(owner)
        #expect(try Self.reason(cluster, bad).hasPrefix(problem))
        #expect(try cluster.ask("DROP", bad).integer == 1)
        #expect(try cluster.ask("NEW", bad, "trapper").text == "calm")
        #expect(try cluster.ask("STATE", good)["version"]?.integer == 2)
    }

    @Test func `A trap while a node restores a session or does its work quarantines the session`() throws {
        let folder = try Folder()
        let gate = folder.path + "/gate"
        let cluster = try Self.cluster(gate: gate)
        try cluster.start("a")
        for name in ["{x}a", "{x}b", "{x}c"] { try cluster.ask("NEW", name, "trapper") }
        try cluster.ask("SEND", "{x}a", "enter", "buried")
        try cluster.ask("SEND", "{x}b", "count")
        cluster.stop("a")
        try Data().write(to: URL(fileURLWithPath: gate))
        try cluster.begin("b")
        try Self.trap(cluster, "b")
        try cluster.start("c")
        #expect(try Self.reason(cluster, "{x}a").contains("the daemon died while '{x}a' was being restored; "))
        _ = try? cluster.node("c").answer("SEND", "{x}b", "enter", "working")
        try Self.trap(cluster, "c")
        try cluster.start("d")
        #expect(try Self.reason(cluster, "{x}b").contains("the daemon died while the work of '{x}b' was done; "))
        #expect(try cluster.ask("SESSIONS", "0", "STATE", "!").list.last?.list.count == 2)
        // RETRY of a session that still traps leaves it quarantined.
        _ = try? cluster.node("d").answer("RETRY", "{x}a")
        try Self.trap(cluster, "d")
        try FileManager.default.removeItem(atPath: gate)
        try cluster.start("e")
        #expect(try Self.reason(cluster, "{x}a").contains("the daemon died while '{x}a' was being restored; "))
        try cluster.ask("SEND", "{x}c", "count")
        #expect(try cluster.ask("RETRY", "{x}a").text == "buried")
        cluster.stop("e")
        try cluster.start("f")
        #expect(try cluster.ask("STATE", "{x}a")["data"]?.text == #"{"mine":{"depth":3}}"#)
        #expect(try cluster.ask("STATE", "{x}c")["version"]?.integer == 1)
        #expect(try cluster.ask("HISTORY", "{x}a").list.compactMap { $0["event"]?.text }.contains("enter"))
    }

    @Test func `A trap in a child that a session of another node creates is reported to that session`() throws {
        let cluster = try Self.cluster()
        try cluster.start("a", "b", "c")
        let room = try cluster.name("room", on: "a") { try cluster.owner($0 + "/kid") == "b" }
        let oven = #"{"context":{"minutes":666}}"#
        try cluster.ask("NEW", room, "effects")
        // The second oven of a process traps.
        for node in ["b", "c"] { try cluster.ask("NEW", try cluster.name("oven", on: node), "oven", oven) }
        try cluster.ask("SEND", room, "perform", #"[{"begin":"kid","flow":"oven","context":{"minutes":666}}]"#)
        try Self.trap(cluster, "b")
        let isReported = {
            eventually {
                (try? cluster.ask("STATE", room))?["data"]?.text?.contains("the daemon died while '\(room)/kid' began") == true
            }
        }
        #expect(isReported(), "\((try? cluster.ask("STATE", room)["data"]?.text) ?? "")")
        #expect(try cluster.ask("STATE", room + "/kid").code == .noSession)
        #expect(try eventually { try cluster.waiting() == "0" })
        #expect(cluster.nodes.values.allSatisfy { $0.isRunning })
    }

    @Test func `A trap that a node cannot report ends at most one other node`() throws {
        let cluster = try Self.cluster()
        try cluster.start("a", "b", "c")
        let bad = try cluster.name("bad", on: "a")
        try cluster.ask("NEW", bad, "trapper")
        try cluster.server.ask("ALTER TABLE trapped ADD CONSTRAINT no CHECK (shard < 0)", in: cluster.database)
        _ = try? cluster.node("a").answer("SEND", bad, "arm")
        try Self.trap(cluster, "a")
        try cluster.server.ask("ALTER TABLE trapped DROP CONSTRAINT no", in: cluster.database)
        try #require(eventually { cluster.nodes.values.contains { !$0.isRunning } })
        let second = try #require(cluster.nodes.first { !$0.value.isRunning }?.key)
        cluster.forget(second)
        #expect(try Self.reason(cluster, bad).contains("handled 'burst' of its timer 'fuse'; "))
        #expect(cluster.nodes.count == 1 && cluster.nodes.values.allSatisfy { $0.isRunning })
    }
}
