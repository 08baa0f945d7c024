// A store without a disk, for tests that restart a daemon thousands of times: it behaves like SQLiteStore, and can die between any two
// transactions.

import Glibc
import Store
import Synchronization

package final class MemoryStore: Store {
    package let place = "memory"
    package let shardCount = 1
    package let hasOneConnection = true
    package let durability: Durability
    package let historyCapacity: Int64
    private let state: Mutex<State>

    private struct State {
        var content = MemoryContent()
        /// How many transactions succeed before it dies; nil if it lives.
        var transactionsLeft: Int?
        /// The daemon that used it is gone: calls from its threads are neither stored nor refused.
        var isAbandoned = false
        var takesSeconds: UInt32 = 0
        var trouble = Trouble()
        var maintenances = 0
    }

    /// How often its tables were maintained.
    package var maintenances: Int { state.withLock { $0.maintenances } }
    func countMaintenance() { state.withLock { $0.maintenances += 1 } }

    /// A failure of the simulated disk.
    package struct Trouble: Sendable {
        /// Writing waits, and so does checking the files.
        package var isStuck = false
        package var failure: StoreError?
        /// Why the next start would not find the files.
        package var displacement: StoreError?

        package init(isStuck: Bool = false, failure: StoreError? = nil, displacement: StoreError? = nil) {
            (self.isStuck, self.failure, self.displacement) = (isStuck, failure, displacement)
        }
    }

    /// The present failure of the disk.
    package var trouble: Trouble {
        get { state.withLock { $0.trouble } }
        set { state.withLock { $0.trouble = newValue } }
    }

    package var displacement: StoreError? {
        while trouble.isStuck { usleep(1_000) }
        return trouble.displacement
    }

    package convenience init(_ durability: Durability = .always, historyCapacity: Int = 4_096) {
        self.init(durability, Int64(historyCapacity), MemoryContent())
    }

    private init(_ durability: Durability, _ historyCapacity: Int64, _ content: MemoryContent) {
        self.durability = durability
        self.historyCapacity = historyCapacity
        state = Mutex(State(content: content))
    }

    /// The batches that the tables lack.
    package var loggedBatches: Int { content.log.count }

    /// How long reading takes, in seconds.
    package var takesSeconds: UInt32 {
        get { state.withLock { $0.takesSeconds } }
        set { state.withLock { $0.takesSeconds = newValue } }
    }

    // MARK: Dying

    /// Lets the process die after this many more transactions: the next one and all that follow fail.
    package func die(after transactions: Int) {
        state.withLock { $0.transactionsLeft = transactions }
    }

    /// The store as the next process finds it. Later changes by this process are ignored.
    package func successor() -> MemoryStore {
        let content = state.withLock { state in
            state.isAbandoned = true
            return state.content
        }
        return MemoryStore(durability, historyCapacity, content)
    }

    private static var death: StoreError { StoreError(.failed, "the process has died") }

    /// Commits all changes of `body` or none.
    private func transaction<Result>(
        _ body: (inout MemoryContent) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        while trouble.isStuck { usleep(1_000) }
        if let failure = trouble.failure { throw failure }
        var draft = try state.withLock { state throws(StoreError) in
            guard state.isAbandoned || state.transactionsLeft != 0 else { throw Self.death }
            return state.content
        }
        let result = try body(&draft)
        state.withLock { state in
            guard !state.isAbandoned else { return }
            state.content = draft
            state.transactionsLeft? -= 1
        }
        return result
    }

    private var isAbandoned: Bool { state.withLock { $0.isAbandoned } }
    private var content: MemoryContent { state.withLock { $0.content } }

    // MARK: Writing

    package func openLog() throws(StoreError) -> any StoreLog { MemoryLog(self) }
    package func openTables() throws(StoreError) -> any StoreTables { MemoryTables(self) }

    package func append(_ batches: [UnsafeRawBufferPointer]) throws(StoreError) -> Int64 {
        try transaction { content throws(StoreError) in
            for batch in batches { content.append(Array(batch)) }
            return content.newestLog
        }
    }

    package func materialize(
        coveringLogThrough covered: Int64? = nil, _ write: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError) {
        try transaction { content throws(StoreError) in
            let writer = MemoryTableWriter(content)
            try write(writer)
            content = writer.content
            content.prune(to: historyCapacity)
            guard let covered else { return }
            precondition(
                isAbandoned || covered <= content.newestLog, "the tables cannot contain what was never appended")
            content.cover(covered)
        }
    }

    // MARK: Reading

    package func load(
        sessions: (SessionRow) throws -> Void, history: (HistoryBlock) throws -> Void,
        log: (Int64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        sleep(takesSeconds)
        for row in content.sessionsInOrder { try row.lend(sessions) }
        for row in content.historyInOrder { try row.lend(with: content.repeats(of: row), history) }
        try loadLog(log)
    }

    package func loadLog(_ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws {
        for entry in content.log { try entry.bytes.withUnsafeBytes { try body(entry.id, $0) } }
    }

    package func slotsInUse() throws -> Int { Int(max(-1, content.highestRow) + 1) }

    package func number(_ key: String) throws(StoreError) -> Int64? { content.numbers[key] }

    var newestEntry: Int64? { content.newestEntry }
    var lastLogged: Int64 { content.newestLog }

    // MARK: Backups

    package func beginBackup(to path: String) throws(StoreError) -> any Backup { MemoryBackup() }

    package func close() throws(StoreError) {
        // A clean end counts as a transaction, which a dying process does not reach.
        try transaction { _ throws(StoreError) in }
    }
}

/// Rows for one transaction.
private final class MemoryTableWriter: TableWriter {
    private(set) var content: MemoryContent

    init(_ content: MemoryContent) {
        self.content = content
    }

    func session(_ row: SessionRow) throws(StoreError) {
        precondition(row.id >= 0, "row numbers of living sessions are 0 or more")
        content.put(OwnedSessionRow(row, at: row.id))
    }

    func drop(_ id: Int64, named name: Text) throws(StoreError) { content.drop(id) }

    func writeSetAside(_ row: SessionRow, because problem: String) throws(StoreError) -> Int64 {
        let id = row.id < 0 ? row.id : min(0, content.lowestRow) - 1
        content.drop(row.id)
        content.put(OwnedSessionRow(row, at: id, problem: problem))
        return id
    }

    func history(_ block: HistoryBlock) throws(StoreError) { content.put(OwnedHistoryBlock(block)) }

    func `repeat`(_ row: RepeatRow) throws(StoreError) { content.put(row) }

    func remember(_ key: String, _ value: Int64) throws(StoreError) { content.remember(key, value) }
}

/// A backup that is not written.
private final class MemoryBackup: Backup {
    var progress: Double { 1 }
    var size: Int { 0 }

    func copy() throws(StoreError) -> Bool { false }

    func complete() throws(StoreError) {}
}
