// The mail router of a node, with messages that a test stores.

import Cluster
import EventLoop
import GameFlow
import Glibc
import Logging
import Memory
import MemoryStore
import Store
import Synchronization
import TestSupport
import Testing
import Timers
@testable import Journal
@testable import Sessions

/// Returns its messages to the first reading.
final class StoredMessages: StoreSharing, StoreMessages {
    private let messages: Mutex<[WaitingMessage]>

    init(_ messages: [WaitingMessage]) { self.messages = Mutex(messages) }

    var areRead: Bool { messages.withLock { $0.isEmpty } }

    func openMessages() throws(StoreError) -> any StoreMessages { self }
    func counts() throws(StoreError) -> [Int: Int] { [:] }

    func read(_ shard: Int, without known: [Int64], atMost limit: Int) throws(StoreError) -> [WaitingMessage] {
        messages.withLock { exchange(&$0, with: []) }
    }

    func announceMessages(for shards: Set<Int>) throws(StoreError) {}
    func leave(_ note: TrapNote) throws(StoreError) {}

    func waitForMessages(orUntil waker: Int32, atMost milliseconds: Int32) throws(StoreError) -> Set<Int> {
        var waiting = pollfd(fd: waker, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, milliseconds)
        return []
    }
}

/// A store in memory that other nodes might use.
final class SharedStore: Store {
    let (place, shardCount, hasOneConnection, historyCapacity) = ("memory", 1, true, Int64(100))
    let durability = Durability.always
    let sharing: (any StoreSharing)?
    private let memory = MemoryStore()

    init(_ messages: StoredMessages) { sharing = messages }

    func openLog() throws(StoreError) -> any StoreLog { try memory.openLog() }
    func openTables() throws(StoreError) -> any StoreTables { try memory.openTables() }
    func beginBackup(to path: String) throws(StoreError) -> any Backup { try memory.beginBackup(to: path) }
    func close() throws(StoreError) { try memory.close() }
}

/// Releases a shard once it is loaded, as a node does that owes it to another.
private final class ReleasingNode: PersistenceDelegate {
    let persistence: Persistence
    private(set) var hasReleased = false

    init(_ persistence: Persistence) {
        self.persistence = persistence
        persistence.delegate = self
    }

    func shardsDidChange(_ events: [ShardEvent]) {
        for case .loaded(let shard) in events {
            persistence.release(shard.number)
            hasReleased = true
        }
    }

    func restoringDidChange() {}
}

@Suite struct `A mail router` {
    private let shard = Shard(0, epoch: 3)

    /// Row 11 of the shard, which has applied the message with this key.
    private func applied(_ key: Int64) -> [Commit.Row] {
        var commit = Commit()
        let part = Turn.Part(shard: shard, range: 0..<0, taken: [MessageID(1, key: key)])
        commit.add(Turn(number: 1, batches: BatchBytes(), parts: [part], isWhole: true)) { _ in 11 }
        return commit.rows
    }

    @Test func `A message that a recent row of its shard has applied is deleted, and not applied again`() throws {
        let body = Message(from: "bob", to: "ann", .event("wasHit", data: nil)).bytes
        let (taken, hits) = try receive(
            [WaitingMessage(MessageID(5, key: 7), body), WaitingMessage(MessageID(6, key: 8), body)], deleting: 2)
        #expect(taken == [7, 8] && hits == 1)
    }

    @Test func `A message that only a newer version can read is not deleted, and a damaged one is`() throws {
        let body = Message(from: "bob", to: "ann", .event("wasHit", data: nil)).bytes
        let bodies: [[UInt8]] = [[2] + body.dropFirst(), [1, 99] + body.dropFirst(2), [1, 3], body]
        let messages = bodies.enumerated().map { WaitingMessage(MessageID(Int64($0), key: Int64(20 + $0)), $1) }
        let (taken, hits) = try receive(messages, deleting: 2)
        #expect(taken == [22, 23] && hits == 1)
    }

    /// Formerly its sessions were gone, and the senders got `error.communication`.
    @Test func `Messages to a shard that is released as soon as it is loaded are left to its next owner`() throws {
        let loop = try Loop()
        let sessions = Sessions(on: loop.timekeeper, flows: [.flow(EffectFlow.self)])
        let messages = StoredMessages([
            WaitingMessage(MessageID(5, key: 7), Message(from: "bob", to: "ann", .event("wasHit", data: nil)).bytes)
        ])
        let node = ReleasingNode(
            try Persistence(
                SharedStore(messages), of: sessions, on: loop, historyLines: 10, sessionHistory: 10, log: .silent))
        node.persistence.load(shard)
        var isLate = false
        let timeout = loop.schedule(after: 30_000) { isLate = true }
        while !node.hasReleased, !isLate { try loop.turn() }
        withExtendedLifetime(timeout) {}
        let thread = try #require(node.persistence.mailroom).thread
        #expect(eventually { messages.areRead }, "nothing was read")
        thread.close()
        thread.waitForEnd()
        // What was read arrives in the first turn, and would be applied in the second.
        for _ in 0..<4 {
            loop.schedule {}
            try loop.turn()
        }
        #expect(node.persistence.journal.drafts[0]?.taken.isEmpty ?? true)
    }

    /// Applies messages until so many are deleted. Returns their keys, and how often `ann` was hit.
    private func receive(_ waiting: [WaitingMessage], deleting count: Int) throws -> (taken: [Int64]?, hits: Int?) {
        let (loop, recent) = (try Loop(), RecentRows())
        let sessions = Sessions(on: loop.timekeeper, flows: [.flow(EffectFlow.self)])
        _ = try sessions.begin(ByteString("ann"), try #require(sessions.flow(named: "effects")), nil, from: .network)
        // Nothing is committed: the workers are not started.
        let store = try ScriptedStore()
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        let writer = LogWriter(store, tables, recent, on: try Worker(named: "gamed.log")) { _ in }
        let journal = Journal(writer, .always, try #require(ShardMap(count: 1)), StoreClock(), ActorTable())
        journal.own(shard, after: 10)
        for row in applied(7) { recent.add(row, at: Worker.now()) }

        let router = try MailRouter(StoredMessages(waiting), of: sessions, journal, recent, on: loop, log: .silent)
        defer {
            router.thread.close()
            router.thread.waitForEnd()
        }
        router.open(shard)
        var isLate = false
        let timeout = loop.schedule(after: 30_000) { isLate = true }
        while journal.drafts[0]?.taken.count != count, !isLate { try loop.turn() }
        withExtendedLifetime(timeout) {}
        return (journal.drafts[0]?.taken.map(\.key), try sessions["ann"]?.stateData()["record"]?["hits"]?.integer)
    }
}
