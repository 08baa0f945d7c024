// Timers fire in time although the nodes' clocks are days apart: deadlines are stored in the database's time.

import Foundation
import PostgresServer
import TestSupport
import Testing

private func egg(_ seconds: Int) -> String {
    #"{ id: "egg", initial: "cooking", states: { cooking: { after: { "\#(seconds)s": "done" } }, done: {} } }"#
}

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `Nodes whose clocks are two days apart` {
    /// Each node's machine.
    private let clocks: [Faults]
    private let folders: [Folder]

    init() throws {
        folders = try (0..<2).map { _ in try Folder() }
        clocks = try folders.map { try Faults(in: $0) }
        clocks[0].shift(wall: .seconds(86_400))
        clocks[1].shift(wall: .seconds(-86_400), boot: .seconds(5_000))
    }

    /// A cluster in which node `a` is a day ahead, and `b` a day behind.
    private func cluster(_ seconds: Int) throws -> TestCluster {
        let cluster = try TestCluster(["egg": egg(seconds)])
        for (name, clock) in zip(["a", "b"], clocks) { try cluster.begin(name, clock.environment) }
        try cluster.settle()
        return cluster
    }

    /// How long ago, in seconds.
    private static func age(_ beginning: ContinuousClock.Instant) -> Double { beginning.duration(to: .now) / .seconds(1) }

    /// From a node that is ahead to one that is behind, and the reverse.
    @Test(arguments: [("a", "b", true), ("b", "a", false)])
    func `Timers fire in time after a node with another clock takes over`(from: String, to: String, isKilled: Bool) throws {
        // Longer than the lease of a killed node.
        let seconds = isKilled ? 5 : 3
        let cluster = try cluster(seconds)
        let (name, other) = (try cluster.name("egg", on: from), try cluster.name("egg", on: to))
        let beginning = ContinuousClock.now
        for name in [name, other] { try cluster.ask("NEW", name, "egg") }
        let begun = Self.age(beginning)
        let deadlines = try [name, other].compactMap { try cluster.ask("TIMERS", $0).list.first?["deadline_ms"]?.integer }
        #expect(deadlines.count < 2 || abs(deadlines[0] - deadlines[1]) > 47 * 3_600_000, "the clocks are right")
        if isKilled { cluster.kill(from) } else { cluster.stop(from) }
        let before = Self.age(beginning)
        // On a slow machine it has fired already.
        if let remaining = try cluster.ask("TIMERS", name).list.first?["remaining_ms"]?.integer {
            let (least, most) = (Double(seconds) - Self.age(beginning), Double(seconds) - before + begun)
            #expect((least - 0.5...most + 0.5).contains(Double(remaining) / 1_000), "\(remaining) ms, of \(least) to \(most) s")
        }
        for name in [name, other] {
            #expect(eventually { (try? cluster.ask("STATE", name))?["state"]?.text == "done" })
            // Once in a while the machine is busy; a clock would be wrong by days.
            #expect(
                (Double(seconds) - 0.1...25).contains(Self.age(beginning)), "\(name) was done after \(Self.age(beginning)) s")
            #expect(try cluster.ask("STATE", name)["version"]?.integer == 1)
        }
    }
}
