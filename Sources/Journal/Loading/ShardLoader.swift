// Reads one shard: brings its log into the tables, and reads the tables.

import Dispatch
import Memory
import Posix
import Sessions
import Store
import Synchronization
import Texts

struct ShardLoader {
    private static let partSize = 500
    /// A part ends at this size, where sessions carry much data.
    private static let maxPartBytes = 1 << 20

    private let load: ShardLoad
    private let hosted: Set<String>?
    private let historyLines: Int
    private let recent: RecentRows?
    /// The session to quarantine first; nil without one, and once that is done.
    private(set) var quarantine: Quarantine?

    /// `hosted` are the flows that are here; nil if sessions of others are to be set aside.
    init(_ load: ShardLoad, hosted: Set<String>?, historyLines: Int, _ recent: RecentRows?, _ quarantine: Quarantine?) {
        (self.load, self.hosted, self.historyLines) = (load, hosted, historyLines)
        (self.recent, self.quarantine) = (recent, quarantine)
    }

    /// Sends all parts but the end, which it returns.
    mutating func read(from tables: any StoreTables) throws -> ShardLoad.Ending {
        do {
            let lost = try appendMissing(tables)
            if lost > 0 { try load.send(.problem(Self.loss(of: lost, load.shard))) }
            try TablesRound.applyLog(of: load.shard, tables, historyLines: historyLines)
            let problem = try quarantine?.apply(to: tables)
            quarantine = nil
            if let problem { try load.send(.problem(problem)) }
            let missing = try sendRows(tables)
            return missing.isEmpty ? .complete(tables.takeFindings()) : .lacking(missing.sorted())
        } catch let error as StoreError where error.cause == .lost {
            return .lost
        }
    }

    /// A database that has gone back in time gets again the commits that this daemon had made before it lost the shard.
    /// Returns how many of them are not kept here.
    private func appendMissing(_ tables: any StoreTables) throws(StoreError) -> Int64 {
        guard let recent, let last = try tables.lastLogged(in: load.shard),
            let missing = recent.missing(in: load.shard, after: last)
        else { return 0 }
        for row in missing.rows { try tables.append(row.sent) }
        return missing.lost
    }

    private static func loss(of count: Int64, _ shard: Shard) -> String {
        "the database has gone back in time and lost \("commit".counted(count)) of shard \(shard.number), which had another owner then: "
            + "its sessions may be older than what was acknowledged"
    }

    /// Returns the flows that are missing.
    private func sendRows(_ tables: any StoreTables) throws -> Set<String> {
        var sessions = SessionRows()
        var flows = FlowsOfRows(hosted)
        var lines: [StoredEntry] = []
        try tables.load(
            load.shard, entries: historyLines, summary: { try load.send(.summary($0)) },
            sessions: { row in
                flows.check(row.flow)
                guard flows.missing.isEmpty else { return }
                sessions.append(row)
                guard sessions.count == Self.partSize || sessions.size >= Self.maxPartBytes else { return }
                try send(&sessions)
            },
            history: { block in
                guard flows.missing.isEmpty else { return }
                if sessions.count > 0 { try send(&sessions) }
                lines += try HistoryBlockReader.lines(of: block)
                guard lines.count >= Self.partSize else { return }
                try load.send(.lines(lines))
                lines.removeAll(keepingCapacity: true)
            })
        guard flows.missing.isEmpty else { return flows.missing }
        if sessions.count > 0 { try send(&sessions) }
        if !lines.isEmpty { try load.send(.lines(lines)) }
        return []
    }

    private func send(_ sessions: inout SessionRows) throws {
        sessions.readImages(until: load.moment)
        try load.send(.sessions(sessions))
        sessions = SessionRows()
    }
}

/// Checks which flows a shard's sessions need. Neighbouring rows are mostly of the same one.
private struct FlowsOfRows {
    private let hosted: Set<String>?
    private var latest: [UInt8]?
    private(set) var missing: Set<String> = []

    init(_ hosted: Set<String>?) {
        self.hosted = hosted
    }

    mutating func check(_ flow: Text) {
        guard let hosted else { return }
        if let latest, latest.withUnsafeBytes({ $0.hasSameBytes(as: flow) }) { return }
        latest = Array(flow)
        let name = flow.string
        if !hosted.contains(name) { missing.insert(name) }
    }
}

// MARK: - One reading of a shard: parts that a worker reads and the loop restores, of which only a few exist at a time.

final class ShardLoad: Sendable {
    enum Part: Sendable {
        /// A log message about work done before the first read.
        case problem(String)
        case summary(ShardSummary)
        case sessions(SessionRows)
        case lines([StoredEntry])
        case end(Ending)
        /// The rows of sessions that could not be restored are out of the way of live ones.
        case movedAside([SetAsideRow])
    }

    enum Ending: Sendable {
        /// With findings for the log.
        case complete([Finding])
        /// The shard cannot be restored here: these flows are missing.
        case lacking([String])
        /// It has another owner by now.
        case lost
        /// It is retried, in another load. `isNew` if that was not reported before.
        case failed(StoreError, isNew: Bool)
    }

    private struct PartQueue {
        var parts: [Part] = []
        var isCancelled = false
    }

    /// The load was cancelled.
    struct Cancelled: Error {}

    private static let maxParts = 16

    let shard: Shard
    /// When it began, which its sessions' times are measured to.
    let moment: StoredTime
    private let queue = Mutex(PartQueue())
    private let room = DispatchSemaphore(value: ShardLoad.maxParts)
    private let onPart: @Sendable () -> Void

    /// `onPart` is called by the worker's thread when there is another part.
    init(_ shard: Shard, at moment: StoredTime, onPart: @escaping @Sendable () -> Void) {
        (self.shard, self.moment, self.onPart) = (shard, moment, onPart)
    }

    // MARK: For the loop

    /// The next part, if one has been read.
    func next() -> Part? {
        let part = queue.withLock { $0.parts.isEmpty ? nil : $0.parts.removeFirst() }
        if part != nil { room.signal() }
        return part
    }

    /// The worker stops waiting for the loop.
    func cancel() {
        let waiting = queue.withLock { queue in
            queue.isCancelled = true
            defer { queue.parts = [] }
            return queue.parts.count
        }
        // One more, for a part that waits for room.
        for _ in 0...waiting { room.signal() }
    }

    /// The memory that its parts take, about.
    var bytes: Int {
        queue.withLock { queue in
            queue.parts.reduce(0) { if case .sessions(let sessions) = $1 { $0 + sessions.size } else { $0 } }
        }
    }

    // MARK: For the worker

    /// Waits while the loop is behind.
    func send(_ part: Part) throws(Cancelled) {
        room.wait()
        let isWanted = queue.withLock { queue in
            if !queue.isCancelled { queue.parts.append(part) }
            return !queue.isCancelled
        }
        guard isWanted else {
            room.signal()
            throw Cancelled()
        }
        onPart()
    }
}
