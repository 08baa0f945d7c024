// Timers over nodes whose database replies late.

import Foundation
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A database whose replies are late` {
    private static let egg = #"{ id: "egg", initial: "cooking", states: { cooking: { after: { "4s": "done" } }, done: {} } }"#

    /// Requests arrive at once, so the middle of a round trip is too early by half the delay.
    @Test func `A timer does not fire early on a new owner whose database replies are late`() throws {
        let cluster = try TestCluster(["egg": Self.egg], environment: ["GAMED_DURABILITY": "everysec"])
        let proxies = try (0..<2).map { _ in try Proxy(to: cluster.server.port) }
        for (name, proxy) in zip(["a", "b"], proxies) {
            proxy.delay(.milliseconds(120), .toClient)
            try cluster.begin(name, through: proxy)
        }
        try cluster.settle()
        let names = try ["a", "b"].map { try cluster.name("egg", on: $0) }
        let beginning = ContinuousClock.now
        for name in names { try cluster.ask("NEW", name, "egg") }
        cluster.stop("a")
        for name in names {
            #expect(eventually { (try? cluster.ask("STATE", name))?["state"]?.text == "done" })
            let age = beginning.duration(to: .now)
            #expect(age >= .seconds(4), "\(name) was done after \(age)")
        }
    }
}
