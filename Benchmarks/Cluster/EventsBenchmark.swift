// Durable events a second: a file of SQLite, one to three nodes on PostgreSQL, and Redis Cluster, taking turns under the same load.

import Foundation
import PostgresServer

private let names = (0..<ClusterSize.sessions).map { NameKind.uuid.name($0) }

func benchmarkEvents(_ report: Report, _ server: PostgresServer, _ folder: BenchmarkFolder) throws {
    report.section(
        "Durable events: SEND over 10,000 random sessions, 50 connections, always (rounds taken in turns, the median)")
    let file = ["--data", folder.url.appending(path: "data").path, "--durability", "always"]
    let alone = Contestant("SQLite", [ClusterPeer(peer: try folder.gamed(file), port: 0)])
    let groups = try (1...3).map { try NodeGroup(server, in: folder, count: $0) }
    let ours = groups.map { Contestant("PostgreSQL, \($0.nodes.count)", $0.nodes, $0) }
    let redis = try RedisCluster(in: folder, count: 3)
    let theirs = Contestant("Redis Cluster, 3", redis.nodes, setting: true)
    let all = [alone] + ours + [theirs]
    for contestant in all { try contestant.fill() }
    for depth in [64, 1] {
        for _ in 0..<ClusterSize.rounds {
            for contestant in all { try contestant.measure(depth: depth, server) }
        }
        show(report, depth, alone, ours, theirs)
        for contestant in all { contestant.forget() }
    }
}

private func show(_ report: Report, _ depth: Int, _ alone: Contestant, _ ours: [Contestant], _ theirs: Contestant) {
    let one = ours[0]
    report.add(
        "depth \(depth): one node", unit: "1/s", ["PostgreSQL": one.rate, "SQLite": alone.rate],
        target: depth == 64
            ? .init(text: "0.4 times SQLite; it was \(short(one.rate / alone.rate))", reached: one.rate >= 0.4 * alone.rate)
            : nil)
    report.add(
        "depth \(depth): nodes", unit: "1/s", ["one": ours[0].rate, "two": ours[1].rate, "three": ours[2].rate])
    report.add("depth \(depth): three nodes", unit: "1/s", ["gamed SEND": ours[2].rate, "Redis Cluster SET": theirs.rate])
    for contestant in [alone] + ours + [theirs] {
        report.add(
            "depth \(depth): processors, \(contestant.name)", unit: "cores",
            [
                "all": contestant.all, "nodes": contestant.nodeTime, "PostgreSQL": contestant.serverTime,
                "the load": contestant.loadTime,
            ])
    }
}

/// One of those that take turns.
private final class Contestant {
    let name: String
    private let nodes: [ClusterPeer]
    private let group: NodeGroup?
    private let isSetting: Bool
    private var places: [[String]] = []
    private var rates: [Double] = []
    private var times: [(nodes: Double, server: Double, load: Double)] = []

    init(_ name: String, _ nodes: [ClusterPeer], _ group: NodeGroup? = nil, setting: Bool = false) {
        (self.name, self.nodes, self.group, isSetting) = (name, nodes, group, setting)
    }

    var rate: Double { rates.median }
    var nodeTime: Double { times.map(\.nodes).median }
    var serverTime: Double { times.map(\.server).median }
    var loadTime: Double { times.map(\.load).median }
    var all: Double { nodeTime + serverTime + loadTime }

    func fill() throws {
        places = try nodes.spread(names) { [isSetting] in isSetting ? ["SET", $0, "first"] : ["NEW", $0, "turns"] }
        try group?.catchUp()
    }

    func measure(depth: Int, _ server: PostgresServer) throws {
        let targets = zip(nodes, places).map { node, names in
            NodeLoad.Target(node.peer.socketPath, names: names, depth: depth) { [isSetting] in
                isSetting ? ["SET", $0, "second"] : ["SEND", $0, "pass"]
            }
        }
        let load = try NodeLoad(targets, depth: depth)
        _ = try load.rate(over: 0.3)
        let before = used(server)
        let began = ContinuousClock.now
        rates.append(try load.rate(over: ClusterSize.seconds))
        let (after, seconds) = (used(server), (ContinuousClock.now - began).seconds)
        times.append(
            (
                (after.nodes - before.nodes) / seconds, (after.server - before.server) / seconds,
                (after.load - before.load) / seconds
            ))
        try group?.catchUp()
    }

    private func used(_ server: PostgresServer) -> (nodes: Double, server: Double, load: Double) {
        (nodes.map(\.peer.processorSeconds).reduce(0, +), server.processorSeconds, ProcessorTime.ownSeconds)
    }

    func forget() { (rates, times) = ([], []) }
}

extension PostgresServer {
    /// Of all its processes.
    var processorSeconds: Double {
        let file = (try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)) ?? ""
        return file.split(separator: "\n").first.flatMap { pid_t($0) }.map(ProcessorTime.secondsOfFamily) ?? 0
    }
}
