// A shared store whose outcomes a test chooses, and which records the commits.

import EventLoop
import Glibc
import Posix
import Store
import Synchronization

final class ScriptedStore: Store, StoreSharing {
    /// A row of a commit, as it was sent.
    struct Row: Equatable {
        let shard: Int
        let number: Int64
        let bytes: Int
        var taken: [MessageID] = []
    }

    /// The outcome of a commit.
    enum Outcome {
        case refused([Int])
        case failure(StoreError)
    }

    fileprivate struct Script {
        var sent: [[Row]] = []
        var outcomes: [Outcome] = []
        /// How often the writer has begun to wait for an outcome.
        var waits = 0
        var connections = 0
        var closesConnection = false
        /// The last rows of the logs. A log that is not listed has no commit of the script, and lacks no row.
        var lastLogged: [Int: Int64] = [:]
        /// Shards with later epochs than those of the writer.
        var passed: Set<Int> = []
        /// Connecting waits meanwhile.
        var isHanging = false
        var isConnecting = false
        /// No connection is opened any more.
        var isCancelled = false
        var saved: [SavedVersion] = []
        /// Errors of the next connections, before or after they are open.
        var openingErrors: [StoreError] = []
        var lookupErrors: [StoreError] = []
    }

    let place = "a script"
    let shardCount = 4
    let hasOneConnection = false
    let durability: Durability
    let historyCapacity: Int64 = 1_000
    fileprivate let script = Mutex(Script())
    fileprivate let isNews: Waker

    init(_ durability: Durability = .always) throws {
        self.durability = durability
        isNews = try Waker()
    }

    /// Commits, in the order in which they were sent.
    var sent: [[Row]] { script.withLock { $0.sent } }
    var waits: Int { script.withLock { $0.waits } }

    /// Gives the next commit this outcome; the others wait.
    func complete(with outcome: Outcome) {
        script.withLock { $0.outcomes.append(outcome) }
        isNews.wake()
    }

    /// The database goes back in time: the logs of these shards end with these numbers.
    func rewind(to lastLogged: [Int: Int64], saved: [SavedVersion] = []) {
        script.withLock { script in
            script.lastLogged.merge(lastLogged) { $1 }
            script.saved = saved
        }
    }

    /// The server reads a commit that was given up: the logs of these shards end with its rows.
    func commitLate(_ rows: [Int: Int64]) { script.withLock { $0.lastLogged.merge(rows) { $1 } } }

    /// Other nodes have raised the epochs of these shards.
    func raiseEpochs(of shards: Int...) { script.withLock { $0.passed.formUnion(shards) } }

    /// How often a connection was opened.
    var connections: Int { script.withLock { $0.connections } }

    /// The next connection cannot be opened, or the first question on it fails.
    func failNextConnection(with error: StoreError, isOpen: Bool) {
        script.withLock { if isOpen { $0.lookupErrors.append(error) } else { $0.openingErrors.append(error) } }
    }

    /// The connection ends while nothing is in flight.
    func closeConnection() {
        script.withLock { $0.closesConnection = true }
        isNews.wake()
    }

    /// Whether connecting waits.
    var isHanging: Bool {
        get { script.withLock { $0.isHanging } }
        set { script.withLock { $0.isHanging = newValue } }
    }

    /// Whether a connection is being opened.
    var isConnecting: Bool { script.withLock { $0.isConnecting } }

    func cancelConnections() {
        script.withLock { $0.isCancelled = true }
        complete(with: .failure(StoreError(.failed, "cancelled")))
    }

    private var isCancelled: Bool { script.withLock { $0.isCancelled } }

    func openLog() throws(StoreError) -> any StoreLog {
        script.withLock { ($0.connections, $0.isConnecting) = ($0.connections + 1, true) }
        defer { script.withLock { $0.isConnecting = false } }
        while isHanging, !isCancelled { usleep(1_000) }
        if isCancelled { throw StoreError(.failed, "connecting was cancelled") }
        if let error = script.withLock({ $0.openingErrors.popLast() }) { throw error }
        return ScriptedLog(self)
    }

    func openTables() throws(StoreError) -> any StoreTables { throw StoreError(.failed, "a scripted store has no tables") }

    var sharing: (any StoreSharing)? { self }
    func openMessages() throws(StoreError) -> any StoreMessages {
        throw StoreError(.failed, "a scripted store has no messages")
    }
    func beginBackup(to path: String) throws(StoreError) -> any Backup {
        throw StoreError(.failed, "a scripted store has no backups")
    }
    func close() throws(StoreError) {}
}

private final class ScriptedLog: StoreLog {
    private let store: ScriptedStore
    private var underWay: [[ScriptedStore.Row]] = []
    let depth = 2

    init(_ store: ScriptedStore) { self.store = store }

    func send(_ batches: [ShardBatch]) throws(StoreError) {
        let rows = batches.map {
            ScriptedStore.Row(shard: $0.shard.number, number: $0.number, bytes: $0.bytes.count, taken: $0.taken)
        }
        underWay.append(rows)
        store.script.withLock { script in
            script.sent.append(rows)
            for row in rows where script.lastLogged[row.shard] == nil { script.lastLogged[row.shard] = row.number - 1 }
        }
    }

    private func commit(_ rows: [ScriptedStore.Row], refusedBy shards: [Int]) {
        store.script.withLock { script in
            for row in rows where !shards.contains(row.shard) { script.lastLogged[row.shard] = row.number }
        }
    }

    func outcome(orUntil waker: Int32) throws(StoreError) -> [Int]? {
        store.script.withLock { $0.waits += 1 }
        while true {
            store.isNews.clear()
            if let outcome = store.script.withLock({ $0.outcomes.isEmpty ? nil : $0.outcomes.removeFirst() }) {
                switch outcome {
                case .refused(let shards):
                    commit(underWay.removeFirst(), refusedBy: shards)
                    return shards
                case .failure(let error): throw error
                }
            }
            var waiting = [store.isNews.descriptor, waker].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&waiting, 2, -1)
            if waiting[1].revents != 0 { return nil }
        }
    }

    func lastLogged(in shards: [Shard]) throws(StoreError) -> [Int: Int64] {
        if let error = store.script.withLock({ $0.lookupErrors.popLast() }) { throw error }
        return lastLogged(of: shards)
    }

    private func lastLogged(of shards: [Shard]) -> [Int: Int64] {
        store.script.withLock { script in
            let present = shards.map(\.number).filter { !script.passed.contains($0) }
            return Dictionary(uniqueKeysWithValues: present.map { ($0, script.lastLogged[$0] ?? .max) })
        }
    }

    func savedVersions(in shard: Shard) throws(StoreError) -> [SavedVersion] { store.script.withLock { $0.saved } }

    func wait(until waker: Int32, atMost milliseconds: Int32) throws(StoreError) {
        while true {
            let closesConnection = store.script.withLock { script in
                defer { script.closesConnection = false }
                return script.closesConnection
            }
            if closesConnection { throw StoreError(.failed, "the connection has ended") }
            var waiting = [store.isNews.descriptor, waker].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&waiting, 2, milliseconds) > 0 else { return }
            if waiting[1].revents != 0 { return }
            store.isNews.clear()
        }
    }

    func close() {}
}
