// Reads one shard: brings its log into the tables, and reads the tables.

import Posix
import Sessions
import Store

struct ShardLoading {
    private static let rowsAtOnce = 10_000
    private static let partSize = 2_000
    private static let mostBytes = 1 << 20

    private let shard: Shard
    private let moment: StoredTime
    private let hosted: Set<String>
    private let historyLines: Int
    private let recent: RecentRows

    /// `time` is when reading begins; `hosted` are the flows that are here.
    init(_ shard: Shard, at time: TurnTime, hosted: Set<String>, historyLines: Int, _ recent: RecentRows) {
        (self.shard, self.hosted, self.historyLines, self.recent) = (shard, hosted, historyLines, recent)
        moment = StoredTime(bootID: "", time: time)
    }

    func read(from tables: any SharedTables) throws(StoreError) -> ShardReading {
        do throws(StoreError) {
            let lost = try appendMissing(tables)
            try settleLog(tables)
            return try load(tables, lost)
        } catch {
            guard error.cause == .lost else { throw error }
            return .gone(shard)
        }
    }

    /// A database that has gone back in time gets again what this node had committed before it lost the shard.
    /// Returns how many rows this node does not have.
    private func appendMissing(_ tables: any SharedTables) throws(StoreError) -> Int64 {
        guard let last = try tables.lastLogged(in: shard), let missing = recent.missing(in: shard, after: last) else {
            return 0
        }
        for row in missing.rows { try tables.append(row.sent(under: shard)) }
        return missing.lost
    }

    /// Brings into the tables what the last owner has left in the log, so that a log has batches of one owner alone.
    private func settleLog(_ tables: any SharedTables) throws(StoreError) {
        let materializer = Materializer(.name, rowsAtOnce: Self.rowsAtOnce, historyLines: historyLines) {
            (covered, write) throws(StoreError) in try tables.materialize(shard, coveringLogThrough: covered, write)
        }
        try translating {
            try tables.loadLog(shard) { number, bytes in
                try bytes.forEachBatch { materializer.add($0, logged: number) }
            }
            while !materializer.isDone { try materializer.step() }
        }
    }

    private func load(_ tables: any SharedTables, _ lost: Int64) throws(StoreError) -> ShardReading {
        var loaded = LoadedShard(shard: shard, moment: moment, lostCommits: lost)
        var sessions = SessionCollector(until: moment)
        var flows = FlowsOfRows(hosted)
        try translating {
            loaded.summary = try tables.load(
                shard, historyLines: historyLines,
                sessions: { row in
                    flows.note(row.flow)
                    guard flows.missing.isEmpty else { return }
                    sessions.append(row)
                    guard sessions.part.count == Self.partSize || sessions.part.size >= Self.mostBytes else { return }
                    loaded.parts.append(sessions.takePart())
                }, history: { loaded.append(StoredLine($0)) })
        }
        guard flows.missing.isEmpty else { return .lacks(shard, flows: flows.missing.sorted()) }
        if sessions.part.count > 0 { loaded.parts.append(sessions.takePart()) }
        return .loaded(loaded)
    }

    /// What is wrong with a shard's rows is said with its number.
    private func translating(_ body: () throws -> Void) throws(StoreError) {
        do {
            try body()
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.damaged, "the log of shard \(shard.number) is damaged: \(error)")
        }
    }
}

/// Looks which flows a shard's sessions need. Neighbouring rows are mostly of the same one.
private struct FlowsOfRows {
    private let hosted: Set<String>
    private var latest: [UInt8]?
    private(set) var missing: Set<String> = []

    init(_ hosted: Set<String>) {
        self.hosted = hosted
    }

    mutating func note(_ flow: Text) {
        if let latest, latest.elementsEqual(flow) { return }
        latest = Array(flow)
        let name = flow.string
        if !hosted.contains(name) { missing.insert(name) }
    }
}
