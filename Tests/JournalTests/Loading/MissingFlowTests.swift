// Shards with sessions of a flow that a node lacks.

import GameFlow
import Memory
import Store
import TestSupport
import Testing
@testable import EventLoop
@testable import Journal
@testable import Sessions

/// A node that loads its only shard.
private final class LoadingNode: PersistenceDelegate {
    static let shard = Shard(0, epoch: 3)

    let sessions: Sessions
    let persistence: Persistence
    private let loop: Loop
    private(set) var events: [ShardEvent] = []

    init(_ store: SharedStore, flows: [FlowKind]) throws {
        loop = try Loop()
        sessions = Sessions(on: loop.timekeeper, flows: flows)
        persistence = try Persistence(store, of: sessions, on: loop, historyLines: 10, sessionHistory: 10, log: .silent)
        persistence.delegate = self
        persistence.load(Self.shard)
    }

    func shardsDidChange(_ events: [ShardEvent]) { self.events += events }
    func restoringDidChange() {}

    /// Runs the loop until the load has ended, for 30 s at most.
    func run() throws {
        var isLate = false
        let timeout = loop.schedule(after: 30_000) { isLate = true }
        while events.isEmpty, !isLate { try loop.turn() }
        withExtendedLifetime(timeout) {}
    }
}

@Suite struct `A shard with a session of a missing flow` {
    /// A store with the session `ann`.
    private func store() throws -> SharedStore {
        let store = SharedStore(StoredMessages([]))
        let node = try LoadingNode(store, flows: [.flow(EffectFlow.self)])
        try node.run()
        _ = try node.sessions.begin(
            ByteString("ann"), try #require(node.sessions.flow(named: "effects")), nil, from: .network)
        try node.persistence.finish()
        return store
    }

    @Test func `A node declines the shard, and names the flow`() throws {
        let node = try LoadingNode(try store(), flows: [])
        try node.run()
        #expect(node.events == [.lacking(LoadingNode.shard, flows: ["effects"])])
        try node.persistence.finish()
    }

    @Test func `A node loads the shard again if it has got the flow since the load began`() throws {
        let node = try LoadingNode(try store(), flows: [])
        #expect(eventually { node.persistence.reader.current != nil }, "the load has begun without the flow")
        node.sessions.host(.flow(EffectFlow.self))
        node.persistence.hostedFlowsDidChange()
        try node.run()
        #expect(node.events == [.loaded(LoadingNode.shard)] && node.sessions.count == 1, "\(node.events)")
        try node.persistence.finish()
    }
}
