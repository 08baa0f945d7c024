// A store in memory whose disk waits and fails as a test says.

import Foundation
import MemoryStore
import Store
import Synchronization

final class HeldDisk: Store {
    private struct State {
        var isHeld = false
        var failure: StoreError?
    }

    private let store: MemoryStore
    private let state = Mutex(State())

    init(_ store: MemoryStore = MemoryStore(.always)) { self.store = store }

    /// Appending waits from now on.
    func hold() { state.withLock { $0.isHeld = true } }

    /// What waits, and all that follows, fails from now on.
    func fail(_ failure: StoreError) { state.withLock { $0 = State(failure: failure) } }

    /// Appending succeeds from now on.
    func repair() { state.withLock { $0 = State() } }

    /// What the next process finds.
    func successor() -> MemoryStore { store.successor() }

    var directory: String { store.directory }
    var durability: Durability { store.durability }
    var trouble: StoreError? { store.trouble }

    func append(_ batches: [UnsafeRawBufferPointer]) throws(StoreError) -> Int64 {
        while state.withLock({ $0.isHeld }) { usleep(1_000) }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return try store.append(batches)
    }

    func sync() throws(StoreError) { try store.sync() }

    func materialize(
        coveringLogThrough covered: Int64?, _ write: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError) { try store.materialize(coveringLogThrough: covered, write) }

    func load(
        sessions: (SessionRow) throws -> Void, history: (HistoryRow) throws -> Void,
        log: (Int64, UnsafeRawBufferPointer) throws -> Void
    ) throws { try store.load(sessions: sessions, history: history, log: log) }

    func loadLog(_ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws { try store.loadLog(body) }
    func slotsInUse() throws -> Int { try store.slotsInUse() }
    func number(_ key: String) throws(StoreError) -> Int64? { try store.number(key) }
    func takeFindings() -> [Finding] { store.takeFindings() }
    func maintain() throws(StoreError) -> Bool { try store.maintain() }
    func beginBackup(to path: String) throws(StoreError) -> any Backup { try store.beginBackup(to: path) }
    func close() throws(StoreError) { try store.close() }
}
