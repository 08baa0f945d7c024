// The writer's side of a restart, before anything else is written: materializes what is left in the log, then reads the tables.

import Dispatch
import Sessions
import Store
import Synchronization

/// Reads the store and hands it to the loop in parts, of which only a few exist at a time.
final class RecoveryReader: Sendable {
    enum Part: Sendable {
        /// A sentence for the log, on what was done before anything was read.
        case news(String)
        /// The last life given out.
        case lastLife(Life)
        /// An upper bound on the slots in use; it comes before the sessions.
        case slots(Int)
        case sessions(StoredSessions)
        case lines([StoredLine])
        /// The end, with findings for the log.
        case end([Finding])
        /// Rows that could not be restored have been moved out of the way.
        case unrestored([UnrestoredSession])
        /// The store cannot be read.
        case failed(any Error)
    }

    private static let partSize = 2_000
    /// A part ends at this size, where sessions carry much data.
    private static let mostBytes = 1 << 20
    private static let mostParts = 8

    /// The rest is not wanted any more.
    private struct Cancelled: Error {}

    private struct Shelf {
        var parts: [Part] = []
        var isCancelled = false
    }

    private let shelf = Mutex(Shelf())
    private let room = DispatchSemaphore(value: RecoveryReader.mostParts)
    /// When the daemon is back up.
    private let moment: StoredTime
    private let whenRead: @Sendable () -> Void

    init(at moment: StoredTime, whenRead: @escaping @Sendable () -> Void) {
        self.moment = moment
        self.whenRead = whenRead
    }

    /// The next part, if one has been read.
    func next() -> Part? {
        let part = shelf.withLock { $0.parts.isEmpty ? nil : $0.parts.removeFirst() }
        if part != nil { room.signal() }
        return part
    }

    /// The daemon ends before it is up: the reader must not wait for it.
    func cancel() {
        let waiting = shelf.withLock { shelf in
            shelf.isCancelled = true
            defer { shelf.parts = [] }
            return shelf.parts.count
        }
        for _ in 0..<waiting { room.signal() }
    }

    /// Reads everything, and waits while the loop is behind.
    func read(_ store: any Store, historyLines: Int, _ quarantine: Quarantine?) {
        do {
            try Self.settleLog(of: store, historyLines: historyLines)
            if let news = try quarantine?.carryOut(on: store) { try give(.news(news)) }
            try give(.lastLife(Life(clamping: try store.number(LifeCounter.lastKey) ?? 0)))
            try give(.slots(store.slotsInUse()))
            var sessions = SessionCollector(until: moment)
            var lines: [StoredLine] = []
            try store.load(
                sessions: { row in
                    sessions.append(row)
                    guard sessions.part.count == Self.partSize || sessions.part.size >= Self.mostBytes else { return }
                    try give(.sessions(sessions.takePart()))
                },
                history: { row in
                    if sessions.part.count > 0 { try give(.sessions(sessions.takePart())) }
                    lines.append(StoredLine(row))
                    guard lines.count == Self.partSize else { return }
                    try give(.lines(lines))
                    lines.removeAll(keepingCapacity: true)
                },
                log: { _, _ in })
            if sessions.part.count > 0 { try give(.sessions(sessions.takePart())) }
            if !lines.isEmpty { try give(.lines(lines)) }
            try give(.end(store.takeFindings()))
        } catch {
            try? give(.failed(error))
        }
    }

    /// Materializes what a crash left in the log.
    private static func settleLog(of store: any Store, historyLines: Int) throws {
        let materializer = Materializer(store, historyLines: historyLines)
        try store.loadLog { id, bytes in
            let batch = BatchBytes(capacity: bytes.count + 1)
            batch.put(bytes)
            materializer.add(batch, logged: id)
        }
        while !materializer.isDone { try materializer.step() }
    }

    /// Moves the rows that could not be restored to numbers below zero, which no live session uses.
    func move(_ failed: [FailedSession], on writer: JournalWriter) {
        writer.withStore { [self] store in
            do {
                var unrestored: [UnrestoredSession] = []
                // With nothing to write, recovery succeeds on a full disk too.
                guard !failed.isEmpty else { return try give(.unrestored([])) }
                try store.materialize { writer throws(StoreError) in
                    for failed in failed { unrestored.append(try failed.moved(by: writer)) }
                }
                try give(.unrestored(unrestored))
            } catch {
                try? give(.failed(error))
            }
        }
    }

    private func give(_ part: Part) throws {
        room.wait()
        let isWanted = shelf.withLock { shelf in
            if !shelf.isCancelled { shelf.parts.append(part) }
            return !shelf.isCancelled
        }
        guard isWanted else {
            room.signal()
            throw Cancelled()
        }
        whenRead()
    }
}
