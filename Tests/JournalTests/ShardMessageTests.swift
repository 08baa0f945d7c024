// Sessions in different shards send events, create children and drop them by messages.

import GameFlow
import RESP
import TestSupport
import Testing
@testable import GameDaemon
@testable import Sessions

@Suite struct `Sessions in different shards` {
    private let pair: Pair

    init() throws { pair = try Pair() }

    private static func kid(_ errands: JSON = []) -> JSON {
        ["begin": "kid", "flow": "postman", "context": ["errands": .string(errands.description)]]
    }

    @Test func `An event to another shard is posted in the turn of its step, and leaves the outbox`() throws {
        try pair.begin("ann", "bob")
        try pair.run("SEND", "ann", "hit", "bob")
        #expect(pair.posted == [Message(from: "ann", to: "bob", after: 1, .event("wasHit", data: nil))])
        #expect(pair["ann"]?.outbox?.effects == [])
        #expect(try pair.count("hits", of: "bob") == 0)
        try pair.deliverAll()
        #expect(try pair.count("hits", of: "bob") == 1)
    }

    @Test func `A message that cannot be delivered goes back to its sender as an error`() throws {
        try pair.begin("ann", "bob")
        try pair.ask("ann", [["send": "wasHit", "to": "bill"], ["send": "dance", "to": "bob"]])
        #expect(try pair.deliverAll() == 4)
        let heard = try pair.heard("ann")
        #expect(heard.count == 2 && heard.allSatisfy { $0.hasPrefix("error.communication") }, "\(heard)")
        #expect(heard[0].contains("there is no session 'bill'") && heard[1].contains("dance"), "\(heard)")
    }

    @Test func `An event that its receiver refuses is in the receiver's history`() throws {
        try pair.begin("ann", "bob")
        try pair.ask("ann", [["send": "refuse", "to": "bob"]])
        #expect(try pair.deliverAll() == 1)
        let last = try #require(pair.daemons[1].sessions.find("bob")?.history(1).first, "bob has no history")
        #expect(last.isRefused && last.cause.source == .orchestrator)
    }

    @Test func `A session that is at its limit of messages gets an error for each one`() throws {
        try pair.begin("ann", "bob")
        pair.refusal = SessionError(.limit, "enough")
        try pair.run("SEND", "ann", "hit", "bob")
        try pair.ask("ann", [["begin": "kid", "flow": "postman", "context": [:]]])
        #expect(pair.posted == [])
        let heard = try pair.heard("ann")
        #expect(heard.count == 2 && heard.allSatisfy { $0.contains("enough") }, "\(heard)")
        #expect(pair["ann"]?.outbox?.effects == [])
    }

    @Test func `Two sessions that send each other messages without end are stopped`() throws {
        try pair.begin("ann", "bob")
        try pair.run("SEND", "ann", "bounce", "bob")
        let count = try pair.deliverAll()
        #expect(count == Sessions.maxMessages, "\(count)")
    }

    // MARK: Children

    @Test(arguments: [false, true]) func `A child's end reaches its parent once`(hasMoved: Bool) throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid()])
        #expect(try pair.deliverAll() == 1)
        #expect(pair["p/kid"] != nil)
        if hasMoved { for name in ["p", "p/kid"] { try pair.forgetsFamily(name) } }
        try pair.run("SEND", "p/kid", "finish", #"{"points":3}"#)
        #expect(try pair.deliverAll() == 1)
        try pair.run("SEND", "p/kid", "wasHit")
        #expect(try pair.deliverAll() == 0)
        #expect(try pair.heard("p") == [#"done.invoke.kid {"points":3}"#])
    }

    @Test func `A parent gets its child's end even beyond the limit of messages from one step`() throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid()])
        try pair.deliverAll()
        try pair.run("SEND", "p/kid", "finish", #"{"points":3}"#)
        pair.setSteps(Sessions.maxMessages + 1)
        try pair.deliverAll()
        #expect(try pair.heard("p") == [#"done.invoke.kid {"points":3}"#])
    }

    @Test(arguments: [false, true]) func `A parent gets an error for a dropped child`(hasMoved: Bool) throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid()])
        try pair.deliverAll()
        if hasMoved { for name in ["p", "p/kid"] { try pair.forgetsFamily(name) } }
        try pair.run("DROP", "p/kid")
        #expect(try pair.deliverAll() == 1)
        let heard = try pair.heard("p")
        #expect(heard.count == 1 && heard[0].contains("error.invoke.kid") && heard[0].contains("was dropped"), "\(heard)")
        #expect(pair["p"]?.children == [])
    }

    @Test func `A parent gets an error for a child that cannot be created`() throws {
        try pair.begin("p", "p/kid")
        try pair.ask("p", [Self.kid()])
        #expect(try pair.deliverAll() == 2)
        #expect(try pair.heard("p").first?.contains("session 'p/kid' already exists") == true)
        try pair.ask("p", [["begin": "kid", "flow": "nonsense", "context": [:]]])
        #expect(try pair.deliverAll() == 2)
        #expect(try pair.heard("p").last?.contains("there is no flow 'nonsense'") == true)
    }

    @Test func `DROP of a parent also drops its children and their children`() throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid([Self.kid()])])
        try pair.deliverAll()
        #expect(pair["p/kid/kid"] != nil)
        try pair.run("DROP", "p")
        try pair.deliverAll()
        #expect(pair["p"] == nil && pair["p/kid"] == nil && pair["p/kid/kid"] == nil)
    }

    @Test func `A parent that drops its child gets no event for that`() throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid()])
        try pair.deliverAll()
        try pair.ask("p", [["drop": "kid"]])
        #expect(try pair.deliverAll() == 1)
        #expect(try pair["p/kid"] == nil && pair.heard("p") == [])
    }

    @Test func `The end of an earlier child is not reported for the next child of its name`() throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid()])
        try pair.deliverAll()
        // The child ends while its parent drops it and creates another.
        try pair.run("SEND", "p/kid", "finish", "1")
        try pair.ask("p", [["drop": "kid"], Self.kid()])
        try pair.deliverAll()
        #expect(try pair["p/kid"] != nil && pair.heard("p") == [])
        try pair.run("SEND", "p/kid", "finish", "2")
        try pair.deliverAll()
        #expect(try pair.heard("p") == ["done.invoke.kid 2"])
    }

    @Test func `Children can be nested 8 deep`() throws {
        try pair.begin("p")
        var errands: JSON = []
        for _ in 0..<9 { errands = [Self.kid(errands)] }
        try pair.ask("p", errands)
        try pair.deliverAll()
        let deepest = "p" + String(repeating: "/kid", count: 8)
        #expect(pair[deepest] != nil && pair[deepest + "/kid"] == nil)
        #expect(try pair.heard(deepest).first?.contains("9 sessions deep") == true)
    }

    @Test func `A child can send an event to its parent`() throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid([["send": "wasHit", "to": "p"]])])
        #expect(try pair.deliverAll() == 2)
        #expect(try pair.count("hits", of: "p") == 1)
        #expect(pair.daemons[1].sessions.find("p/kid")?.machine.parentName == "p")
    }
}
