// A database that goes back in time, such as one that fails over to a replica that is seconds behind.

import Foundation
import PostgresServer
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A database that goes back in time` {
    private static let tally = """
        { id: "tally", initial: "on", context: { n: 0 }, states: { on: { on: { go: { actions: { assign: { n: "n + 1" } } } } } } }
        """

    private func cluster() throws -> TestCluster {
        let cluster = try TestCluster(["tally": Self.tally], on: try PostgresServer(fsync: false))
        try cluster.start("a", "b")
        return cluster
    }

    /// Copies the database's files, to which it goes back later.
    private func copyFiles(of cluster: TestCluster) throws {
        try cluster.server.stop()
        try cluster.server.copyFiles()
        try cluster.server.start()
    }

    /// Three events of each session. A node that has not found the database again answers that their outcome is unknown: with an id they may be
    /// repeated.
    private func acknowledgeThree(of names: [String], in cluster: TestCluster) throws {
        for name in names {
            for id in ["1", "2", "3"] {
                let isAcknowledged = try eventually { try !cluster.ask("SEND", name, "go", "ID", id).isError }
                #expect(isAcknowledged, "\(cluster.errors)")
            }
        }
    }

    @Test func `A database that goes back in time gets all acknowledged sessions and history again`() throws {
        let cluster = try cluster()
        for number in 0..<8 { try cluster.ask("NEW", "old\(number)", "tally") }
        try copyFiles(of: cluster)
        try acknowledgeThree(of: (0..<8).map { "old\($0)" }, in: cluster)
        for number in 0..<8 { try cluster.ask("NEW", "new\(number)", "tally") }
        try cluster.ask("DROP", "old7")
        try cluster.server.goBack()
        for number in 0..<7 { #expect(cluster.becomes(3, "n", of: "old\(number)")) }
        // Its outcome is unknown if the shard is loaded again meanwhile; with an id it may be repeated.
        #expect(try eventually { try cluster.ask("SEND", "old0", "go", "ID", "once").text == "on" }, "\(cluster.errors)")
        let isWarned = eventually {
            cluster.nodes.values.contains { $0.errors.contains("the database has gone back in time") }
        }
        #expect(isWarned)

        for name in ["a", "b"] { cluster.stop(name) }
        try cluster.start("c")
        #expect(cluster.becomes(4, "n", of: "old0"))
        for number in 1..<7 { #expect(cluster.becomes(3, "n", of: "old\(number)")) }
        for number in 0..<8 { #expect(cluster.becomes(0, "n", of: "new\(number)")) }
        #expect(try cluster.ask("STATE", "old7").code == .noSession)
        let lines = try cluster.server.ask("SELECT count(*) FROM history WHERE name = 'old1'", in: cluster.database)
        #expect(lines == "4", "its beginning and three events")
    }

    @Test(arguments: [0, 200, 500, 900, 1_300, 1_800])
    func `A node that stops soon after its database went back in time loses no acknowledged event`(delay: Int) throws {
        let cluster = try cluster()
        for number in 0..<8 { try cluster.ask("NEW", "room\(number)", "tally") }
        try copyFiles(of: cluster)
        try acknowledgeThree(of: (0..<8).map { "room\($0)" }, in: cluster)
        try cluster.server.goBack()
        Thread.sleep(forTimeInterval: Double(delay) / 1_000)
        let nodes = cluster.nodes
        for name in ["a", "b"] { cluster.stop(name) }
        try cluster.start("c")
        for number in 0..<8 {
            let n = try cluster.value("n", of: "room\(number)")
            #expect(n == 3, "room\(number): \(nodes.map { "\($0.key):\n\($0.value.errors)" }.joined())\n\(cluster.errors)")
        }
    }

    @Test func `A node that the database has forgotten keeps its shards and their acknowledged events`() throws {
        let cluster = try cluster()
        for number in 0..<8 { try cluster.ask("NEW", "room\(number)", "tally") }
        try copyFiles(of: cluster)
        try cluster.start("c")
        let shares = "SELECT count(DISTINCT owner) FROM shard"
        #expect(try eventually { try cluster.server.ask(shares, in: cluster.database) == "3" })
        try acknowledgeThree(of: (0..<8).map { "room\($0)" }, in: cluster)
        try cluster.server.goBack()
        for number in 0..<8 { #expect(cluster.becomes(3, "n", of: "room\(number)"), "\(cluster.errors)") }
        #expect(try eventually { try cluster.server.ask(shares, in: cluster.database) == "3" })
        let losses = cluster.nodes.values.filter { $0.errors.contains("older than what was acknowledged") }
        #expect(losses.isEmpty)
    }

    /// The sender's node writes its messages again, and the receiver's has applied them. Their shards have different owners.
    @Test func `Messages between nodes that the database has lost are neither lost nor doubled`() throws {
        let cluster = try TestCluster(callerFlows, on: try PostgresServer(fsync: false))
        try cluster.start("a", "b")
        let (ann, bob) = try twoCallers(cluster)
        try copyFiles(of: cluster)
        for id in (0..<20).map({ "\($0)" }) {
            for name in [ann, bob] {
                #expect(try eventually { try !cluster.ask("SEND", name, "go", "ID", id).isError }, "\(cluster.errors)")
            }
        }
        for name in [ann, bob] { #expect(cluster.becomes(20, "hits", of: name)) }
        try cluster.server.goBack()
        for (sender, receiver) in [(ann, bob), (bob, ann)] {
            #expect(try eventually { try !cluster.ask("SEND", sender, "go", "ID", "last").isError }, "\(cluster.errors)")
            #expect(cluster.becomes(21, "hits", of: receiver))
        }
        #expect(try eventually { try cluster.waiting() == "0" })
        for name in [ann, bob] {
            #expect(try cluster.value("hits", of: name) == 21 && cluster.value("disorder", of: name) == 0)
        }
    }

    @Test func `A database that goes back in time under load loses no acknowledged event`() throws {
        let (cluster, names, tallies) = try clusterUnderLoad()
        try cluster.server.goBack()
        let before = names.map { tallies[$0].acknowledged }
        #expect(eventually { zip(names, before).allSatisfy { tallies[$0].acknowledged > $1 } })
        tallies.end()
        #expect(eventually { tallies.haveEnded })
        for name in ["a", "b"] { cluster.stop(name) }
        try check(tallies, of: names, in: cluster)
    }

    /// Some commits are under way when the connection ends: their outcome is unknown.
    @Test(arguments: [60, 240, 360, 600])
    func `Nodes that stop under load soon after their database went back in time lose no acknowledged event`(delay: Int) throws
    {
        let (cluster, names, tallies) = try clusterUnderLoad()
        try cluster.server.goBack()
        Thread.sleep(forTimeInterval: Double(delay) / 1_000)
        for name in ["a", "b"] { cluster.stop(name) }
        tallies.end()
        #expect(eventually { tallies.haveEnded })
        try check(tallies, of: names, in: cluster)
    }

    /// Clients send events all the time. The database can go back to the time before them.
    private func clusterUnderLoad() throws -> (TestCluster, names: [String], Tallies) {
        let cluster = try cluster()
        let names = (0..<8).map { "room\($0)" }
        for name in names { try cluster.ask("NEW", name, "tally") }
        try copyFiles(of: cluster)
        let tallies = Tallies()
        // Only the players ask the nodes until they have finished.
        nonisolated(unsafe) let nodes = Array(cluster.nodes.values)
        Thread {
            while !tallies.isOver { for name in names { tallies.count(name, Self.play(name, nodes)) } }
            tallies.finish()
        }.start()
        #expect(eventually { names.allSatisfy { tallies[$0].acknowledged > 20 } })
        return (cluster, names, tallies)
    }

    private func check(_ tallies: Tallies, of names: [String], in cluster: TestCluster) throws {
        try cluster.start("c")
        for name in names {
            let (n, count) = (try cluster.value("n", of: name) ?? -1, tallies[name])
            let isRight = (count.acknowledged...count.acknowledged + count.unknown).contains(n)
            #expect(isRight, "\(name) has \(n), and not \(count); \(cluster.errors)")
        }
    }

    private enum Outcome { case acknowledged, unknown, refused }

    private static func play(_ name: String, _ nodes: [RunningDaemon]) -> Outcome {
        for node in nodes {
            guard let answer = try? node.answer("SEND", name, "go") else { return .unknown }
            if !answer.isError { return .acknowledged }
            if answer.code == .unknown { return .unknown }
        }
        return .refused
    }

    /// Counts the outcomes of each session's events.
    private final class Tallies: Sendable {
        struct Tally: Equatable { var (acknowledged, unknown) = (0, 0) }

        private let state = Mutex((tallies: [String: Tally](), isOver: false, haveEnded: false))

        var isOver: Bool { state.withLock { $0.isOver } }
        var haveEnded: Bool { state.withLock { $0.haveEnded } }

        subscript(name: String) -> Tally { state.withLock { $0.tallies[name] ?? Tally() } }

        func end() { state.withLock { $0.isOver = true } }

        func finish() { state.withLock { $0.haveEnded = true } }

        func count(_ name: String, _ outcome: Outcome) {
            state.withLock { state in
                switch outcome {
                case .acknowledged: state.tallies[name, default: Tally()].acknowledged += 1
                case .unknown: state.tallies[name, default: Tally()].unknown += 1
                case .refused: break
                }
            }
        }
    }
}
