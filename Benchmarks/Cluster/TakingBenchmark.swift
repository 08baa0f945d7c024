// How long it takes to take over a shard with many sessions, from its tables and from its log.

import Foundation
import PostgresServer

func benchmarkTaking(_ report: Report, _ server: PostgresServer, _ folder: BenchmarkFolder) throws {
    report.section("Taking over a shard of 10,000 sessions, beside the others of its node, two nodes")
    let group = try NodeGroup(server, in: folder, count: 2)
    let large = (0..<ClusterSize.sessions).map { "{one-shard}:\($0)" }
    _ = try group.nodes.spread(large) { ["NEW", $0, "turns"] }
    let names = try namesOfAllShards()
    _ = try group.nodes.spread(names) { ["NEW", $0, "turns"] }
    try group.catchUp()
    try measure(report, group, names, large, "after SIGTERM") { $0.askToStop() }
    try measure(report, group, names, large, "after kill -9") { $0.crash() }
    try measure(report, group, names, large, "after kill -9 under load, its log not in the tables", afterEvents: 200) {
        $0.crash()
    }
}

private func measure(
    _ report: Report, _ group: NodeGroup, _ names: [String], _ large: [String], _ how: String, afterEvents times: Int = 0,
    _ end: (Peer) -> Void
) throws {
    var (own, others) = ([Double](), [Double]())
    for _ in 0..<ClusterSize.kills {
        let places = try group.nodes.spread([large[0]]) { ["SEND", $0, "pass"] }
        let victim = places.firstIndex { !$0.isEmpty } ?? 0
        let client = try group.nodes[victim].connected()
        client.run(times * 1_000, depth: 1_000) { ["SEND", large[$0 * 7 % large.count], "pass"] }
        let found = try gaps(group, [large[0]] + names, of: victim, end)
        for (name, gap) in zip(found.names, found.gaps) {
            if name == large[0] { own.append(gap * 1_000) } else { others.append(gap * 1_000) }
        }
    }
    report.add(
        "served again \(how)", unit: "ms", ["its shard": own.median, "longest": own.max() ?? 0, "the others": others.median])
}
