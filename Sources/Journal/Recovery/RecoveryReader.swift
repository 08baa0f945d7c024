// The writer's thread, before it writes anything: what is left in the log goes into the tables, and the tables are read.

import Dispatch
import Sessions
import Store
import Synchronization

/// What has been read, a part at a time, and never much of it at once.
final class RecoveryReader: Sendable {
    enum Part: Sendable {
        /// What the operator must know, of what was done before anything was read.
        case news(String)
        /// The last life that was given out, and the last one of those from before lives had numbers.
        case lastLife(last: Life, unnumbered: Life)
        /// Sessions are in so many slots, or fewer; it comes before them.
        case slots(Int)
        case sessions(StoredSessions)
        case lines([StoredLine])
        /// That was all, and what its operator should know of it.
        case end([Finding])
        /// What could not be restored is out of the way.
        case unrestored([UnrestoredSession])
        /// It cannot be read.
        case failed(any Error)
    }

    private static let partSize = 2_000
    /// A part is no larger than this if its sessions carry much.
    private static let mostBytes = 1 << 20
    private static let mostParts = 8

    /// Nobody wants the rest.
    private struct Cancelled: Error {}

    private struct Shelf {
        var parts: [Part] = []
        var isCancelled = false
    }

    private let shelf = Mutex(Shelf())
    private let room = DispatchSemaphore(value: RecoveryReader.mostParts)
    /// When nobody was away any more.
    private let moment: StoredTime
    private let whenRead: @Sendable () -> Void

    init(at moment: StoredTime, whenRead: @escaping @Sendable () -> Void) {
        self.moment = moment
        self.whenRead = whenRead
    }

    /// The next part, if there is one by now.
    func next() -> Part? {
        let part = shelf.withLock { $0.parts.isEmpty ? nil : $0.parts.removeFirst() }
        if part != nil { room.signal() }
        return part
    }

    /// The daemon ends before it has begun: whoever reads must not wait for it.
    func cancel() {
        let waiting = shelf.withLock { shelf in
            shelf.isCancelled = true
            defer { shelf.parts = [] }
            return shelf.parts.count
        }
        for _ in 0..<waiting { room.signal() }
    }

    /// Reads everything. It waits for whoever takes the parts.
    func read(_ store: any Store, historyLines: Int, _ quarantine: Quarantine?) {
        do {
            try Self.settleLog(of: store, historyLines: historyLines)
            if let news = try quarantine?.carryOut(on: store) { try give(.news(news)) }
            try give(Self.lastLife(in: store))
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

    /// Those from before lives had numbers are numbered by their slots, once.
    private static func lastLife(in store: any Store) throws -> Part {
        if let last = try store.number(LifeCounter.lastKey) {
            return .lastLife(
                last: Life(clamping: last), unnumbered: Life(clamping: try store.number(LifeCounter.unnumberedKey) ?? 0))
        }
        let slots = try store.slotsInUse()
        try store.materialize { writer throws(StoreError) in
            for key in [LifeCounter.lastKey, LifeCounter.unnumberedKey] { try writer.remember(key, Int64(slots)) }
        }
        return .lastLife(last: Life(clamping: slots), unnumbered: Life(clamping: slots))
    }

    /// What a crash has left in the log and not in the tables.
    private static func settleLog(of store: any Store, historyLines: Int) throws {
        let materializer = Materializer(store, historyLines: historyLines)
        try store.loadLog { id, bytes in
            let batch = BatchBytes(capacity: bytes.count + 1)
            batch.put(bytes)
            materializer.add(batch, logged: id)
        }
        while !materializer.isDone { try materializer.step() }
    }

    /// Moves the rows of what could not be restored to where nobody else's will be.
    func move(_ failed: [FailedSession], on writer: JournalWriter) {
        writer.withStore { [self] store in
            do {
                var unrestored: [UnrestoredSession] = []
                // Where there is nothing to write, a full disk does not keep anybody from reading.
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
