import Cluster
import Testing

@testable import PostgresStore

@Suite struct `A node state as text` {
    private static let doors = [
        nil, NodeEndpoint(address: NodeAddress(host: "2001:db8::1", port: 65_535), certificate: nil, key: ""),
        NodeEndpoint(address: NodeAddress(host: "database-a", port: 1), certificate: "sha256:00", key: "a \"key\" \\ \u{7f}é"),
    ]

    /// If it were not, the node would publish it again and again.
    @Test(arguments: doors, [false, true]) func `A node state is read as it was written`(door: NodeEndpoint?, isLeaving: Bool) {
        let declined = [0: ["quiz"], 10_000: ["escape room", "Ünïcode \"quoted\"", "quiz"], 7: []]
        for declined in [[:], declined] {
            let standing = NodeStatus(isLeaving: isLeaving, isUnproven: !isLeaving, declined: declined, door: door)
            #expect(NodeStatus(text: standing.text) == standing)
        }
    }

    @Test func `A node state as text has the correction of a clock that jumped`() throws {
        for nanoseconds in [-30_000_000_123, 30_000_000_000] as [Int64] {
            var standing = NodeStatus()
            standing.clock = try #require(ClockCorrection(jumps: 2, nanoseconds: nanoseconds, error: 1_234))
            #expect(NodeStatus(text: standing.text) == standing)
        }
        #expect(
            NodeStatus(text: #"{"clock": {"jumps": 1, "correction_ns": 9223372036854775807, "error_ns": -1}}"#) == NodeStatus())
    }

    @Test func `A node state as text has the definitions of flows, and which sessions they do not fit`() {
        let many = Dictionary(uniqueKeysWithValues: (0..<2_000).map { ("flow \($0) \"é\"", "0123456789abcdef") })
        for flows in [[:], ["quiz": "0123456789abcdef"], many] {
            var standing = NodeStatus()
            standing.setDefinitions(FlowDefinitions(flows))
            #expect(NodeStatus(text: standing.text) == standing)
            standing.setMisfits(["quiz": 4_000_000_000, "Ünïcode": 1], of: 10_000)
            #expect(NodeStatus(text: standing.text) == standing)
            #expect(standing.text.utf8.count < 64_000)
        }
        let odd = #"{"flows": {"a": 1}, "more_flows": [], "unfit": {"x": {"a": 1}, "-1": {"a": 1}, "1": {"a": -1}, "2": 3}}"#
        #expect(NodeStatus(text: odd) == NodeStatus())
    }

    @Test func `A text that no node wrote is read as an empty node state`() {
        for text in [
            "", "[]", "{}", "{\"declined\": {\"x\": [\"quiz\"], \"1\": 2}, \"http\": {\"port\": 0}}",
            "{\"declined\": {\"-1\": [], \"16384\": [], \"4611686018427387904\": []}}",
        ] {
            #expect(NodeStatus(text: text) == NodeStatus())
        }
    }
}
