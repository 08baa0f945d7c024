// Effects of sessions: messages, children, emitted events and log lines.

import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Sessions

@Suite struct `Messages between sessions` {
    private let host: MessagingHost

    init() {
        host = MessagingHost()
        host.create("ann", "bob")
    }

    @Test func `Messages are delivered in the same turn, in order, with the source orchestrator, and only once`() throws {
        host.perform(
            in: "ann", ["send": "wasHit", "to": "bob"],
            ["send": "perform", "to": "bob", "data": [["send": "wasHit", "to": "ann"]]])
        #expect(try host.hits("bob") == 1 && host.hits("ann") == 1)
        #expect(host.history("bob").prefix(2) == ["perform from orchestrator", "wasHit from orchestrator"])
        #expect(try host.record("ann")["outgoing"] == [])
        #expect(host.sessions.messages.sent == 3 && host.sessions.messages.failed == 0)
    }

    @Test func `A message from a session to itself is delivered`() throws {
        host.perform(in: "ann", ["send": "wasHit", "to": "ann"], ["send": "hit", "to": "ann", "data": "ann"])
        #expect(try host.hits("ann") == 2)
    }

    @Test func `A refused message is in the receiver's history, and the sender is not notified`() throws {
        host.perform(in: "ann", ["send": "refuse", "to": "bob"])
        #expect(host.history("bob").first == "refuse BADEVENT: it does not want to")
        #expect(try host.received("ann") == [])
    }

    @Test func `A message to a session that does not exist is reported to the sender`() throws {
        host.perform(in: "ann", ["send": "wasHit", "to": "eve"])
        #expect(
            try host.received("ann") == [
                #"error.communication {"event":"wasHit","session":"eve","message":"there is no session 'eve'"}"#
            ])
        #expect(host.sessions.messages.failed == 1)
    }

    @Test func `A message that the receiver's flow does not know is reported to the sender`() throws {
        host.perform(in: "ann", ["send": "dance", "to": "bob"])
        #expect(try host.received("ann").first?.contains("'effects' has no event 'dance'; ") == true)
        #expect(host.history("bob") == ["begun from network"])
    }

    @Test func `A failed message of a sender that is done is recorded in the sender's history`() throws {
        host.run("NEW", "done", "effects", #"{"context":{"initialEffects":"[{\"final\":1},{\"send\":\"x\",\"to\":\"eve\"}]"}}"#)
        #expect(host.history("done").first?.hasPrefix("error.communication from") == true)
        #expect(host.lastActor("done") == "the daemon")
    }

    @Test func `Messages of several sessions are delivered in the order in which they were sent`() throws {
        host.create("eve")
        host.perform(
            in: "ann",
            ["send": "perform", "to": "bob", "data": [["send": "perform", "to": "eve", "data": [["log": "third"]]]]],
            ["send": "perform", "to": "eve", "data": [["log": "second"]]], ["log": "first"])
        #expect(
            host.logged.filter { $0.contains(": ") }
                == ["first", "second", "third"].map { "info: \($0 == "first" ? "ann" : "eve"): \($0)\n" })
    }

    @Test(arguments: ["bounce", "bounceLater"])
    func `Messages in a cycle are stopped with an error, and other sessions are still served`(event: String) throws {
        host.run("SEND", "ann", event, "bob")
        let hits = try host.hits("ann") + host.hits("bob")
        #expect(hits > 1_000 && hits <= Sessions.maxMessages + 1)
        if event == "bounce" {
            #expect(hits == Sessions.maxMessages + 1)
            let lines = host.history("ann") + host.history("bob")
            let stopped = lines.filter { $0.contains("LIMIT") }
            #expect(
                stopped.count == 1 && stopped[0].contains("from 'ann' to 'bob'") || stopped[0].contains("from 'bob' to 'ann'"))
            #expect(host.logged.filter { $0.contains("they seem to form a cycle") }.count == 1)
            #expect(try host.record("ann")["outgoing"] == [] && host.record("bob")["outgoing"] == [])
        } else {
            #expect(host.logged.contains { $0.contains("was stopped: its timers of zero length") })
        }
        host.create("eve")
        host.perform(in: "eve", ["send": "wasHit", "to": "eve"])
        #expect(try host.hits("eve") == 1)
    }

    @Test func `The message limit counts each chain of messages, not the messages of one step`() throws {
        let many = JSON.array(Array(repeating: ["send": "wasHit", "to": "bob"], count: Sessions.maxMessages))
        for _ in 1...2 { host.run("SEND", "ann", "perform", many.description) }
        #expect(try host.hits("bob") == 2 * Sessions.maxMessages)
        #expect(host.sessions.messages.failed == 0)
    }

    @Test func `Messages are sent after a forced state, a creation, a timer and an EXEC`() throws {
        let record =
            #"{"record":{"outgoing":[{"send":"wasHit","to":"bob"}],"children":[],"requests":0,"hits":0,"received":[]}}"#
        host.run("FORCE", "ann", "working", record)
        #expect(try host.hits("bob") == 1)
        host.run("NEW", "eve", "effects", #"{"context":{"initialEffects":"[{\"send\":\"wasHit\",\"to\":\"bob\"}]"}}"#)
        #expect(try host.hits("bob") == 2)
        host.run("SEND", "ann", "bounceLater", "eve")
        host.run("MULTI")
        host.run("SEND", "ann", "hit", "bob")
        host.run("SEND", "ann", "hit", "bob")
        host.run("EXEC")
        #expect(try host.hits("bob") == 4)
    }

    @Test func `Messages are not timers, and ADVANCE does not count them`() throws {
        host.run("SEND", "ann", "bounceLater", "eve")
        #expect(host.run("ADVANCE", "1s") == .integer(0))
        #expect(host.timekeeper.lateness.total == 1)
    }

    @Test func `Messages are not sent in a replay`() throws {
        let kind = FlowKind.flow(EffectFlow.self).decidingOnly()
        #expect(!kind.hasEffects)
    }
}

