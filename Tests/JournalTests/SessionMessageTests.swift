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

/// A daemon of postmen in this process, on a store that a crash leaves as it is.
private final class Branch {
    let daemon: Daemon
    let client: LocalClient
    let store: MemoryStore

    init(_ store: MemoryStore = MemoryStore()) throws {
        self.store = store
        daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Postman.self)])
        client = LocalClient(of: daemon.host, from: .network)
        try daemon.goOn(from: store)
        // Performs the outbox entries that were left.
        try daemon.loop.turn()
    }

    /// Runs a command in its own turn.
    func run(_ words: String...) throws {
        daemon.loop.schedule { [client] in _ = client.run(words) }
        try daemon.loop.turn()
    }

    func begin(_ names: String...) throws { for name in names { try run("NEW", name, "postman") } }

    func count(_ what: String, of session: String) throws -> Int {
        try #require(try daemon.sessions[session]?.stateData()["desk"]?[what]?.integer, "\(session)")
    }

    func heard(_ session: String) throws -> [String] {
        guard case .array(let heard)? = try daemon.sessions[session]?.stateData()["desk"]?["heard"] else { return [] }
        return heard.compactMap(\.text).filter { !$0.hasPrefix("I am ") }
    }

    /// Returns its successor, as if its process had died.
    func crashed() throws -> Branch { try Branch(store.successor()) }

    var journal: Journal { get throws { try #require(daemon.persistence).journal } }
}

@Suite struct `Outbox entries over a crash` {
    @Test func `A step and all its effects are in one batch, however full the batch is`() throws {
        let branch = try Branch()
        try branch.begin("ann", "bob")
        let journal = try branch.journal
        // Every entry would begin a new batch.
        journal.draft(of: 0)?.encoder.names.maxNames = 0
        let before = journal.handedOver
        let wishes: JSON = [["send": "wasHit", "to": "bob"], ["begin": "kid", "flow": "postman", "context": [:]]]
        try branch.run("SEND", "ann", "ask", wishes.description)
        #expect(try branch.count("hits", of: "bob") == 1 && branch.daemon.sessions["ann/kid"] != nil)
        // One batch with earlier entries, and one with the step and all its effects.
        #expect(journal.handedOver <= before + 2)
        try branch.daemon.persistence?.finish()
        let next = try branch.crashed()
        #expect(try next.count("hits", of: "bob") == 1 && next.daemon.sessions["ann/kid"] != nil)
    }

    @Test func `Each message to another session is delivered once, at whichever point the daemon dies`() throws {
        var random = SeededGenerator.announced("errands over a crash", seed: 1_200)
        var branch = try Branch()
        let names = ["ann", "bob", "eve"]
        for name in names { try branch.begin(name) }
        try branch.daemon.persistence?.finish()
        branch = try branch.crashed()
        for _ in 0..<60 {
            branch.store.die(after: .random(in: 0..<12, using: &random))
            // Often every entry begins a new batch, unless it must not.
            if Bool.random(using: &random) { try branch.journal.draft(of: 0)?.encoder.names.maxNames = 0 }
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                try branch.run("SEND", names.randomElement(using: &random)!, "hit", names.randomElement(using: &random)!)
                if Bool.random(using: &random) { try branch.journal.submitTurn() }
            }
            branch = try branch.crashed()
            let asked = try names.map { try branch.count("asked", of: $0) }.reduce(0, +)
            let hits = try names.map { try branch.count("hits", of: $0) }.reduce(0, +)
            try #require(asked == hits)
        }
    }

    @Test func `An outbox entry in a saved state is performed once all sessions are restored`() throws {
        let branch = try Branch()
        // Ann is restored before Bob.
        try branch.begin("ann", "bob")
        let desk =
            #"{"desk":{"outgoing":[{"send":"wasHit","to":"bob"},{"begin":"kid","flow":"postman","context":{}}],"children":["kid"],"asked":1,"hits":0,"heard":[]}}"#
        // No entry is performed while time is held, as during a recovery.
        branch.daemon.loop.areTimersSuspended = true
        try branch.run("FORCE", "ann", "working", desk)
        #expect(try branch.count("hits", of: "bob") == 0)
        try branch.daemon.persistence?.finish()
        let next = try branch.crashed()
        #expect(try next.count("hits", of: "bob") == 1 && next.daemon.sessions["ann/kid"] != nil)
        #expect(try next.heard("ann") == [], "a child still to be created is not missing")
        let third = try next.crashed()
        #expect(try third.count("hits", of: "bob") == 1)
        #expect(third.daemon.sessions["ann/kid"]?.clock.parentName == "ann")
    }

    /// Returns a payload that requests `count` hits of Bob in one step.
    private func hits(_ count: Int) -> String {
        JSON.array(Array(repeating: ["send": "wasHit", "to": "bob"], count: count)).description
    }

    @Test func `The remaining outbox entries are recorded once a turn, and not after each entry`() throws {
        let branch = try Branch()
        // With a virtual watch, a slow machine does not shorten a turn.
        branch.daemon.loop.watch = VirtualClock()
        try branch.begin("ann", "bob")
        try branch.run("SEND", "ann", "ask", hits(1_000))
        #expect(try branch.count("hits", of: "bob") == 1_000)
        try branch.daemon.persistence?.finish()
        // Each hit is an entry and an image of Bob; an outbox entry has about 35 bytes.
        #expect(branch.daemon.persistence?.statistics.bytes ?? .max < 1_000_000)
        #expect(try branch.crashed().count("hits", of: "bob") == 1_000)
    }

    @Test func `A turn performs a bounded part of an outbox, and a crash between turns repeats no entry`() throws {
        var branch = try Branch()
        branch.daemon.loop.watch = VirtualClock()
        try branch.begin("ann", "bob")
        try branch.run("SEND", "ann", "ask", hits(3_000))
        let first = try branch.count("hits", of: "bob")
        #expect((1...1_500).contains(first))
        try branch.daemon.persistence?.finish()
        // The outbox continues in the turn of the restart.
        branch = try branch.crashed()
        let second = try branch.count("hits", of: "bob")
        #expect(second > first)
        #expect(
            try eventually {
                branch.daemon.loop.schedule {}
                try branch.daemon.loop.turn()
                return try branch.count("hits", of: "bob") == 3_000
            })
        try branch.daemon.persistence?.finish()
        #expect(try branch.crashed().count("hits", of: "bob") == 3_000)
    }

    @Test func `A turn performs a bounded part of an outbox whose entries all fail`() throws {
        let branch = try Branch()
        branch.daemon.loop.watch = VirtualClock()
        try branch.begin("ann")
        let lines = { branch.daemon.sessions.find(ByteString("ann"))?.seq ?? 0 }
        let before = lines()
        let wishes = (0..<2_000).map { ["begin": .string("kid\($0)"), "flow": "nothing", "context": [:]] as JSON }
        try branch.run("SEND", "ann", "ask", JSON.array(wishes).description)
        // The request is an entry, too.
        #expect((before + 2...before + 1_500).contains(lines()))
        #expect(
            try eventually {
                branch.daemon.loop.schedule {}
                try branch.daemon.loop.turn()
                return lines() == before + 2_001
            })
    }

    @Test func `A parent gets an error for a child that is missing after a restart`() throws {
        let branch = try Branch()
        try branch.begin("ann")
        let desk = #"{"desk":{"outgoing":[],"children":["kid"],"asked":1,"hits":0,"heard":[]}}"#
        try branch.run("FORCE", "ann", "working", desk)
        try branch.daemon.persistence?.finish()
        let next = try branch.crashed()
        #expect(try next.heard("ann") == [#"error.invoke.kid {"message":"'ann/kid' no longer exists"}"#])
        let third = try next.crashed()
        #expect(try third.heard("ann").count == 1)
    }

    @Test func `A child notifies its parent after a restart, and its end counts once`() throws {
        let branch = try Branch()
        try branch.begin("ann", "zoe")
        let wish = #"[{"begin":"kid","flow":"postman","context":{}}]"#
        try branch.run("SEND", "ann", "ask", wish)
        try branch.run("SEND", "zoe", "ask", wish)
        try branch.run("SEND", "zoe/kid", "finish", "1")
        try branch.daemon.persistence?.finish()
        let next = try branch.crashed()
        #expect(try next.heard("zoe") == ["done.invoke.kid 1"])
        try next.run("SEND", "ann/kid", "finish", "2")
        #expect(try next.heard("ann") == ["done.invoke.kid 2"])
        try next.run("DROP", "zoe")
        #expect(next.daemon.sessions.all.map(\.name).sorted() == ["ann", "ann/kid"])
    }
}

