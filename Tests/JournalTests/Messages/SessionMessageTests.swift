// Effects between sessions are neither lost nor repeated by a crash.

import Foundation
import GameFlow
import Memory
import MemoryStore
import RESP
import Seeds
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Simulation
@testable import Sessions
@testable import Store

/// A daemon with the flow `effects`, on a store that a crash leaves as it is.
private final class SimulatedProcess {
    let daemon: Daemon
    let client: LocalClient
    let store: MemoryStore

    init(_ store: MemoryStore = MemoryStore()) throws {
        self.store = store
        daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(EffectFlow.self)])
        client = LocalClient(of: daemon.host, from: .network)
        try daemon.recover(from: store)
        // Performs the outbox entries that were left.
        try daemon.loop.turn()
    }

    /// Runs a command in its own turn.
    func run(_ words: String...) throws {
        daemon.loop.schedule { [client] in _ = client.run(words) }
        try daemon.loop.turn()
    }

    func create(_ names: String...) throws { for name in names { try run("NEW", name, "effects") } }

    func count(_ what: String, of session: String) throws -> Int {
        try #require(try daemon.sessions[session]?.stateData()["record"]?[what]?.integer, "\(session)")
    }

    func received(_ session: String) throws -> [String] {
        guard case .array(let received)? = try daemon.sessions[session]?.stateData()["record"]?["received"] else { return [] }
        return received.compactMap(\.text).filter { !$0.hasPrefix("I am ") }
    }

    /// Returns its successor, as if its process had died.
    func crashed() throws -> SimulatedProcess { try SimulatedProcess(store.successor()) }

    var journal: Journal { get throws { try #require(daemon.persistence).journal } }
}

@Suite struct `Outbox entries over a crash` {
    @Test func `A step and all its effects are in one batch, however full the batch is`() throws {
        let process = try SimulatedProcess()
        try process.create("ann", "bob")
        let journal = try process.journal
        // Every entry would begin a new batch.
        journal.drafts[0]?.encoder.names.maxNames = 0
        let before = journal.handedOver
        let effects: JSON = [["send": "wasHit", "to": "bob"], ["begin": "kid", "flow": "effects", "context": [:]]]
        try process.run("SEND", "ann", "perform", effects.description)
        #expect(try process.count("hits", of: "bob") == 1 && process.daemon.sessions["ann/kid"] != nil)
        // One batch with earlier entries, and one with the step and all its effects.
        #expect(journal.handedOver <= before + 2)
        try process.daemon.persistence?.finish()
        let next = try process.crashed()
        #expect(try next.count("hits", of: "bob") == 1 && next.daemon.sessions["ann/kid"] != nil)
    }

    @Test func `Each message to another session is delivered once, at whichever point the daemon dies`() throws {
        var random = SeededGenerator.announced("effects over a crash", seed: 1_200)
        var process = try SimulatedProcess()
        let names = ["ann", "bob", "eve"]
        for name in names { try process.create(name) }
        try process.daemon.persistence?.finish()
        process = try process.crashed()
        for _ in 0..<60 {
            process.store.die(after: .random(in: 0..<12, using: &random))
            // Often every entry begins a new batch, unless it must not.
            if Bool.random(using: &random) { try process.journal.drafts[0]?.encoder.names.maxNames = 0 }
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                try process.run("SEND", names.randomElement(using: &random)!, "hit", names.randomElement(using: &random)!)
                if Bool.random(using: &random) { try process.journal.submitTurn() }
            }
            process = try process.crashed()
            let requests = try names.map { try process.count("requests", of: $0) }.reduce(0, +)
            let hits = try names.map { try process.count("hits", of: $0) }.reduce(0, +)
            try #require(requests == hits)
        }
    }

    @Test func `An outbox entry in a saved state is performed once all sessions are restored`() throws {
        let process = try SimulatedProcess()
        // Ann is restored before Bob.
        try process.create("ann", "bob")
        let record =
            #"{"record":{"outgoing":[{"send":"wasHit","to":"bob"},{"begin":"kid","flow":"effects","context":{}}],"children":["kid"],"requests":1,"hits":0,"received":[]}}"#
        // No entry is performed while time is held, as during a recovery.
        process.daemon.loop.areTimersSuspended = true
        try process.run("FORCE", "ann", "working", record)
        #expect(try process.count("hits", of: "bob") == 0)
        try process.daemon.persistence?.finish()
        let next = try process.crashed()
        #expect(try next.count("hits", of: "bob") == 1 && next.daemon.sessions["ann/kid"] != nil)
        #expect(try next.received("ann") == [], "a child still to be created is not missing")
        let third = try next.crashed()
        #expect(try third.count("hits", of: "bob") == 1)
        #expect(third.daemon.sessions["ann/kid"]?.clock.parentName == "ann")
    }

    /// Returns a payload that requests `count` hits of Bob in one step.
    private func hits(_ count: Int) -> String {
        JSON.array(Array(repeating: ["send": "wasHit", "to": "bob"], count: count)).description
    }

    @Test func `The remaining outbox entries are recorded once a turn, and not after each entry`() throws {
        let process = try SimulatedProcess()
        // With a virtual watch, a slow machine does not shorten a turn.
        process.daemon.loop.watch = VirtualClock()
        try process.create("ann", "bob")
        try process.run("SEND", "ann", "perform", hits(1_000))
        #expect(try process.count("hits", of: "bob") == 1_000)
        try process.daemon.persistence?.finish()
        // Each hit is an entry and an image of Bob; an outbox entry has about 35 bytes.
        #expect(process.daemon.persistence?.statistics.bytes ?? .max < 1_000_000)
        #expect(try process.crashed().count("hits", of: "bob") == 1_000)
    }

    @Test func `A turn performs a bounded part of an outbox, and a crash between turns repeats no entry`() throws {
        var process = try SimulatedProcess()
        process.daemon.loop.watch = VirtualClock()
        try process.create("ann", "bob")
        try process.run("SEND", "ann", "perform", hits(3_000))
        let first = try process.count("hits", of: "bob")
        #expect((1...1_500).contains(first))
        try process.daemon.persistence?.finish()
        // The outbox continues in the turn of the restart.
        process = try process.crashed()
        let second = try process.count("hits", of: "bob")
        #expect(second > first)
        #expect(
            try eventually {
                process.daemon.loop.schedule {}
                try process.daemon.loop.turn()
                return try process.count("hits", of: "bob") == 3_000
            })
        try process.daemon.persistence?.finish()
        #expect(try process.crashed().count("hits", of: "bob") == 3_000)
    }

    @Test func `A turn performs a bounded part of an outbox whose entries all fail`() throws {
        let process = try SimulatedProcess()
        process.daemon.loop.watch = VirtualClock()
        try process.create("ann")
        let lines = { process.daemon.sessions.find(ByteString("ann"))?.seq ?? 0 }
        let before = lines()
        let effects = (0..<2_000).map { ["begin": .string("kid\($0)"), "flow": "nothing", "context": [:]] as JSON }
        try process.run("SEND", "ann", "perform", JSON.array(effects).description)
        // The request is an entry, too.
        #expect((before + 2...before + 1_500).contains(lines()))
        #expect(
            try eventually {
                process.daemon.loop.schedule {}
                try process.daemon.loop.turn()
                return lines() == before + 2_001
            })
    }

    @Test func `A parent gets an error for a child that is missing after a restart`() throws {
        let process = try SimulatedProcess()
        try process.create("ann")
        let record = #"{"record":{"outgoing":[],"children":["kid"],"requests":1,"hits":0,"received":[]}}"#
        try process.run("FORCE", "ann", "working", record)
        try process.daemon.persistence?.finish()
        let next = try process.crashed()
        #expect(try next.received("ann") == [#"error.invoke.kid {"message":"'ann/kid' no longer exists"}"#])
        let third = try next.crashed()
        #expect(try third.received("ann").count == 1)
    }

    @Test func `A child notifies its parent after a restart, and its end counts once`() throws {
        let process = try SimulatedProcess()
        try process.create("ann", "zoe")
        let effect = #"[{"begin":"kid","flow":"effects","context":{}}]"#
        try process.run("SEND", "ann", "perform", effect)
        try process.run("SEND", "zoe", "perform", effect)
        try process.run("SEND", "zoe/kid", "finish", "1")
        try process.daemon.persistence?.finish()
        let next = try process.crashed()
        #expect(try next.received("zoe") == ["done.invoke.kid 1"])
        try next.run("SEND", "ann/kid", "finish", "2")
        #expect(try next.received("ann") == ["done.invoke.kid 2"])
        try next.run("DROP", "zoe")
        #expect(next.daemon.sessions.all.map(\.name).sorted() == ["ann", "ann/kid"])
    }
}