@Suite struct `The output of a session` {
    private let host: MessagingHost

    init() {
        host = MessagingHost()
        host.create("ann")
    }

    @Test func `An emitted event reaches subscribers as a message and is not a history entry`() throws {
        host.run("SUBSCRIBE", "session:ann")
        host.run("PSUBSCRIBE", "session:*")
        host.perform(in: "ann", ["emit": "tick", "data": ["n": 1]], ["emit": "tock"])
        let messages = host.messages
        let message = #"{"session":"ann","what":"emitted","event":"tick","payload":{"n":1},"seq":2,"version":1}"#
        #expect(messages.filter { $0.contains("tick") } == [message, message])
        #expect(messages.filter { $0.contains("tock") }.count == 2)
        #expect(messages.first?.contains(#""what":"taken""#) == true, "the accepted event comes first")
        #expect(host.history("ann").count == 2)
    }

    @Test func `A session's log message is one escaped line of limited length`() throws {
        host.perform(
            in: "ann", ["log": "hello"], ["log": "a\u{1b}[2Jb\nc"], ["log": .string(String(repeating: "x", count: 9_999))])
        let lines = host.logged.filter { $0.hasPrefix("info: ann: ") }
        #expect(lines.count == 3 && lines[0] == "info: ann: hello\n")
        #expect(lines[1] == #"info: ann: a\u{1b}[2Jb\nc"# + "\n")
        #expect(lines[2].utf8.count < 1_100 && lines[2].hasSuffix("…\n"))
    }
}

@Suite struct `Child sessions` {
    private let host: MessagingHost

    init() {
        host = MessagingHost()
        host.create("ann")
    }

    private static func kid(_ effects: String = "") -> JSON {
        ["begin": "kid", "flow": "effects", "context": effects.isEmpty ? [:] : ["initialEffects": .string(effects)]]
    }

