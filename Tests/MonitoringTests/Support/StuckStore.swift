import Foundation
import MemoryStore
import Store
import Synchronization

/// A store whose disk can be held up.
final class StuckStore: Store {
    private let store = MemoryStore()
    private let stuck = Mutex(false)

    var isStuck: Bool {
        get { stuck.withLock { $0 } }
        set { stuck.withLock { $0 = newValue } }
    }

    var directory: String { store.directory }
    var durability: Durability { store.durability }
    var trouble: StoreError? { store.trouble }

    private func wait() {
        while isStuck { usleep(1_000) }
    }

    func append(_ batches: [UnsafeRawBufferPointer]) throws(StoreError) -> Int64 {
        wait()
        return try store.append(batches)
    }

    func sync() throws(StoreError) {
        wait()
        try store.sync()
    }

    func materialize(
        coveringLogThrough covered: Int64?, _ write: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError) {
        wait()
        try store.materialize(coveringLogThrough: covered, write)
    }

    func load(
        sessions: (SessionRow) throws -> Void, history: (HistoryRow) throws -> Void,
        log: (Int64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try store.load(sessions: sessions, history: history, log: log)
    }

    func loadLog(_ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws { try store.loadLog(body) }
    func slotsInUse() throws -> Int { try store.slotsInUse() }
    func number(_ key: String) throws(StoreError) -> Int64? { try store.number(key) }
    func takeFindings() -> [Finding] { store.takeFindings() }
    func maintain() throws(StoreError) -> Bool { try store.maintain() }
    func beginBackup(to path: String) throws(StoreError) -> any Backup { try store.beginBackup(to: path) }
    func close() throws(StoreError) { try store.close() }
}
