// A shared store whose outcomes a test chooses, and which records the commits.

import EventLoop
import Glibc
import Posix
import Store
import Synchronization

final class StagedStore: Store, StoreSharing {
    /// A row of a commit, as it was sent.
    struct Row: Equatable {
        let shard: Int
        let number: Int64
        let bytes: Int
        var taken: [Int64] = []
    }

    /// The outcome of a commit.
    enum Outcome {
        case refused([Int])
        case failure(StoreError)
    }

    fileprivate struct Stage {
        var sent: [[Row]] = []
        var outcomes: [Outcome] = []
        /// How often the writer has begun to wait for an outcome.
        var waits = 0
        var connections = 0
        var hangsUp = false
        /// The last rows of the logs that lack rows.
        var lastLogged: [Int: Int64] = [:]
        var saved: [SavedVersion] = []
    }

    let place = "a stage"
    let shardCount = 4
    let hasOneConnection = false
    let durability = Durability.always
    let historyCapacity: Int64 = 1_000
    fileprivate let stage = Mutex(Stage())
    fileprivate let isNews: Waker

    init() throws { isNews = try Waker() }

    /// Commits, in the order in which they were sent.
    var sent: [[Row]] { stage.withLock { $0.sent } }
    var waits: Int { stage.withLock { $0.waits } }

    /// Gives the next commit this outcome; the others wait.
    func come(to outcome: Outcome) {
        stage.withLock { $0.outcomes.append(outcome) }
        isNews.wake()
    }

    /// The database goes back in time: the logs of these shards end with these numbers.
    func goBack(to lastLogged: [Int: Int64], saved: [SavedVersion] = []) {
        stage.withLock { ($0.lastLogged, $0.saved) = (lastLogged, saved) }
    }

    /// How often a connection was opened.
    var connections: Int { stage.withLock { $0.connections } }

    /// The connection ends while nothing is in flight.
    func hangUp() {
        stage.withLock { $0.hangsUp = true }
        isNews.wake()
    }

    func openLog() throws(StoreError) -> any StoreLog {
        stage.withLock { $0.connections += 1 }
        return StagedLog(self)
    }

    func openTables() throws(StoreError) -> any StoreTables { throw StoreError(.failed, "a stage has no tables") }

    var sharing: (any StoreSharing)? { self }
    func openMessages() throws(StoreError) -> any StoreMessages { throw StoreError(.failed, "a stage has no messages") }
    func beginBackup(to path: String) throws(StoreError) -> any Backup { throw StoreError(.failed, "a stage has no backups") }
    func close() throws(StoreError) {}
}

private final class StagedLog: StoreLog {
    private let store: StagedStore
    let depth = 2

    init(_ store: StagedStore) { self.store = store }

    func send(_ batches: [ShardBatch]) throws(StoreError) {
        store.stage.withLock { stage in
            stage.sent.append(
                batches.map {
                    StagedStore.Row(shard: $0.shard.number, number: $0.number, bytes: $0.bytes.count, taken: $0.taken)
                })
        }
    }

    func outcome(orUntil waker: Int32) throws(StoreError) -> [Int]? {
        store.stage.withLock { $0.waits += 1 }
        while true {
            store.isNews.clear()
            if let outcome = store.stage.withLock({ $0.outcomes.isEmpty ? nil : $0.outcomes.removeFirst() }) {
                switch outcome {
                case .refused(let shards): return shards
                case .failure(let error): throw error
                }
            }
            var waiting = [store.isNews.descriptor, waker].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&waiting, 2, -1)
            if waiting[1].revents != 0 { return nil }
        }
    }

    func lastLogged(in shards: [Shard]) throws(StoreError) -> [Int: Int64] {
        store.stage.withLock { stage in
            Dictionary(uniqueKeysWithValues: shards.map { ($0.number, stage.lastLogged[$0.number] ?? .max) })
        }
    }

    func savedVersions(in shard: Shard) throws(StoreError) -> [SavedVersion] { store.stage.withLock { $0.saved } }

    func wait(until waker: Int32, atMost milliseconds: Int32) throws(StoreError) {
        while true {
            let hangsUp = store.stage.withLock { stage in
                defer { stage.hangsUp = false }
                return stage.hangsUp
            }
            if hangsUp { throw StoreError(.failed, "the connection has ended") }
            var waiting = [store.isNews.descriptor, waker].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&waiting, 2, milliseconds) > 0 else { return }
            if waiting[1].revents != 0 { return }
            store.isNews.clear()
        }
    }

    func cancel() { store.come(to: .failure(StoreError(.failed, "cancelled"))) }

    func close() {}
}