    @Test func `A child session's name starts with its parent's name, and it knows its parent`() throws {
        host.perform(in: "ann", Self.kid())
        #expect(host.names == ["ann", "ann/kid"])
        #expect(try host.record("ann/kid")["received"] == ["I am ann/kid of ann"])
        #expect(host.sessions["ann/kid"]?.clock.parentName == "ann")
        #expect(
            host.sessions.find("ann/kid")?.history(1).first.flatMap {
                host.sessions.actors.name($0.cause.actor)
            } == "ann")
    }

    @Test func `A child session that is done sends its result to its parent, once`() throws {
        host.perform(in: "ann", Self.kid())
        host.run("SEND", "ann/kid", "finish", #"{"score":7}"#)
        #expect(try host.received("ann") == [#"done.invoke.kid {"score":7}"#])
        #expect(host.lastActor("ann") == "ann/kid")
        host.perform(in: "ann", ["drop": "kid"])
        #expect(try host.names == ["ann"] && host.received("ann").count == 1)
    }

    @Test func `A child session that is done at its creation sends its result to its parent`() throws {
        host.perform(in: "ann", Self.kid(#"[{"final":1}]"#))
        #expect(try host.received("ann").first?.hasPrefix("done.invoke.kid ") == true)
    }

    @Test func `A child session that is done without a result sends its data to its parent`() throws {
        host.perform(in: "ann", Self.kid())
        host.run("FORCE", "ann/kid", "done", #"{"record":{"outgoing":[],"children":[],"requests":0,"hits":5,"received":[]}}"#)
        #expect(try host.received("ann").first?.contains(#""hits":5"#) == true)
    }

    @Test func `A child session that another client drops is reported to its parent as an error`() throws {
        host.perform(in: "ann", Self.kid())
        host.run("DROP", "ann/kid")
        #expect(try host.received("ann").first?.hasPrefix(#"error.invoke.kid {"message":"'ann/kid' was dropped"#) == true)
        #expect(host.sessions["ann"]?.children == [])
    }

    @Test func `Dropping a session drops its children and their children`() throws {
        host.perform(in: "ann", Self.kid(#"[{"begin":"kid","flow":"effects","context":{}}]"#))
        #expect(host.names == ["ann", "ann/kid", "ann/kid/kid"])
        host.run("DROP", "ann")
        #expect(host.names == [] && host.sessions.effects.family.isEmpty)
    }

    @Test func `A child session dropped by its parent is recorded with the parent as the actor`() throws {
        host.perform(in: "ann", Self.kid())
        host.perform(in: "ann", ["drop": "kid"])
        #expect(host.names == ["ann"])
        let last = Answer(reply: host.run("HISTORY", "ann/kid")).list.first
        #expect(last?["what"]?.text == "dropped" && last?["actor"]?.text == "ann" && last?["source"]?.text == "orchestrator")
        #expect(try host.received("ann") == [])
    }

    @Test(
        arguments: [
            (["begin": "kid", "flow": "nothing", "context": [:]], "there is no flow 'nothing'"),
            (["begin": "kid", "flow": "effects", "context": ["initialEffects": 1]], "initialEffects"),
            (["begin": "kid", "flow": "effects", "context": ["initialEffects": "[1]"]], "an effect is"),
            (["begin": "\u{7}", "flow": "effects", "context": [:]], "control characters"),
            (["begin": .string(String(repeating: "x", count: 2_000)), "flow": "effects", "context": [:]], "bytes"),
        ] as [(JSON, String)])
    func `A child session that cannot be created is reported to its parent`(effect: JSON, problem: String) throws {
        host.perform(in: "ann", effect)
        #expect(host.names == ["ann"])
        let id = try #require(effect["begin"]?.text)
        let said = id == "kid" ? try host.received("ann").first : host.history("ann").first
        #expect(said?.contains(problem) == true, "\(said ?? "")")
    }

    @Test func `A child session is not created if a session already has its name`() throws {
        host.create("ann/kid")
        host.perform(in: "ann", Self.kid())
        #expect(try host.received("ann").first?.contains("session 'ann/kid' already exists") == true)
        host.run("DROP", "ann")
        #expect(host.names == ["ann/kid"], "it was never ann's")
    }

    @Test func `A child's result that its parent has no event for is refused in the parent's history`() throws {
        host.perform(in: "ann", ["begin": "other", "flow": "effects", "context": [:]])
        host.run("SEND", "ann/other", "finish", "1")
        #expect(
            host.history("ann").first?.hasPrefix("done.invoke.other BADEVENT: 'effects' has no event 'done.invoke.other'")
                == true)
        #expect(host.lastActor("ann") == "ann/other")
    }

    @Test func `A session has at most 32 children, and its descendants are at most 8 levels deep`() throws {
        for number in 1...40 { host.perform(in: "ann", ["begin": .string("kid\(number)"), "flow": "effects", "context": [:]]) }
        #expect(host.names.count == 1 + 32)
        #expect(host.history("ann").first?.contains("a session has 32 children at most") == true)
        var name = "deep"
        host.create(name)
        for _ in 1...12 {
            host.perform(in: name, Self.kid())
            name += "/kid"
        }
        #expect(host.names.count { $0.hasPrefix("deep") } == 1 + 8)
    }
}
