// The cost of an event, a session and a line of the history: bytes to PostgreSQL, of its WAL, and on its disk.

import Foundation
import PostgresServer
import TestSupport

private let sessions = 100_000

func benchmarkSpace(_ report: Report, _ server: PostgresServer, _ folder: BenchmarkFolder) throws {
    report.section("What PostgreSQL has to take, of one node, until its tables have all of it (the flow turns; names: UUIDs)")
    let group = try NodeGroup(server, in: folder, count: 1)
    let few = (0..<ClusterSize.sessions).map { NameKind.uuid.name($0) }
    _ = try group.nodes.spread(few) { ["NEW", $0, "turns"] }
    for depth in [64, 1] { try measureEvents(report, group, few, depth) }
    let many = (few.count..<few.count + sessions).map { NameKind.uuid.name($0) }
    try group.catchUp()
    let before = try Taken(group)
    _ = try group.nodes.spread(many) { ["NEW", $0, "turns"] }
    try group.catchUp()
    let taken = try Taken(group) - before
    report.add(
        "a session begun", unit: "bytes",
        [
            "sent": taken.sent / Double(sessions), "of the log": taken.log / Double(sessions),
            "WAL": taken.wal / Double(sessions),
        ])
    let perRow = { (table: String) in
        Double(try group.ask("SELECT pg_total_relation_size('\(table)') / greatest(1, (SELECT count(*) FROM \(table)))"))
            ?? .nan
    }
    _ = try group.ask("VACUUM sessions, history")
    report.add("on disk, with indexes", unit: "bytes", ["a session": try perRow("sessions"), "a line": try perRow("history")])
}

private func measureEvents(_ report: Report, _ group: NodeGroup, _ names: [String], _ depth: Int) throws {
    try group.catchUp()
    // So that the first change of each page after a checkpoint, which is written whole, is in it as often as in long runs of this size.
    _ = try group.ask("CHECKPOINT")
    let socket = group.nodes[0].peer.socketPath
    let load = try NodeLoad([NodeLoad.Target(socket, names: names, depth: depth) { ["SEND", $0, "pass"] }], depth: depth)
    let before = try Taken(group)
    _ = try load.rate(over: 3 * ClusterSize.seconds)
    let logged = try Taken(group) - before
    try group.catchUp()
    let (taken, events) = (try Taken(group) - before, Double(load.total))
    report.add(
        "an event, depth \(depth)", unit: "bytes",
        [
            "sent": taken.sent / events, "of the log": taken.log / events, "WAL": taken.wal / events,
            "WAL without most of the tables": logged.wal / events,
        ])
    report.add(
        "commits of \(short(events)) events, depth \(depth)", unit: "1",
        ["commits": taken.commits, "rows of the log": taken.batches, "events a commit": events / taken.commits])
}

/// Counters of a group of one node.
private struct Taken {
    var sent: Double
    var wal: Double
    var log: Double
    var commits: Double
    var batches: Double

    init(_ group: NodeGroup) throws {
        let node = group.nodes[0]
        (log, commits, batches) = (
            node.figure("journal_written_bytes"), node.figure("journal_commits"), node.figure("journal_batches")
        )
        wal = Double(try group.ask("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")) ?? .nan
        sent = try Self.sent(to: group.server.port)
    }

    /// The kernel's count of bytes sent on all connections to a port of this machine.
    private static func sent(to port: Int) throws -> Double {
        let text = try run("ss", ["-tinH", "dport", "=", ":\(port)"]).output
        let counts = text.components(separatedBy: "bytes_sent:").dropFirst()
        return counts.compactMap { Double($0.prefix { $0.isNumber }) }.reduce(0, +)
    }

    static func - (left: Taken, right: Taken) -> Taken {
        var difference = left
        difference.sent -= right.sent
        difference.wal -= right.wal
        difference.log -= right.log
        difference.commits -= right.commits
        difference.batches -= right.batches
        return difference
    }
}
