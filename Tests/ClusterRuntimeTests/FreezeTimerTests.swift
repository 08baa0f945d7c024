// Timers with the restart policy `freeze`, in shards that move between running nodes.

import Foundation
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `Freeze timers of shards that move` {
    private static let flow = """
        { id: "f", initial: "on", states: { off: {}, on: { after: {
            "10m": { name: "t", restart: "freeze", target: "off" } } } } }
        """

    /// The remaining times of the sessions' timers, in milliseconds.
    private func left(_ names: [String], in cluster: TestCluster) throws -> [Int] {
        try names.map { try #require(try cluster.ask("TIMERS", $0).list.first?["remaining_ms"]?.integer) }
    }

    @Test func `A freeze timer gets no time back when a node joins, and none when a node stops`() throws {
        let cluster = try TestCluster(["f": Self.flow])
        try cluster.start("a")
        let names = (0..<16).map { "f\($0)" }
        for name in names { try cluster.ask("NEW", name, "f") }
        // The sessions do not change meanwhile.
        sleep(2)
        let before = try left(names, in: cluster)
        try cluster.begin("b")
        try cluster.settle()
        let owners = try names.map { try cluster.owner($0) }
        #expect(Set(owners) == ["a", "b"])
        let joined = try left(names, in: cluster)
        #expect(zip(before, joined).allSatisfy { $0 >= $1 }, "\(before), and then \(joined), of \(owners)")
        cluster.stop("a")
        let stopped = try left(names, in: cluster)
        #expect(zip(joined, stopped).allSatisfy { $0 >= $1 }, "\(joined), and then \(stopped), of \(owners)")
        #expect(stopped.allSatisfy { $0 > 500_000 }, "\(stopped)")
    }
}
