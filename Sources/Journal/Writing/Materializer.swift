// Brings the tables that people read up to date, from batches that are already safe in the log.

import Sessions
import Store

/// The batches that are not in the tables yet, and the round in progress. Used by one thread alone.
final class Materializer {
    /// Writes rows in one transaction, and says how far the tables cover the log where that is known.
    typealias Transaction = (
        _ covered: Int64?, _ write: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError) -> Void

    private struct LoggedBatch {
        let id: Int64
        let batch: BatchBytes
    }

    private let key: SessionKey
    private let rowsAtOnce: Int
    private let historyLines: Int
    private let transaction: Transaction
    private var waiting: [LoggedBatch] = []
    private(set) var waitingBytes = 0
    private var round: MaterializingRound?

    init(_ key: SessionKey, rowsAtOnce: Int, historyLines: Int, in transaction: @escaping Transaction) {
        self.key = key
        self.rowsAtOnce = rowsAtOnce
        self.historyLines = historyLines
        self.transaction = transaction
    }

    /// An append may have to wait for a transaction. With `always` clients wait too, so it is shorter.
    convenience init(_ store: any Store, historyLines: Int) {
        self.init(.slot, rowsAtOnce: store.durability == .always ? 1_000 : 4_000, historyLines: historyLines) {
            (covered, write) throws(StoreError) in try store.materialize(coveringLogThrough: covered, write)
        }
    }

    var isDone: Bool { waiting.isEmpty && round == nil }
    /// Whether a round is in progress.
    var isBusy: Bool { round != nil }

    /// Adds a batch that is in the log under this number.
    func add(_ batch: BatchBytes, logged id: Int64) {
        waiting.append(LoggedBatch(id: id, batch: batch))
        waitingBytes += batch.count
    }

    /// Writes the next rows, in one transaction.
    func step() throws {
        if round == nil {
            round = try MaterializingRound(waiting.map(\.batch), by: key, historyLines: historyLines)
            round?.lastLogged = waiting.last?.id
            waiting = []
            waitingBytes = 0
        }
        guard let round else { return }
        let start = round.position
        do {
            // A round that fits into one transaction takes its mark along.
            let fits = round.rowCount < rowsAtOnce
            if !fits {
                try transaction(nil) { writer throws(StoreError) in try round.write(to: writer, atMost: rowsAtOnce) }
            }
            if fits || round.isDone {
                try transaction(round.lastLogged) { writer throws(StoreError) in
                    try round.write(to: writer, atMost: rowsAtOnce)
                    if let life = round.lastLife { try writer.remember(LifeCounter.lastKey, Int64(life)) }
                }
                self.round = nil
            }
        } catch {
            // The transaction was rolled back: the next step repeats it.
            round.position = start
            throw error
        }
    }
}
