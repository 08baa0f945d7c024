// Many nodes over PostgreSQL: how many durable events, at what price, and how long a session has no owner when a node ends.

import Foundation
import PostgresServer

/// How often each thing is done: the machine is noisy, and the median counts.
enum ClusterSize {
    private static func number(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? usual
    }

    static let rounds = number("ROUNDS", 5)
    static let kills = number("KILLS", 5)
    static let seconds = Double(number("SECONDS", 3))
    static let sessions = 10_000
}

func benchmarkCluster(_ report: Report) throws {
    let folder = BenchmarkFolder()
    let server = try PostgresServer(settings: [
        "shared_buffers": "512MB", "max_wal_size": "8GB", "checkpoint_timeout": "15min",
    ])
    let parts = ProcessInfo.processInfo.environment["PARTS"]?.split(separator: " ").map { "\($0)" }
    let all: KeyValuePairs<String, (Report, PostgresServer, BenchmarkFolder) throws -> Void> = [
        "events": benchmarkEvents, "space": benchmarkSpace, "owners": benchmarkOwners, "taking": benchmarkTaking,
    ]
    for (name, run) in all where parts?.contains(name) ?? true { try run(report, server, folder) }
}
