// The content of a store in memory: rows and log, as values. A crash leaves a copy of it.

import Store

/// Everything that has been committed.
struct MemoryContent: Equatable {
    private(set) var sessions: [Int64: OwnedSessionRow] = [:]
    private(set) var history: [Int64: OwnedHistoryBlock] = [:]
    private var repeats: [Int64: RepeatRow] = [:]
    private(set) var numbers: [String: Int64] = [:]
    /// The batches that the tables do not contain, oldest first.
    private(set) var log: [LoggedBytes] = []
    private(set) var covered: Int64 = 0
    private(set) var newestLog: Int64 = 0

    struct LoggedBytes: Equatable {
        let id: Int64
        let bytes: [UInt8]
    }

    // MARK: Changing

    mutating func append(_ bytes: [UInt8]) {
        newestLog += 1
        log.append(LoggedBytes(id: newestLog, bytes: bytes))
    }

    mutating func put(_ row: OwnedSessionRow) { sessions[row.id] = row }

    mutating func drop(_ id: Int64) { sessions[id] = nil }

    mutating func put(_ row: OwnedHistoryBlock) { history[row.first] = row }

    mutating func put(_ row: RepeatRow) { repeats[row.serial] = row }

    mutating func remember(_ key: String, _ value: Int64) { numbers[key] = value }

    mutating func cover(_ id: Int64) {
        guard id > covered else { return }
        covered = id
        log.removeAll { $0.id <= id }
    }

    /// Deletes the blocks that lie wholly beyond the capacity.
    mutating func prune(to capacity: Int64) {
        guard let newest = newestEntry, let oldest = history.keys.min(), oldest <= newest - capacity else {
            return
        }
        history = history.filter { $0.value.last > newest - capacity }
        let first = history.keys.min() ?? newest
        repeats = repeats.filter { $0.key >= first }
    }

    // MARK: Reading

    /// Live sessions by row number, then those that were set aside.
    var sessionsInOrder: [OwnedSessionRow] {
        sessions.values.filter { $0.id >= 0 }.sorted { $0.id < $1.id }
            + sessions.values.filter { $0.id < 0 }.sorted { $0.id > $1.id }
    }

    var historyInOrder: [OwnedHistoryBlock] { history.values.sorted { $0.first < $1.first } }

    func repeats(of block: OwnedHistoryBlock) -> [RepeatRow] {
        repeats.values.filter { (block.first...block.last).contains($0.serial) }.sorted { $0.serial < $1.serial }
    }

    var newestEntry: Int64? { history.values.lazy.map(\.last).max() }

    var lowestRow: Int64 { sessions.keys.min() ?? 0 }
    var highestRow: Int64 { sessions.keys.max() ?? -1 }
}
