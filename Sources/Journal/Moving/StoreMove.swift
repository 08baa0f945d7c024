// Moves everything from one store to another: all or nothing, in bounded memory, and checked by counting and by sums.

import Cluster
import Sessions
import Store

package final class StoreMove {
    package struct Moved: Equatable, Sendable {
        package var sessions = 0
        package var lines = 0
        /// The set-aside ones among these sessions, and their flows.
        package var setAside = 0
        package var flowsOfSetAside: Set<String> = []
        /// Rows of which texts or times had to be put right.
        package var repaired = 0
    }

    /// Totals of one end. The order of rows does not matter.
    private struct Sum: Equatable {
        var sessions = 0
        var lines = 0
        var total: UInt64 = 0
    }

    /// Bytes of rows that are held at most.
    private static let maxBytes = 64 << 20
    /// Entries read at once; with the largest payloads they take about `maxBytes`.
    private static let linesAtOnce = 20_000
    /// Flows that are named at the end.
    private static let maxFlows = 20
    private static let progressNanoseconds: Int64 = 1_000_000_000

    private let source: any StoreMoving
    private let target: any StoreMoving
    private let map: ShardMap
    private let onProgress: (String) -> Void
    private var sum = Sum()
    private var moved = Moved()
    private var plain = PlainRows()
    private var waiting: [Int: SessionRows] = [:]
    private var waitingBytes = 0
    private var waitingLines: [Int: MovedLines] = [:]
    private var lastLife: Int64 = 0
    /// Row numbers of live sessions, and below zero of those that were set aside.
    private var nextRow: Int64 = 0
    private var nextHeldRow: Int64 = -1
    private var total = 0
    private var nextProgress: Int64 = 0

    /// `onProgress` is called with lines of progress.
    package init(from source: any StoreMoving, to target: any StoreMoving, onProgress: @escaping (String) -> Void)
        throws(StoreError)
    {
        guard let map = ShardMap(count: target.store.shardCount) else {
            throw StoreError(.damaged, "\(target.store.place) has \(target.store.shardCount) shards, which is impossible")
        }
        (self.source, self.target, self.map, self.onProgress) = (source, target, map, onProgress)
    }

    /// `flight` is what the last daemon on a directory left: a session that it died of is quarantined.
    package func run(after flight: FlightLog? = nil) throws -> Moved {
        do {
            try copy(after: flight)
        } catch {
            target.abort()
            source.abort()
            throw error
        }
        // From here on the move is not aborted, since its progress may be unknown. It can be repeated while both ends are marked.
        try source.markMoved(to: target.store.place)
        Failpoint.hit("after-marking-source")
        try target.open()
        Failpoint.hit("after-opening-target")
        try source.end()
        (moved.sessions, moved.lines, moved.repaired) = (sum.sessions, sum.lines, plain.repaired)
        return moved
    }

    private func copy(after flight: FlightLog?) throws {
        let tables = try source.store.openTables()
        defer { tables.close() }
        for shard in source.shards { try TablesRound.applyLog(of: shard, tables, historyLines: .max) }
        try source.checkNames()
        total = try source.countSessions()
        if let problem = try flight?.quarantine?.apply(to: tables) { onProgress(problem) }
        try copy(from: tables)
        try check()
    }

    // MARK: Copying

    private func copy(from tables: any StoreTables) throws {
        let writer = try target.store.openTables()
        defer { writer.close() }
        for shard in source.shards {
            try tables.load(
                shard, entries: 0, summary: { lastLife = max(lastLife, $0.lastLife) },
                sessions: { try copy($0, to: writer) }, history: { _ in })
        }
        try flushSessions(to: writer)
        try copyHistory(to: writer)
        for shard in target.shards {
            try writer.write(shard, coveringLogThrough: nil) { writer throws(StoreError) in
                try writer.remember(LifeCounter.lastKey, lastLife)
            }
        }
    }

    private func copyHistory(to writer: any StoreTables) throws {
        var (order, read) = (LinesByTime(), 0)
        try source.loadHistory { shard, block in
            let lines = try HistoryBlockReader.lines(of: block)
            read += lines.count
            try order.add(lines, of: shard) { try copy($0, to: writer) }
        }
        try order.end { try copy($0, to: writer) }
        try flushLines(to: writer)
        guard sum.lines == read else {
            throw StoreError(.failed, "only \(sum.lines) of \(read) lines of history were copied to \(target.store.place)")
        }
    }

    private func copy(_ row: SessionRow, to writer: any StoreTables) throws {
        guard !row.isDamaged else {
            throw StoreError(
                .damaged,
                "the row of '\(row.name.string.prefix(64))' in \(source.store.place) does not match its checksum; if you have edited it, set its "
                    + "checksum to NULL")
        }
        try plain.withPlain(numbered(row)) { row in
            let shard = map.shard(of: row.name)
            let rows = waiting[shard] ?? SessionRows()
            waiting[shard] = rows
            let before = rows.size
            sum.total &+= row.sum
            rows.append(row)
            waitingBytes += rows.size - before
        }
        sum.sessions += 1
        Failpoint.hit("while-moving")
        if waitingBytes > Self.maxBytes { try flushSessions(to: writer) }
        reportProgress()
    }

    /// The row under its new number.
    private func numbered(_ row: SessionRow) -> SessionRow {
        var row = row
        // The clock that counts from boot is of one machine.
        row.extra = nil
        if row.problem == nil {
            row.id = nextRow
            nextRow += 1
        } else {
            row.id = nextHeldRow
            nextHeldRow -= 1
            moved.setAside += 1
            if moved.flowsOfSetAside.count < Self.maxFlows { moved.flowsOfSetAside.insert(row.flow.string) }
        }
        return row
    }

    private func copy(_ line: StoredEntry, to writer: any StoreTables) throws {
        let line = plain.plain(line)
        let shard = line.name.withBytes { map.shard(of: $0) }
        let lines = waitingLines[shard] ?? MovedLines()
        waitingLines[shard] = lines
        sum.lines += 1
        sum.total &+= line.sum
        lines.add(line, as: Int64(sum.lines))
        if sum.lines % Self.linesAtOnce == 0 { try flushLines(to: writer) }
        reportProgress()
    }

    private func flushSessions(to tables: any StoreTables) throws {
        for shard in target.shards {
            guard let rows = waiting[shard.number] else { continue }
            try write(to: tables, shard) { writer in
                try rows.forEach { _, row in
                    guard let problem = row.problem else { return try writer.session(row) }
                    _ = try writer.writeSetAside(row, because: problem.string)
                }
            }
        }
        (waiting, waitingBytes) = ([:], 0)
    }

    private func flushLines(to tables: any StoreTables) throws {
        for shard in target.shards {
            guard let lines = waitingLines[shard.number] else { continue }
            try write(to: tables, shard) { try lines.write(to: $0) }
        }
        waitingLines = [:]
    }

    private func write(to tables: any StoreTables, _ shard: Shard, _ body: (any TableWriter) throws -> Void) throws {
        try tables.write(shard, coveringLogThrough: nil) { writer throws(StoreError) in
            do {
                try body(writer)
            } catch {
                throw error as? StoreError ?? StoreError(.damaged, "\(error)")
            }
        }
    }

    private func reportProgress() {
        let now = Worker.now()
        guard now >= nextProgress else { return }
        if nextProgress > 0 { onProgress("\(sum.sessions) of \(total) sessions, \(sum.lines) lines of history") }
        nextProgress = now + Self.progressNanoseconds
    }

    // MARK: Checking

    /// Reads the target back.
    private func check() throws {
        onProgress("checking")
        var found = Sum()
        let tables = try target.store.openTables()
        defer { tables.close() }
        for shard in target.shards {
            try tables.load(
                shard, entries: 0, summary: { _ in },
                sessions: { row in
                    found.sessions += 1
                    found.total &+= row.sum
                }, history: { _ in })
        }
        try target.loadHistory { _, block in
            for line in try HistoryBlockReader.lines(of: block) {
                found.lines += 1
                found.total &+= line.sum
            }
        }
        guard found == sum else {
            throw StoreError(
                .failed,
                "\(target.store.place) does not match \(source.store.place): \(found.sessions) of \(sum.sessions) sessions, "
                    + "\(found.lines) of \(sum.lines) lines of history, "
                    + (found.total == sum.total ? "and equal checksums" : "and different checksums"))
        }
    }
}
