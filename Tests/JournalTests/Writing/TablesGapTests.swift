// A database that has gone back in time lacks changes that the writer no longer keeps: sessions that are newer than their rows are saved again.

import EventLoop
import GameFlow
import JSON
import Memory
import Posix
import Store
import TestSupport
import Testing
import Timers
@testable import Journal
@testable import Sessions

/// Serves one shard with sessions in their first version. Nothing is committed, so that a test can count what is recorded.
private final class RewoundNode {
    let persistence: Persistence
    let sessions: Sessions
    let shard: Shard
    private let store: ScriptedStore
    private let loop: Loop

    init(sessions count: Int) throws {
        let (store, loop) = (try ScriptedStore(), try Loop())
        store.isHanging = true
        let sessions = Sessions(on: loop.timekeeper, flows: [.flow(EffectFlow.self)])
        let flow = try #require(sessions.flow(named: "effects"))
        for number in 0..<count { _ = try sessions.begin(Self.name(number), flow, nil, from: .network) }
        let persistence = try Persistence(store, of: sessions, on: loop, historyLines: 10, sessionHistory: 10, log: .silent)
        shard = Shard(persistence.shard(of: Self.name(0)), epoch: 3)
        (self.store, self.loop, self.sessions, self.persistence) = (store, loop, sessions, persistence)
        for session in sessions.all { persistence.journal.assign(session.machine.tag, to: shard.number) }
        persistence.journal.own(shard, after: 10)
        serve()
    }

    deinit { try? persistence.finish(within: .milliseconds(10)) }

    /// All names are in one shard.
    static func name(_ number: Int) -> ByteString { ByteString("{room}\(number)") }

    static func row(_ number: Int, version: Int64) -> SavedVersion {
        SavedVersion(name: name(number).text, life: 3, version: version)
    }

    var recorded: Int { persistence.journal.recorded }

    func serve(_ isHere: Bool = true) {
        persistence.shards[shard.number] = shard
        persistence.areHere[shard.number] = isHere
    }

    /// The database went back to a time when it had these rows, before it accepts a connection. Turns follow until the node has found that out.
    func rewind(to rows: [SavedVersion]) throws {
        store.rewind(to: [shard.number: 7], saved: rows)
        store.isHanging = false
        try turn { !self.persistence.gaps.isEmpty || self.recorded > 0 }
    }

    func saveAll() throws { try turn { self.persistence.gaps.isEmpty } }

    private func turn(until isDone: () -> Bool) throws {
        var isLate = false
        let timeout = loop.schedule(after: 30_000) { isLate = true }
        while !isDone(), !isLate { try loop.turn() }
        withExtendedLifetime(timeout) {}
        try #require(!isLate)
    }

    /// A start has set this session aside, in this version.
    func hold(_ number: Int, version: Int64) {
        let row = withText(Self.name(number).text) { name in
            withText("[]") { text in
                SetAsideRow(
                    SessionRow(
                        id: SessionRow.unnumbered, name: name, flow: text, state: text, data: text, timers: text,
                        version: version, since: 0, saved: 0, paused: false, life: 3, seq: 1),
                    problem: "it does not fit", isQuarantined: false)
            }
        }
        persistence.held[row.name] = row
        sessions.setAsideSessions[row.name] = row.session
    }
}

@Suite struct `Tables that have gone back in time` {
    @Test(arguments: [true, false])
    func `A session that a reload has set aside is saved again if its row is older`(isOlder: Bool) throws {
        let node = try RewoundNode(sessions: 1)
        let session = try #require(node.sessions.find(RewoundNode.name(0)))
        let (version, life) = (Int64(session.machine.version), Int64(session.life))
        node.sessions.recorder = nil
        _ = node.sessions.setAside(session, because: "it does not fit")
        node.sessions.recorder = node.persistence.journal
        let row = SavedVersion(name: RewoundNode.name(0).text, life: isOlder ? life - 1 : life, version: version)
        try node.rewind(to: [row, RewoundNode.row(1, version: 4)])
        try node.saveAll()
        #expect(node.recorded == (isOlder ? 2 : 1), "a row without a session is deleted")
    }

    @Test func `The row of a session that a reload has set aside has its state, data, events, timers and expiry`() throws {
        let clock = VirtualClock()
        let kind = try FlowKind.chart(
            text: """
                { id: 'oven', context: { bread: 'rye', n: 1 }, initial: 'off', states: {
                  off: { on: { start: 'on' } },
                  on: { postpone: ['open'], after: { '10m': { name: 'baking', target: 'off' } }, on: { more: { assign: { n: 'n + 1' } } } },
                  open: { on: { open: {} } } } }
                """)
        let sessions = Sessions(on: Timekeeper(clock), flows: [kind])
        sessions.expire(by: [ExpiryRule(flow: "oven", length: .seconds(90), action: .drop)])
        let context = try Payload(text: #"{"context":{"bread":"oat"}}"#)
        let session = try sessions.begin("kitchen", kind, context.json, from: .network)
        for event in ["start", "more", "open"] { _ = try session.machine.send(named: event, from: .network) }
        sessions.timekeeper.advance(clock, by: .seconds(60))
        let image = try SessionImage(of: session.machine)
        let reserved = try #require(sessions.setAside(session, because: "it does not fit").reserved)
        var restored: SessionImage?
        let saved = TurnTime(wallNanoseconds: 1_700_000_000_000_000_000, bootNanoseconds: 0)
        try reserved.withRow(ofFlow: "oven", savedAt: saved.wallNanoseconds) { row, timers in
            #expect(row.flow.string == "oven" && row.state.string == "on" && row.inState == 60_000_000_000)
            #expect(timers.map(\.name) == ["--expire 1m30s", "baking"] && ImageMarks(timers[...]).wasSetAside)
            #expect(timers.last == image.timers.first && timers.last?.left == .seconds(540))
            restored = try row.image(at: StoredTime(bootID: "", time: saved))
        }
        #expect(restored?.data == image.data && restored?.version == image.version && image.version == 2)
        #expect(restored?.context == image.context && image.context != nil)
        #expect(restored?.events?.waiting.map(\.event) == ["open"])
    }

    @Test(arguments: [(4, 1), (5, 0)] as [(Int64, Int)])
    func `A session that a start has set aside is saved again if its row is older`(version: Int64, images: Int) throws {
        let node = try RewoundNode(sessions: 0)
        node.hold(0, version: 5)
        try node.rewind(to: [RewoundNode.row(0, version: version), RewoundNode.row(1, version: 4)])
        try node.saveAll()
        #expect(node.recorded == images + 1, "the second is deleted")
    }

    @Test func `Many sessions are saved again in several turns`() throws {
        let node = try RewoundNode(sessions: 5_000)
        try node.rewind(to: [])
        #expect(node.recorded < 5_000)
        try node.saveAll()
        #expect(node.recorded == 5_000)
    }

    @Test func `A shard that is released meanwhile is released with all sessions saved again`() throws {
        let node = try RewoundNode(sessions: 5_000)
        try node.rewind(to: [])
        #expect(node.recorded < 5_000)
        node.persistence.release(node.shard.number)
        #expect(node.recorded == 5_000)
    }

    @Test func `A shard that is being loaded saves its sessions again once they are here`() throws {
        let node = try RewoundNode(sessions: 3)
        node.serve(false)
        try node.rewind(to: [])
        #expect(node.recorded == 0)
        node.serve()
        node.persistence.restoreLoaded()
        try node.saveAll()
        #expect(node.recorded == 3)
    }
}