@Suite struct `A child that traps` {
    @Test func `A child that traps is quarantined, and its parent gets an error after the restart`() throws {
        let folder = try Folder()
        let daemon = try folder.probe()
        #expect(try daemon.ask("NEW ann effects").text == "working")
        let effect = #"'[{"begin":"kid","flow":"trapper","context":{}}]'"#
        #expect(try daemon.ask("SEND ann perform", effect).text == "working")
        try daemon.trap("SEND ann/kid trap illegal")
        let next = try folder.probe()
        #expect(try next.setAsideNames() == ["ann/kid"])
        #expect(eventually { (try? next.ask("STATE ann")["data"]?.text?.contains("'ann/kid' is quarantined")) == true })
        #expect(next.stop() == 0)
    }

    @Test func `A child that traps as it is created has only its parent quarantined`() throws {
        let folder = try Folder()
        let daemon = try folder.probe()
        #expect(try daemon.ask("NEW ann effects").text == "working")
        try daemon.trap(#"SEND ann perform '[{"begin":"kid","flow":"effects","context":{"initialEffects":"[{\"trap\":1}]"}}]'"#)
        let next = try folder.probe()
        #expect(try next.setAsideNames() == ["ann"])
        #expect(next.stop() == 0)
    }
}

@Suite(.serialized) struct `A killed daemon whose sessions send each other messages` {
    @Test(
        arguments: StoreKind.each(
            ["before-commit", "after-commit", "during-materialize", "after-materialize"],
            ofDatabase: { _ in StoreKind.isThorough }
        ))
    func `A killed daemon delivers each message between its sessions once`(storeKind: StoreKind, failpoint: String) throws {
        let store = try DaemonStore(storeKind)
        var random = SeededGenerator.announced("killed between sessions", seed: .random(in: 1...99_999))
        let first = try store.startTrapProbe()
        for name in ["ann", "bob"] { #expect(try first.ask("NEW", name, "effects").text == "working") }
        try store.end(first, isKilled: false)
        for round in 0..<4 {
            // A start from a database first applies the logs that the last daemon left in two shards.
            let later = storeKind == .directory ? 1 : 1 + 2 * round
            let hit = failpoint.hasSuffix("commit") ? Int.random(in: 2...30, using: &random) : later
            // It may die while it recovers from the last death.
            let daemon = try store.launchTrapProbe(environment: ["GAMED_FAILPOINT": "\(failpoint):\(hit)"])
            _ = daemon.waitUntilUp()
            let client = try? daemon.client()
            while let answer = try? client?.ask(Bool.random(using: &random) ? "SEND ann hit bob" : "SEND bob hit ann") {
                guard !answer.isError else { continue }
            }
            #expect(daemon.waitForStatus() == -SIGKILL)
            try store.endLease()
        }
        let last = try store.startTrapProbe()
        var (requests, hits): ([Int], [Int]) = ([], [])
        // In a database the two are in different shards, and messages between them arrive a moment later.
        _ = try eventually {
            let records = try ["ann", "bob"].map { name in
                let data = try #require(last.ask("STATE", name)["data"]?.text)
                return try #require(JSON(parsing: data)["record"])
            }
            (requests, hits) = (records.compactMap { $0["requests"]?.integer }, records.compactMap { $0["hits"]?.integer })
            return storeKind == .directory || hits == requests.reversed()
        }
        #expect(requests.reduce(0, +) > 0)
        #expect(hits == requests.reversed())
        #expect(last.stop() == 0)
    }
}
