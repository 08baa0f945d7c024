// How long shards are not served when a node is killed, and when it is stopped.

import Cluster
import Foundation
import PostgresServer

func benchmarkOwners(_ report: Report, _ server: PostgresServer, _ folder: BenchmarkFolder) throws {
    report.section(
        "Without an owner: three nodes of which one ends, \(ClusterSize.kills) times each; every shard is asked for all the time"
    )
    let group = try NodeGroup(server, in: folder, count: 3)
    let names = try namesOfAllShards()
    _ = try group.nodes.spread(names) { ["NEW", $0, "turns"] }
    var (killed, stopped, rounds) = ([Double](), [Double](), [Double]())
    for number in 0..<ClusterSize.kills {
        killed += try gaps(group, names, of: number % 3) { $0.crash() }.gaps
        let orderly = try gaps(group, names, of: (number + 1) % 3) { $0.askToStop() }
        stopped += orderly.gaps
        rounds += orderly.rounds
    }
    let (longest, later) = (killed.max() ?? 0, (stopped.max() ?? 0) * 1_000)
    report.add(
        "a shard of a node after kill -9", unit: "s", ["p50": killed.median, "max": longest],
        target: .init(text: "at most 4 s", reached: longest <= 4))
    report.add(
        "a shard of a node after SIGTERM", unit: "ms",
        ["p50": stopped.median * 1_000, "max": later, "asking once takes": rounds.median * 1_000],
        target: .init(text: "at most 200 ms", reached: later <= 200))
}

/// One for each shard.
func namesOfAllShards() throws -> [String] {
    guard let map = ShardMap(count: ShardMap.usualCount) else { throw BenchmarkError("there is no usual number of shards") }
    var names: [Int: String] = [:]
    var number = 0
    while names.count < map.count {
        var name = NameKind.uuid.name(number)
        names[name.withUTF8 { map.shard(of: UnsafeRawBufferPointer($0)) }] = name
        number += 1
    }
    return Array(names.values)
}

/// Ends a node, watches the shards that it owned, and starts it again.
func gaps(
    _ group: NodeGroup, _ names: [String], of victim: Int, _ end: (Peer) -> Void
) throws -> (names: [String], gaps: [Double], rounds: [Double]) {
    let own = try group.nodes.spread(names) { ["SEND", $0, "pass"] }[victim]
    let watch = OwnerWatch(group.nodes, own)
    try watch.ask(for: .random(in: 0.3...1.3))
    end(group.nodes[victim].peer)
    try watch.ask(for: 0.5)
    group.nodes[victim].peer.stop()
    try group.restart(victim)
    try group.catchUp()
    return (own, watch.gaps, watch.rounds)
}
