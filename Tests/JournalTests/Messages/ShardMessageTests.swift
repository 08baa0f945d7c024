// Sessions in different shards send events, create children and drop them by messages.

import GameFlow
import RESP
import TestSupport
import Testing
@testable import GameDaemon
@testable import Sessions

@Suite struct `Sessions in different shards` {
    private let shards: TwoShards

    init() throws { shards = try TwoShards() }

    private static func kid(_ effects: JSON = []) -> JSON {
        ["begin": "kid", "flow": "effects", "context": ["initialEffects": .string(effects.description)]]
    }

    /// Creates the session `p`, with a child in the other shard.
    private func beginChild() throws {
        try shards.create("p")
        try shards.perform(in: "p", [Self.kid()])
        try shards.deliverAll()
    }

    private func finishChild(_ points: Int) throws {
        try shards.run("SEND", "p/kid", "finish", #"{"points":\#(points)}"#)
    }

    @Test func `An event to another shard is posted in the turn of its step, and leaves the outbox`() throws {
        try shards.create("ann", "bob")
        try shards.run("SEND", "ann", "hit", "bob")
        #expect(shards.posted == [Message(from: "ann", to: "bob", after: 1, .event("wasHit", data: nil))])
        #expect(shards["ann"]?.outbox?.effects == [])
        #expect(try shards.count("hits", of: "bob") == 0)
        try shards.deliverAll()
        #expect(try shards.count("hits", of: "bob") == 1)
    }

    @Test func `A message that cannot be delivered is returned to its sender as an error`() throws {
        try shards.create("ann", "bob")
        try shards.perform(in: "ann", [["send": "wasHit", "to": "bill"], ["send": "dance", "to": "bob"]])
        #expect(try shards.deliverAll() == 4)
        let received = try shards.received("ann")
        #expect(received.count == 2 && received.allSatisfy { $0.hasPrefix("error.communication") }, "\(received)")
        #expect(received[0].contains("there is no session 'bill'") && received[1].contains("dance"), "\(received)")
    }

    @Test func `An event that its receiver refuses is in the receiver's history`() throws {
        try shards.create("ann", "bob")
        try shards.perform(in: "ann", [["send": "refuse", "to": "bob"]])
        #expect(try shards.deliverAll() == 1)
        let last = try #require(shards.daemons[1].sessions.find("bob")?.history(1).first, "bob has no history")
        #expect(last.isRefused && last.cause.source == .orchestrator)
    }

    @Test func `A session that is at its limit of messages gets an error for each one`() throws {
        try shards.create("ann", "bob")
        shards.refusal = SessionError(.limit, "enough")
        try shards.run("SEND", "ann", "hit", "bob")
        try shards.perform(in: "ann", [["begin": "kid", "flow": "effects", "context": [:]]])
        #expect(shards.posted == [])
        let received = try shards.received("ann")
        #expect(received.count == 2 && received.allSatisfy { $0.contains("enough") }, "\(received)")
        #expect(shards["ann"]?.outbox?.effects == [])
    }

    @Test func `Two sessions that send each other messages without end are stopped`() throws {
        try shards.create("ann", "bob")
        try shards.run("SEND", "ann", "bounce", "bob")
        let count = try shards.deliverAll()
        #expect(count == Sessions.maxMessages, "\(count)")
    }

    // MARK: Children

    @Test(arguments: [false, true]) func `A child's end reaches its parent once`(hasMoved: Bool) throws {
        try shards.create("p")
        try shards.perform(in: "p", [Self.kid()])
        #expect(try shards.deliverAll() == 1)
        #expect(shards["p/kid"] != nil)
        if hasMoved {
            for name in ["p", "p/kid"] { try shards.evictAndRestore(name) }
            // The parent asks for a report that it may have missed.
            #expect(try shards.deliverAll() == 1)
        }
        try finishChild(3)
        #expect(try shards.deliverAll() == 1)
        try shards.run("SEND", "p/kid", "wasHit")
        #expect(try shards.deliverAll() == 0)
        #expect(try shards.received("p") == [#"done.invoke.kid {"points":3}"#])
    }

    @Test func `A parent gets its child's end even beyond the limit of messages from one step`() throws {
        try beginChild()
        try finishChild(3)
        shards.setSteps(Sessions.maxMessages + 1)
        try shards.deliverAll()
        #expect(try shards.received("p") == [#"done.invoke.kid {"points":3}"#])
    }

    @Test(arguments: [false, true]) func `A parent gets an error for a dropped child`(hasMoved: Bool) throws {
        try beginChild()
        if hasMoved {
            for name in ["p", "p/kid"] { try shards.evictAndRestore(name) }
            // The parent asks for a report that it may have missed.
            #expect(try shards.deliverAll() == 1)
        }
        try shards.run("DROP", "p/kid")
        #expect(try shards.deliverAll() == 1)
        let received = try shards.received("p")
        #expect(
            received.count == 1 && received[0].contains("error.invoke.kid") && received[0].contains("was dropped"),
            "\(received)")
        #expect(shards["p"]?.children == [])
    }

