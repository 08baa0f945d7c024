// A node is stopped while its database does not respond: its log and its exit status report what is not done.

import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A node that stops while its database hangs` {
    private static let toggle = #"{ id: "toggle", initial: "on", states: { on: { on: { go: "on" } } } }"#

    @Test(arguments: ["always", "everysec"])
    func `A node without its database logs the shards that it keeps, and ends with 74 only if acknowledged changes may be lost`(
        durability: String
    ) throws {
        let cluster = try TestCluster(["toggle": Self.toggle], environment: ["GAMED_DURABILITY": durability])
        let proxy = try Proxy(to: cluster.server.port)
        try cluster.begin("a", through: proxy)
        try cluster.settle()
        try cluster.ask("NEW", "room", "toggle")
        let node = try cluster.node("a")
        cluster.forget("a")
        proxy.set(.toServer, .hold(after: 0))
        defer { proxy.pass() }
        let client = try node.client()
        client.send(["SEND room go"])
        let isLossy = durability == "everysec"
        if isLossy {
            #expect(try client.next().text == "on")
        } else {
            #expect(!client.hasInput(within: 500), "it is not committed")
        }
        let began = ContinuousClock.now
        #expect(node.stop() == (isLossy ? 74 : 0), "\(node.errors)")
        #expect(ContinuousClock.now - began < .seconds(22), "it takes 17 s at most, and some for a busy machine")
        #expect(node.errors.contains("cannot hand over 8 shards: "), "\(node.errors)")
        #expect(node.errors.contains("; changes of 1 shard ("), "\(node.errors)")
        let loss = isLossy ? "that were acknowledged and not written may be lost" : "that were not acknowledged are not written"
        #expect(node.errors.contains(loss), "\(node.errors)")
    }
}
