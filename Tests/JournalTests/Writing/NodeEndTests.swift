// The end of a node's persistence, with each outcome of its last commits: it throws if the exit status must not be 0.

import Store
import TestSupport
import Testing
import Timers
@testable import EventLoop
@testable import Journal
@testable import Logging
@testable import Sessions

/// Has two shards without sessions.
private final class EndingNode {
    let store: ScriptedStore
    let persistence: Persistence
    private let sessions: Sessions
    private let loop: Loop

    init(_ durability: Durability = .everysec) throws {
        store = try ScriptedStore(durability)
        loop = try Loop(Timekeeper(VirtualClock()))
        sessions = Sessions(on: loop.timekeeper, flows: [])
        persistence = try Persistence(store, of: sessions, on: loop, historyLines: 10, sessionHistory: 10, log: .silent)
        for number in 0..<2 {
            let shard = Shard(number, epoch: 3)
            persistence.shards[number] = shard
            persistence.areHere[number] = true
            persistence.journal.own(shard, after: 10)
        }
    }

    private var writer: LogWriter { persistence.journal.writer }

    /// Changes the shard in the open turn.
    func change(_ shard: Int) { persistence.journal.markApplied(MessageID(7, key: 7), in: shard) }

    func commit(_ shard: Int) {
        change(shard)
        persistence.journal.submitTurn()
        store.complete(with: .refused([]))
        let turn = persistence.journal.handedOver
        #expect(eventually { self.writer.report.safeThrough == turn })
    }

    func submitTimers(of shard: Int) {
        change(shard)
        persistence.journal.submitTurn(ofTimersAlone: true)
    }

    /// The connection ends. The next one finds what was committed.
    func reconnect() {
        let connections = store.connections
        store.closeConnection()
        #expect(eventually { self.store.connections > connections && self.writer.report.isCurrent })
    }

    /// The connection ends, and no other one can be opened.
    func disconnect() {
        store.isHanging = true
        store.closeConnection()
        #expect(eventually { self.store.isConnecting })
    }

    /// Returns the error; nil if the status is 0.
    func end(within milliseconds: Int = 10) -> String? {
        do throws(StoreError) {
            try persistence.finish(within: .milliseconds(milliseconds))
            return nil
        } catch {
            return error.description
        }
    }
}

@Suite struct `The end of a node` {
    private static let maybe = "changes that were acknowledged and not written may be lost"

    @Test(arguments: [Durability.always, .everysec])
    func `A node that cannot store remaining times alone ends without an error`(durability: Durability) throws {
        let node = try EndingNode(durability)
        node.disconnect()
        node.persistence.prepareToLeave()
        node.submitTimers(of: 0)
        #expect(node.end() == nil)
    }

    @Test(arguments: [Durability.always, .everysec], [false, true])
    func `A database that is gone after the last commits may have lost them with everysec`(
        durability: Durability, hasTimers: Bool
    ) throws {
        let node = try EndingNode(durability)
        node.commit(0)
        node.persistence.prepareToLeave()
        node.disconnect()
        if hasTimers { node.submitTimers(of: 1) }
        let error = node.end()
        #expect(durability == .always ? error == nil : error?.hasSuffix(Self.maybe) == true, "\(error ?? "no error")")
    }

    @Test func `Commits that a later connection has found are not lost`() throws {
        let node = try EndingNode()
        node.commit(0)
        node.reconnect()
        node.disconnect()
        node.persistence.prepareToLeave()
        node.submitTimers(of: 1)
        #expect(node.end() == nil)
    }

    @Test func `A node that ends with an open connection has lost nothing`() throws {
        let node = try EndingNode()
        node.persistence.prepareToLeave()
        node.commit(0)
        #expect(node.end(within: 30_000) == nil)
    }

    @Test(arguments: [false, true])
    func `A loss before the node leaves does not count for its end`(isLeaving: Bool) throws {
        let node = try EndingNode()
        node.commit(0)
        if isLeaving { node.persistence.prepareToLeave() }
        node.store.rewind(to: [0: 10])
        node.store.closeConnection()
        #expect(eventually { node.store.sent.count == 2 })
        node.store.complete(with: .refused([0]))
        #expect(eventually { node.persistence.journal.writer.report.isCurrent })
        if !isLeaving { node.persistence.prepareToLeave() }
        node.reconnect()
        node.disconnect()
        node.submitTimers(of: 1)
        let error = node.end()
        #expect(isLeaving ? error?.hasSuffix(Self.maybe) == true : error == nil, "\(error ?? "no error")")
    }

    @Test(arguments: [false, true])
    func `Changes in a shard that a node still has at its deadline are lost if another node has it by then`(
        isRefused: Bool
    ) throws {
        let node = try EndingNode()
        node.change(1)
        node.persistence.prepareToLeave()
        node.persistence.forgetAll()
        #expect(!node.persistence.serves(1))
        #expect(eventually { node.store.sent.count == 1 })
        node.store.complete(with: .refused(isRefused ? [1] : []))
        let loss =
            "the last changes were not committed; changes of 1 shard (1) that were acknowledged and not written may be lost"
        #expect(node.end(within: 30_000) == (isRefused ? loss : nil))
    }
}
