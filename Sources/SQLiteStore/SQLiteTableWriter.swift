// Brings the tables that people read up to date.

import Store

/// Writes rows into the tables, in the transaction of one `write`: each goes straight into SQLite from the caller's memory.
final class SQLiteTableWriter: TableWriter {
    private unowned let store: SQLiteStore
    private let open: OpenStore
    fileprivate private(set) var entries: Int64 = 0

    fileprivate init(_ store: SQLiteStore, _ open: OpenStore) {
        self.store = store
        self.open = open
    }

    func session(_ row: SessionRow) throws(StoreError) {
        precondition(row.id >= 0, "row numbers of living sessions are 0 or more")
        var row = row
        row.problem = nil
        try upsert(row)
    }

    func drop(_ id: Int64, named name: Text) throws(StoreError) {
        open.dropSession.bind(1, id)
        try open.dropSession.run()
    }

    func writeSetAside(_ row: SessionRow, because problem: String) throws(StoreError) -> Int64 {
        var row = row
        if row.id >= 0 {
            try drop(row.id, named: row.name)
            store.cursors.lowestUnrestored -= 1
            row.id = store.cursors.lowestUnrestored
        }
        try withText(problem) { text throws(StoreError) in
            row.problem = text
            try upsert(row)
        }
        return row.id
    }

    func history(_ block: HistoryBlock) throws(StoreError) {
        let put = open.upsertHistory
        put.bind(1, block.first)
        put.bind(2, block.last)
        put.bind(3, block.count)
        put.bind(4, text: block.names)
        put.bind(5, text: block.entries)
        put.bind(6, RowChecksum.of(block))
        try put.run()
        entries += block.count
        store.cursors.newestSerial = max(store.cursors.newestSerial, block.last)
    }

    func `repeat`(_ row: RepeatRow) throws(StoreError) {
        let put = open.upsertRepeat
        for (index, number) in [row.serial, row.times, row.lastAt, row.lastSeq, row.lastVersion].enumerated() {
            put.bind(Int32(index + 1), number)
        }
        put.bind(6, RowChecksum.of(row))
        try put.run()
    }

    func remember(_ key: String, _ value: Int64) throws(StoreError) {
        try open.remember(key, value)
    }

    private func upsert(_ row: SessionRow) throws(StoreError) {
        let put = open.upsertSession
        put.bind(1, row.id)
        put.bind(2, text: row.name)
        put.bind(3, row.life)
        put.bind(4, row.seq)
        put.bind(5, row.version)
        put.bind(6, text: row.flow)
        put.bind(7, text: row.state)
        put.bind(8, text: row.data)
        put.bind(9, text: row.timers)
        put.bind(10, text: row.waiting)
        put.bind(11, text: row.context)
        put.bind(12, row.since)
        put.bind(13, row.saved)
        put.bind(14, row.paused ? 1 : 0)
        put.bind(15, row.quarantined ? 1 : 0)
        put.bind(16, text: row.extra)
        put.bind(17, text: row.problem)
        put.bind(18, RowChecksum.of(row))
        try put.run()
    }
}

extension SQLiteStore {
    /// An append may wait for it. Rows can be written again, so a crash between two calls does no harm. Covered rows of the log are deleted bit by bit.
    package func write(
        _ shard: Shard, coveringLogThrough covered: Int64?, _ rows: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try transaction { open throws(StoreError) in
                let writer = SQLiteTableWriter(self, open)
                try rows(writer)
                try pruneHistory(open, atMost: writer.entries + Self.prunedAlong)
                if let covered { try cover(covered, open) }
                try trimLog(open, atMost: Self.trimmedAlong)
                Failpoint.hit("during-materialize")
            }
        } catch {
            // Once it is checkpointed, the log need not grow. After a crash, the number of its pages is not known yet.
            if error.cause == .full { try? opened.wal.checkpoint(minPages: 0) }
            throw error
        }
        Failpoint.hit("after-materialize")
        opened.wal.checkpointUnderLoad(minPages: WriteAheadLog.busyPages)
    }

    private static var prunedAlong: Int64 { 1_000 }
    private static var trimmedAlong: Int64 { 8 }

    private func cover(_ id: Int64, _ open: OpenStore) throws(StoreError) {
        precondition(id < cursors.nextLog, "the tables cannot contain what was never appended")
        guard id > cursors.covered else { return }
        try open.remember(Meta.covered, id)
        cursors.covered = id
    }
}
