// A node is stopped while its database does not respond: its log and its exit status report what is not done.

import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A node that stops while its database hangs` {
    private static let toggle = #"{ id: "toggle", initial: "on", states: { on: { on: { go: "on" } } } }"#

    private struct Stop {
        /// The reply to an event that the database does not get; nil if there is none within half a second.
        let answer: Answer?
        /// From the moment at which the database hangs to the request to stop.
        let delay: Duration
        let length: Duration
        let status: Int32
        let errors: String

        static let maxLength = Duration.seconds(22)

        /// Whether the machine was so busy that the node's lease of 3 s was over before the stop, or that the stop took too long.
        var isLate: Bool {
            delay > .seconds(2) || length >= Self.maxLength || answer?.code == .clusterDown || answer?.code == .unknown
        }
    }

    private func stop(_ durability: String) throws -> Stop {
        let cluster = try TestCluster(["toggle": Self.toggle], environment: ["GAMED_DURABILITY": durability])
        let proxy = try Proxy(to: cluster.server.port)
        try cluster.begin("a", through: proxy)
        try cluster.settle()
        try cluster.ask("NEW", "room", "toggle")
        let node = try cluster.node("a")
        cluster.forget("a")
        let clock = ContinuousClock()
        let hung = clock.now
        proxy.set(.toServer, .hold(after: 0))
        defer { proxy.pass() }
        let client = try node.client()
        client.send(["SEND room go"])
        let answer = durability == "everysec" || client.hasInput(within: 500) ? try client.next() : nil
        let began = clock.now
        let status = node.stop()
        return Stop(
            answer: answer, delay: began - hung, length: clock.now - began, status: status, errors: node.errors)
    }

    @Test(arguments: ["always", "everysec"])
    func `A node without its database logs the shards that it keeps, and ends with 74 only if acknowledged changes may be lost`(
        durability: String
    ) throws {
        let stop = try again(while: \.isLate) { try self.stop(durability) }
        let isLossy = durability == "everysec"
        if isLossy {
            #expect(stop.answer?.text == "on")
        } else {
            #expect(stop.answer == nil, "it is not committed")
        }
        #expect(stop.status == (isLossy ? 74 : 0), "\(stop.errors)")
        #expect(stop.length < Stop.maxLength, "it takes 17 s at most, and some for a busy machine")
        #expect(stop.errors.contains("cannot hand over 8 shards: "), "\(stop.errors)")
        #expect(stop.errors.contains("; changes of 1 shard ("), "\(stop.errors)")
        let loss = isLossy ? "that were acknowledged and not written may be lost" : "that were not acknowledged are not written"
        #expect(stop.errors.contains(loss), "\(stop.errors)")
    }
}
