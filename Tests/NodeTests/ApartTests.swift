// Sessions that are kept apart talk, begin each other and end each other by messages.

import GameFlow
import RESP
import TestSupport
import Testing
@testable import GameDaemon
@testable import Sessions

@Suite struct `Sessions that are kept apart` {
    private let pair: Pair

    init() throws { pair = try Pair() }

    private static func kid(_ errands: JSON = []) -> JSON {
        ["begin": "kid", "flow": "postman", "context": ["errands": .string(errands.description)]]
    }

    @Test func `an event is posted in the turn of its sender's step, and is no errand any more`() throws {
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

    @Test func `an event that its receiver refuses stands in the receiver's history`() throws {
        try pair.begin("ann", "bob")
        try pair.ask("ann", [["send": "refuse", "to": "bob"]])
        #expect(try pair.deliverAll() == 1)
        let last = try #require(pair.daemons[1].sessions.find("bob")?.history(1).first, "bob has no history")
        #expect(last.isRefused && last.cause.source == .orchestrator)
    }

    @Test func `A session that may send no more gets an error for each message`() throws {
        try pair.begin("ann", "bob")
        pair.refusal = SessionError(.limit, "enough")
        try pair.run("SEND", "ann", "hit", "bob")
        try pair.ask("ann", [["begin": "kid", "flow": "postman", "context": [:]]])
        #expect(pair.posted == [])
        let heard = try pair.heard("ann")
        #expect(heard.count == 2 && heard.allSatisfy { $0.contains("enough") }, "\(heard)")
        #expect(pair["ann"]?.outbox?.effects == [])
    }

    @Test func `two that answer each other without end are stopped`() throws {
        try pair.begin("ann", "bob")
        try pair.run("SEND", "ann", "bounce", "bob")
        let count = try pair.deliverAll()
        #expect(count == Sessions.maxMessages, "\(count)")
    }

    // MARK: Children

    @Test(arguments: [false, true]) func `a child's end comes to its parent once`(hasMoved: Bool) throws {
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

    @Test func `a parent gets its child's end even if that comes of more messages than one step may lead to`() throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid()])
        try pair.deliverAll()
        try pair.run("SEND", "p/kid", "finish", #"{"points":3}"#)
        pair.setSteps(Sessions.maxMessages + 1)
        try pair.deliverAll()
        #expect(try pair.heard("p") == [#"done.invoke.kid {"points":3}"#])
    }

    @Test(arguments: [false, true]) func `a child that is dropped is lost to its parent`(hasMoved: Bool) throws {
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

    @Test func `a child that cannot begin is lost to its parent`() throws {
        try pair.begin("p", "p/kid")
        try pair.ask("p", [Self.kid()])
        #expect(try pair.deliverAll() == 2)
        #expect(try pair.heard("p").first?.contains("session 'p/kid' already exists") == true)
        try pair.ask("p", [["begin": "kid", "flow": "nonsense", "context": [:]]])
        #expect(try pair.deliverAll() == 2)
        #expect(try pair.heard("p").last?.contains("there is no flow 'nonsense'") == true)
    }

    @Test func `a parent that is dropped takes its children with it, and theirs`() throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid([Self.kid()])])
        try pair.deliverAll()
        #expect(pair["p/kid/kid"] != nil)
        try pair.run("DROP", "p")
        try pair.deliverAll()
        #expect(pair["p"] == nil && pair["p/kid"] == nil && pair["p/kid/kid"] == nil)
    }

    @Test func `a parent that drops its child hears nothing of that`() throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid()])
        try pair.deliverAll()
        try pair.ask("p", [["drop": "kid"]])
        #expect(try pair.deliverAll() == 1)
        #expect(try pair["p/kid"] == nil && pair.heard("p") == [])
    }

    @Test func `the end of an earlier child is not taken for that of the next of its name`() throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid()])
        try pair.deliverAll()
        // It is over while its parent drops it, and begins another.
        try pair.run("SEND", "p/kid", "finish", "1")
        try pair.ask("p", [["drop": "kid"], Self.kid()])
        try pair.deliverAll()
        #expect(try pair["p/kid"] != nil && pair.heard("p") == [])
        try pair.run("SEND", "p/kid", "finish", "2")
        try pair.deliverAll()
        #expect(try pair.heard("p") == ["done.invoke.kid 2"])
    }

    @Test func `children go eight deep`() throws {
        try pair.begin("p")
        var errands: JSON = []
        for _ in 0..<9 { errands = [Self.kid(errands)] }
        try pair.ask("p", errands)
        try pair.deliverAll()
        let deepest = "p" + String(repeating: "/kid", count: 8)
        #expect(pair[deepest] != nil && pair[deepest + "/kid"] == nil)
        #expect(try pair.heard(deepest).first?.contains("9 sessions deep") == true)
    }

    @Test func `the child knows its parent, and talks to it`() throws {
        try pair.begin("p")
        try pair.ask("p", [Self.kid([["send": "wasHit", "to": "p"]])])
        #expect(try pair.deliverAll() == 2)
        #expect(try pair.count("hits", of: "p") == 1)
        #expect(pair.daemons[1].sessions.find("p/kid")?.machine.parentName == "p")
    }
}