    // MARK: A parent that was set aside

    /// What happens to the child while its parent is set aside, and the events that the parent gets for it.
    private static let ends: [(words: [String], event: String)] = [
        (["SEND", "p/kid", "finish", #"{"points":3}"#], #"done.invoke.kid {"points":3}"#),
        (["DROP", "p/kid"], "error.invoke.kid"),
    ]

    @Test(arguments: ends, [false, true])
    func `A parent that was set aside gets its child's end once it is reinstated`(
        end: (words: [String], event: String), isLate: Bool
    ) throws {
        try beginChild()
        shards.setAside("p")
        try shards.run(end.words)
        // The report arrives before the parent is reinstated, or after.
        if !isLate { try shards.deliverAll() }
        try shards.reinstate("p")
        try shards.deliverAll()
        try shards.evictAndRestore("p")
        try shards.deliverAll()
        let received = try shards.received("p")
        #expect(received.count == 1 && received[0].hasPrefix(end.event), "\(received)")
    }

    @Test func `A parent that was set aside gets no event for a child that still runs, and its end later`() throws {
        try beginChild()
        shards.setAside("p")
        try shards.reinstate("p")
        #expect(try shards.deliverAll() == 1)
        #expect(try shards.received("p") == [])
        try finishChild(3)
        try shards.deliverAll()
        #expect(try shards.received("p") == [#"done.invoke.kid {"points":3}"#])
    }

    @Test func `A parent that was set aside gets an error for a child that was set aside meanwhile`() throws {
        try beginChild()
        shards.setAside("p")
        shards.setAside("p/kid")
        try shards.deliverAll()
        try shards.reinstate("p")
        try shards.deliverAll()
        let received = try shards.received("p")
        #expect(received.count == 1 && received[0].contains("it does not fit"), "\(received)")
    }

    @Test func `A reinstated parent that begins its child again gets no event for the earlier one`() throws {
        try beginChild()
        shards.setAside("p")
        try finishChild(3)
        try shards.deliverAll()
        try shards.reinstate("p")
        try shards.perform(in: "p", [["drop": "kid"], Self.kid()])
        #expect(try shards.deliverAll() == 4)
        #expect(try shards.received("p") == [])
        #expect(shards["p/kid"]?.isFinal == false)
    }

    @Test func `A reinstated parent ignores a late report of an earlier child`() throws {
        try beginChild()
        try finishChild(3)
        try shards.perform(in: "p", [["drop": "kid"], Self.kid()])
        shards.setAside("p")
        try shards.reinstate("p")
        #expect(try shards.deliverAll() == 4)
        #expect(try shards.received("p") == [])
        try finishChild(4)
        try shards.deliverAll()
        #expect(try shards.received("p") == [#"done.invoke.kid {"points":4}"#])
    }

    @Test func `A parent that was set aside gets no second event for a child whose end it knows`() throws {
        try beginChild()
        try finishChild(3)
        try shards.deliverAll()
        shards.setAside("p")
        try shards.reinstate("p")
        // The child does not answer.
        #expect(try shards.deliverAll() == 1)
        #expect(try shards.received("p") == [#"done.invoke.kid {"points":3}"#])
    }

    @Test func `A parent that was set aside forgets a child whose end it knows if that was dropped meanwhile`() throws {
        try beginChild()
        try finishChild(3)
        try shards.deliverAll()
        shards.setAside("p")
        try shards.run("DROP", "p/kid")
        try shards.deliverAll()
        try shards.reinstate("p")
        try shards.deliverAll()
        #expect(try shards.received("p") == [#"done.invoke.kid {"points":3}"#])
        #expect(shards["p"]?.children.map(\.stage) == [nil])
    }

    // MARK: A child that was set aside

    @Test(arguments: [false, true])
    func `A child that was set aside and reinstated runs again for its parent, which gets its end`(isParentAway: Bool) throws {
        try beginChild()
        shards.setAside("p/kid")
        try shards.deliverAll()
        #expect(shards["p"]?.children == [ChildSession("kid", .lost)])
        if isParentAway { shards.setAside("p") }
        try shards.reinstate("p/kid")
        try shards.deliverAll()
        if isParentAway { try shards.reinstate("p") }
        try shards.deliverAll()
        #expect(shards["p"]?.children == [ChildSession("kid", .runs)])
        try finishChild(3)
        try shards.deliverAll()
        #expect(try shards.received("p").last == #"done.invoke.kid {"points":3}"# && shards.received("p").count == 2)
    }

    @Test func `A restored parent that does not keep the stages of its children gets no end twice`() throws {
        try beginChild()
        try finishChild(3)
        try shards.deliverAll()
        try shards.perform(in: "p", [["forgetStages": true]])
        try shards.evictAndRestore("p")
        #expect(try shards.deliverAll() == 1)
        #expect(try shards.received("p") == [#"done.invoke.kid {"points":3}"#])
    }

    @Test func `A parent gets an error for a child that cannot be created`() throws {
        try shards.create("p", "p/kid")
        try shards.perform(in: "p", [Self.kid()])
        #expect(try shards.deliverAll() == 2)
        #expect(try shards.received("p").first?.contains("session 'p/kid' already exists") == true)
        try shards.perform(in: "p", [["begin": "kid", "flow": "nonsense", "context": [:]]])
        #expect(try shards.deliverAll() == 2)
        #expect(try shards.received("p").last?.contains("there is no flow 'nonsense'") == true)
    }

    @Test func `DROP of a parent also drops its children and their children`() throws {
        try shards.create("p")
        try shards.perform(in: "p", [Self.kid([Self.kid()])])
        try shards.deliverAll()
        #expect(shards["p/kid/kid"] != nil)
        try shards.run("DROP", "p")
        try shards.deliverAll()
        #expect(shards["p"] == nil && shards["p/kid"] == nil && shards["p/kid/kid"] == nil)
    }

    @Test func `UNDROP of a parent does not restore its child, and the parent gets an error once`() throws {
        try beginChild()
        try shards.run("DROP", "p")
        try shards.run("UNDROP", "p")
        #expect(try shards.deliverAll() == 3)
        #expect(try shards.received("p") == [#"error.invoke.kid {"message":"'p/kid' no longer exists"}"#])
        #expect(shards["p"]?.children == [] && shards["p/kid"] == nil)
    }

    @Test func `UNDROP does not restore a child that its parent dropped, even if the child has moved before`() throws {
        try beginChild()
        try shards.evictAndRestore("p/kid")
        try shards.perform(in: "p", [["drop": "kid"]])
        try shards.deliverAll()
        try shards.run("UNDROP", "p/kid")
        #expect(shards["p/kid"] == nil)
    }

    @Test func `A parent that drops its child gets no event for that`() throws {
        try beginChild()
        try shards.perform(in: "p", [["drop": "kid"]])
        #expect(try shards.deliverAll() == 1)
        #expect(try shards["p/kid"] == nil && shards.received("p") == [])
    }

    @Test func `The end of an earlier child is not reported for the next child of its name`() throws {
        try beginChild()
        // The child ends while its parent drops it and creates another.
        try shards.run("SEND", "p/kid", "finish", "1")
        try shards.perform(in: "p", [["drop": "kid"], Self.kid()])
        try shards.deliverAll()
        #expect(try shards["p/kid"] != nil && shards.received("p") == [])
        try shards.run("SEND", "p/kid", "finish", "2")
        try shards.deliverAll()
        #expect(try shards.received("p") == ["done.invoke.kid 2"])
    }

    @Test(arguments: [false, true])
    func `An event of a child that its parent has dropped or replaced meanwhile is ignored`(isReplaced: Bool) throws {
        try beginChild()
        try shards.perform(in: "p/kid", [["send": "wasHit", "to": "p"]])
        try shards.perform(in: "p", isReplaced ? [["drop": "kid"], Self.kid()] : [["drop": "kid"]])
        #expect(try shards.deliverAll() == (isReplaced ? 3 : 2))
        #expect(try shards.count("hits", of: "p") == 0)
        #expect((shards["p/kid"] != nil) == isReplaced)
    }

    @Test func `An event that a child sent before its restored parent asked it to link itself is delivered`() throws {
        try beginChild()
        try shards.perform(in: "p/kid", [["send": "wasHit", "to": "p"]])
        try shards.evictAndRestore("p")
        #expect(try shards.deliverAll() == 2)
        #expect(try shards.count("hits", of: "p") == 1)
    }

    @Test func `A session with a child's name that is no child can send an event to the session of the parent's name`() throws {
        try shards.create("p", "p/kid")
        for _ in 1...2 {
            try shards.perform(in: "p/kid", [["send": "wasHit", "to": "p"]])
            try shards.evictAndRestore("p/kid")
        }
        try shards.deliverAll()
        #expect(try shards.count("hits", of: "p") == 2)
    }

    @Test func `A parent that leaves before it knows that its child's name is taken does not drop the session of that name`()
        throws
    {
        try shards.create("p", "p/kid")
        try shards.perform(in: "p", [Self.kid()])
        try shards.perform(in: "p", [["drop": "kid"]])
        try shards.deliverAll()
        #expect(try shards["p/kid"] != nil && shards.received("p") == [])
    }

    @Test func `Children can be nested 8 deep`() throws {
        try shards.create("p")
        var effects: JSON = []
        for _ in 0..<9 { effects = [Self.kid(effects)] }
        try shards.perform(in: "p", effects)
        try shards.deliverAll()
        let deepest = "p" + String(repeating: "/kid", count: 8)
        #expect(shards[deepest] != nil && shards[deepest + "/kid"] == nil)
        #expect(try shards.received(deepest).first?.contains("9 sessions deep") == true)
    }

    @Test(arguments: [false, true]) func `A session has at most 32 children in other shards`(hasMoved: Bool) throws {
        try shards.create("p")
        for number in 1...32 {
            try shards.perform(in: "p", [["begin": .string("kid\(number)"), "flow": "effects", "context": [:]]])
        }
        #expect(try shards.deliverAll() == 32)
        if hasMoved {
            try shards.evictAndRestore("p")
            #expect(try shards.deliverAll() == 32)
        }
        try shards.perform(in: "p", [["begin": "other", "flow": "effects", "context": [:]]])
        #expect(shards.posted == [] && shards["p/kid32"] != nil)
        let last = try #require(shards.daemons[0].sessions.find("p")?.history(1).first?.refused)
        #expect(last.event == "error.invoke.other" && last.code == .limit)
        #expect(last.facts == .message("a session has 32 children at most"))
    }

    @Test func `A child can send an event to its parent`() throws {
        try shards.create("p")
        try shards.perform(in: "p", [Self.kid([["send": "wasHit", "to": "p"]])])
        #expect(try shards.deliverAll() == 2)
        #expect(try shards.count("hits", of: "p") == 1)
        #expect(shards.daemons[1].sessions.find("p/kid")?.machine.parentName == "p")
    }
}
