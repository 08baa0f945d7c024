// Brings the tables that people read up to date, from batches that are already safe in the log.

import Sessions
import Store

/// The batches that are not in the tables yet, and the round in progress. Used by the writer's thread alone.
final class Materializer {
    /// Rows in one transaction, which an append may have to wait for. With `always` clients wait too, so it is shorter.
    private var rowsAtOnce: Int { store.durability == .always ? 1_000 : 4_000 }

    private struct LoggedBatch {
        let id: Int64
        let batch: BatchBytes
    }

    private let store: any Store
    private let historyLines: Int
    private var waiting: [LoggedBatch] = []
    private(set) var waitingBytes = 0
    private var round: MaterializingRound?

    init(_ store: any Store, historyLines: Int) {
        self.store = store
        self.historyLines = historyLines
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
            round = try MaterializingRound(waiting.map(\.batch), historyLines: historyLines)
            round?.lastLogged = waiting.last?.id
            waiting = []
            waitingBytes = 0
        }
        guard let round else { return }
        let start = round.position
        do {
            try store.materialize(coveringLogThrough: nil) { writer throws(StoreError) in
                try round.write(to: writer, atMost: rowsAtOnce)
            }
            if round.isDone {
                try store.materialize(coveringLogThrough: round.lastLogged) { writer throws(StoreError) in
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