@Suite struct `A child that takes the daemon down` {
    @Test func `A child that traps is quarantined, and its parent gets an error after the restart`() throws {
        let folder = try Folder()
        let daemon = try folder.probe()
        #expect(try daemon.ask("NEW ann postman").text == "working")
        let wish = #"'[{"begin":"kid","flow":"trapper","context":{}}]'"#
        #expect(try daemon.ask("SEND ann ask", wish).text == "working")
        try daemon.trap("SEND ann/kid trap illegal")
        let next = try folder.probe()
        #expect(try next.unrestored() == ["ann/kid"])
        #expect(eventually { (try? next.ask("STATE ann")["data"]?.text?.contains("'ann/kid' is quarantined")) == true })
        #expect(next.stop() == 0)
    }

    @Test func `A child that traps as it is created has only its parent quarantined`() throws {
        let folder = try Folder()
        let daemon = try folder.probe()
        #expect(try daemon.ask("NEW ann postman").text == "working")
        try daemon.trap(#"SEND ann ask '[{"begin":"kid","flow":"postman","context":{"errands":"[{\"trap\":1}]"}}]'"#)
        let next = try folder.probe()
        #expect(try next.unrestored() == ["ann"])
        #expect(next.stop() == 0)
    }
}

@Suite(.serialized) struct `A killed daemon whose sessions send each other messages` {
    @Test(
        arguments: Keeping.each(
            ["before-commit", "after-commit", "during-materialize", "after-materialize"],
            ofDatabase: { _ in Keeping.isThorough }
        ))
    func `A killed daemon delivers each message between its sessions once`(keeping: Keeping, failpoint: String) throws {
        let home = try Home(keeping)
        var random = SeededGenerator.announced("killed between sessions", seed: .random(in: 1...99_999))
        let first = try home.probe()
        for name in ["ann", "bob"] { #expect(try first.ask("NEW", name, "postman").text == "working") }
        try home.end(first, isKilled: false)
        for round in 0..<4 {
            // A start from a database first applies the logs that the last daemon left in two shards.
            let later = keeping == .directory ? 1 : 1 + 2 * round
            let hit = failpoint.hasSuffix("commit") ? Int.random(in: 2...30, using: &random) : later
            // It may die while it recovers from the last death.
            let daemon = try home.beginProbe(environment: ["GAMED_FAILPOINT": "\(failpoint):\(hit)"])
            _ = daemon.waitUntilUp()
            let client = try? daemon.client()
            while let answer = try? client?.ask(Bool.random(using: &random) ? "SEND ann hit bob" : "SEND bob hit ann") {
                guard !answer.isError else { continue }
            }
            #expect(daemon.waitForStatus() == -SIGKILL)
            try home.bury()
        }
        let last = try home.probe()
        var (asked, hits): ([Int], [Int]) = ([], [])
        // In a database the two are in different shards, and messages between them arrive a moment later.
        _ = try eventually {
            let desks = try ["ann", "bob"].map { name in
                let data = try #require(last.ask("STATE", name)["data"]?.text)
                return try #require(JSON(parsing: data)["desk"])
            }
            (asked, hits) = (desks.compactMap { $0["asked"]?.integer }, desks.compactMap { $0["hits"]?.integer })
            return keeping == .directory || hits == asked.reversed()
        }
        #expect(asked.reduce(0, +) > 0)
        #expect(hits == asked.reversed())
        #expect(last.stop() == 0)
    }
}
