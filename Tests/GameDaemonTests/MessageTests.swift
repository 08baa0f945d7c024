// Effects of sessions: messages, children, emitted events and log lines.

import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import Logging
@testable import Sessions

/// A daemon in virtual time that hosts postmen.
final class PostOffice {
    let daemon: Daemon
    let client: LocalClient
    private final class Output { var lines: [String] = [] }
    private let said = Output()

    var logged: [String] { said.lines.map { String($0.drop { $0 != " " }.dropFirst()) } }

    init() throws {
        let log = Log(level: .info, style: .dated) { [said] line in
            said.lines.append(String(decoding: line, as: UTF8.self))
            return true
        }
        daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Postman.self)], log: log)
        client = LocalClient(of: daemon.host, from: .network)
    }

    /// The messages of subscriptions.
    private(set) var told: [String] = []

    @discardableResult
    func run(_ words: String...) -> Reply {
        let replies = client.run(words)
        for case .push(let parts) in replies {
            if case .bulk(let text)? = parts.last { told.append(String(decoding: text, as: UTF8.self)) }
        }
        return replies.last { if case .push = $0 { false } else { true } } ?? .null
    }

    /// Makes a session request the effects in this JSON.
    func ask(_ session: String, _ wishes: JSON...) { run("SEND", session, "ask", JSON.array(wishes).description) }

    func begin(_ names: String...) { for name in names { run("NEW", name, "postman") } }

    func desk(_ session: String) throws -> JSON {
        try #require(try daemon.sessions[session]?.stateData()["desk"])
    }

    func hits(_ session: String) throws -> Int { try #require(desk(session)["hits"]?.integer) }

    /// The daemon's reports to this session.
    func heard(_ session: String) throws -> [String] {
        guard case .array(let heard)? = try desk(session)["heard"] else { return [] }
        return heard.compactMap(\.text).filter { !$0.hasPrefix("I am ") }
    }

    /// The actor of the newest entry.
    func lastActor(_ session: String) -> String? {
        (daemon.sessions.find(session)?.history(1).first).flatMap { daemon.sessions.actors.name($0.cause.actor) }
    }

    /// The newest first.
    func lines(_ session: String) -> [String] {
        daemon.sessions.find(session)?.history(9).map { line in
            let event = line.eventName(in: .flow(Postman.self)) ?? line.kind.name
            let sentence = line.refusal(in: .flow(Postman.self)) ?? ""
            return line.refused.map { "\(event) \($0.code): \(sentence)" } ?? "\(event) from \(line.cause.source.name)"
        } ?? []
    }

    var names: [String] { daemon.sessions.all.map(\.name).sorted() }
}

@Suite struct `Messages between sessions` {
    private let office: PostOffice

    init() throws {
        office = try PostOffice()
        office.begin("ann", "bob")
    }

    @Test func `Messages are delivered in the same turn, in order, with the source orchestrator, and only once`() throws {
        office.ask(
            "ann", ["send": "wasHit", "to": "bob"], ["send": "ask", "to": "bob", "data": [["send": "wasHit", "to": "ann"]]])
        #expect(try office.hits("bob") == 1 && office.hits("ann") == 1)
        #expect(office.lines("bob").prefix(2) == ["ask from orchestrator", "wasHit from orchestrator"])
        #expect(try office.desk("ann")["outgoing"] == [])
        #expect(office.daemon.sessions.messages.sent == 3 && office.daemon.sessions.messages.failed == 0)
    }

    @Test func `A message from a session to itself is delivered`() throws {
        office.ask("ann", ["send": "wasHit", "to": "ann"], ["send": "hit", "to": "ann", "data": "ann"])
        #expect(try office.hits("ann") == 2)
    }

    @Test func `A refused message is in the receiver's history, and the sender is not notified`() throws {
        office.ask("ann", ["send": "refuse", "to": "bob"])
        #expect(office.lines("bob").first == "refuse BADEVENT: it does not want to")
        #expect(try office.heard("ann") == [])
    }

    @Test func `A message to a session that does not exist is reported to the sender`() throws {
        office.ask("ann", ["send": "wasHit", "to": "eve"])
        #expect(
            try office.heard("ann") == [
                #"error.communication {"event":"wasHit","session":"eve","message":"there is no session 'eve'"}"#
            ])
        #expect(office.daemon.sessions.messages.failed == 1)
    }

    @Test func `A message that the receiver's flow does not know is reported to the sender`() throws {
        office.ask("ann", ["send": "dance", "to": "bob"])
        #expect(try office.heard("ann").first?.contains("'postman' has no event 'dance'; ") == true)
        #expect(office.lines("bob") == ["begun from network"])
    }

    @Test func `A failed message of a sender that is done is recorded in the sender's history`() throws {
        office.run("NEW", "done", "postman", #"{"context":{"errands":"[{\"final\":1},{\"send\":\"x\",\"to\":\"eve\"}]"}}"#)
        #expect(office.lines("done").first?.hasPrefix("error.communication from") == true)
        #expect(office.lastActor("done") == "the daemon")
    }

    @Test func `Messages of several sessions are delivered in the order in which they were sent`() throws {
        office.begin("eve")
        office.ask(
            "ann", ["send": "ask", "to": "bob", "data": [["send": "ask", "to": "eve", "data": [["log": "third"]]]]],
            ["send": "ask", "to": "eve", "data": [["log": "second"]]], ["log": "first"])
        #expect(
            office.logged.filter { $0.contains(": ") }
                == ["first", "second", "third"].map { "info: \($0 == "first" ? "ann" : "eve"): \($0)\n" })
    }

    @Test(arguments: ["bounce", "bounceLater"])
    func `Messages in a cycle are stopped with an error, and other sessions are still served`(event: String) throws {
        office.run("SEND", "ann", event, "bob")
        let hits = try office.hits("ann") + office.hits("bob")
        #expect(hits > 1_000 && hits <= Sessions.maxMessages + 1)
        if event == "bounce" {
            #expect(hits == Sessions.maxMessages + 1)
            let lines = office.lines("ann") + office.lines("bob")
            let stopped = lines.filter { $0.contains("LIMIT") }
            #expect(
                stopped.count == 1 && stopped[0].contains("from 'ann' to 'bob'") || stopped[0].contains("from 'bob' to 'ann'"))
            #expect(office.logged.filter { $0.contains("they seem to form a cycle") }.count == 1)
            #expect(try office.desk("ann")["outgoing"] == [] && office.desk("bob")["outgoing"] == [])
        } else {
            #expect(office.logged.contains { $0.contains("was stopped: its timers of zero length") })
        }
        office.begin("eve")
        office.ask("eve", ["send": "wasHit", "to": "eve"])
        #expect(try office.hits("eve") == 1)
    }

    @Test func `The message limit counts each chain of messages, not the messages of one step`() throws {
        let many = JSON.array(Array(repeating: ["send": "wasHit", "to": "bob"], count: Sessions.maxMessages))
        for _ in 1...2 { office.run("SEND", "ann", "ask", many.description) }
        #expect(try office.hits("bob") == 2 * Sessions.maxMessages)
        #expect(office.daemon.sessions.messages.failed == 0)
    }

    @Test func `Messages are sent after a forced state, a creation, a timer and an EXEC`() throws {
        let desk = #"{"desk":{"outgoing":[{"send":"wasHit","to":"bob"}],"children":[],"asked":0,"hits":0,"heard":[]}}"#
        office.run("FORCE", "ann", "working", desk)
        #expect(try office.hits("bob") == 1)
        office.run("NEW", "eve", "postman", #"{"context":{"errands":"[{\"send\":\"wasHit\",\"to\":\"bob\"}]"}}"#)
        #expect(try office.hits("bob") == 2)
        office.run("SEND", "ann", "bounceLater", "eve")
        office.run("MULTI")
        office.run("SEND", "ann", "hit", "bob")
        office.run("SEND", "ann", "hit", "bob")
        office.run("EXEC")
        #expect(try office.hits("bob") == 4)
    }

    @Test func `A long chain of messages is spread over several turns, and clients are served meanwhile`() throws {
        let loop = office.daemon.loop
        loop.schedule { office.run("SEND", "ann", "bounce", "bob") }
        try loop.turn()
        #expect(office.daemon.timekeeper.needsFollowUp)
        let first = try office.hits("ann") + office.hits("bob")
        #expect(first > 0 && first < Sessions.maxMessages)
        office.begin("eve")
        var turns = 0
        while office.daemon.timekeeper.needsFollowUp, turns < 10_000 {
            try loop.turn()
            turns += 1
        }
        #expect(try office.hits("ann") + office.hits("bob") == Sessions.maxMessages + 1)
    }

    @Test func `Messages are not timers, and ADVANCE does not count them`() throws {
        office.run("SEND", "ann", "bounceLater", "eve")
        #expect(office.run("ADVANCE", "1s") == .integer(0))
        #expect(office.daemon.timekeeper.lateness.total == 1)
    }

    @Test func `Messages are not sent in a replay`() throws {
        let kind = FlowKind.flow(Postman.self).decidingOnly()
        #expect(!kind.hasEffects)
    }
}

@Suite struct `The output of a session` {
    private let office: PostOffice

    init() throws {
        office = try PostOffice()
        office.begin("ann")
    }

    @Test func `An emitted event reaches subscribers as a message and is not a history entry`() throws {
        office.run("SUBSCRIBE", "session:ann")
        office.run("PSUBSCRIBE", "session:*")
        office.ask("ann", ["emit": "tick", "data": ["n": 1]], ["emit": "tock"])
        let told = office.told
        let message = #"{"session":"ann","what":"emitted","event":"tick","payload":{"n":1},"seq":2,"version":1}"#
        #expect(told.filter { $0.contains("tick") } == [message, message])
        #expect(told.filter { $0.contains("tock") }.count == 2)
        #expect(told.first?.contains(#""what":"taken""#) == true, "the accepted event comes first")
        #expect(office.lines("ann").count == 2)
    }

    @Test func `A session's log message is one escaped line of limited length`() throws {
        office.ask("ann", ["log": "hello"], ["log": "a\u{1b}[2Jb\nc"], ["log": .string(String(repeating: "x", count: 9_999))])
        let lines = office.logged.filter { $0.hasPrefix("info: ann: ") }
        #expect(lines.count == 3 && lines[0] == "info: ann: hello\n")
        #expect(lines[1] == #"info: ann: a\u{1b}[2Jb\nc"# + "\n")
        #expect(lines[2].utf8.count < 1_100 && lines[2].hasSuffix("…\n"))
    }
}

@Suite struct `Child sessions` {
    private let office: PostOffice

    init() throws {
        office = try PostOffice()
        office.begin("ann")
    }

    private static func kid(_ errands: String = "") -> JSON {
        ["begin": "kid", "flow": "postman", "context": errands.isEmpty ? [:] : ["errands": .string(errands)]]
    }

    @Test func `A child session's name starts with its parent's name, and it knows its parent`() throws {
        office.ask("ann", Self.kid())
        #expect(office.names == ["ann", "ann/kid"])
        #expect(try office.desk("ann/kid")["heard"] == ["I am ann/kid of ann"])
        #expect(office.daemon.sessions["ann/kid"]?.clock.parentName == "ann")
        #expect(
            office.daemon.sessions.find("ann/kid")?.history(1).first.flatMap {
                office.daemon.sessions.actors.name($0.cause.actor)
            } == "ann")
    }

    @Test func `A child session that is done sends its result to its parent, once`() throws {
        office.ask("ann", Self.kid())
        office.run("SEND", "ann/kid", "finish", #"{"score":7}"#)
        #expect(try office.heard("ann") == [#"done.invoke.kid {"score":7}"#])
        #expect(office.lastActor("ann") == "ann/kid")
        office.ask("ann", ["drop": "kid"])
        #expect(try office.names == ["ann"] && office.heard("ann").count == 1)
    }

    @Test func `A child session that is done at its creation sends its result to its parent`() throws {
        office.ask("ann", Self.kid(#"[{"final":1}]"#))
        #expect(try office.heard("ann").first?.hasPrefix("done.invoke.kid ") == true)
    }

    @Test func `A child session that is done without a result sends its data to its parent`() throws {
        office.ask("ann", Self.kid())
        office.run("FORCE", "ann/kid", "done", #"{"desk":{"outgoing":[],"children":[],"asked":0,"hits":5,"heard":[]}}"#)
        #expect(try office.heard("ann").first?.contains(#""hits":5"#) == true)
    }

    @Test func `A child session that another client drops is reported to its parent as an error`() throws {
        office.ask("ann", Self.kid())
        office.run("DROP", "ann/kid")
        #expect(try office.heard("ann").first?.hasPrefix(#"error.invoke.kid {"message":"'ann/kid' was dropped"#) == true)
        #expect(office.daemon.sessions["ann"]?.children == [])
    }

    @Test func `Dropping a session drops its children and their children`() throws {
        office.ask("ann", Self.kid(#"[{"begin":"kid","flow":"postman","context":{}}]"#))
        #expect(office.names == ["ann", "ann/kid", "ann/kid/kid"])
        office.run("DROP", "ann")
        #expect(office.names == [] && office.daemon.sessions.effects.family.isEmpty)
    }

    @Test func `A child session dropped by its parent is recorded with the parent as the actor`() throws {
        office.ask("ann", Self.kid())
        office.ask("ann", ["drop": "kid"])
        #expect(office.names == ["ann"])
        let last = Answer(reply: office.run("HISTORY", "ann/kid")).list.first
        #expect(last?["what"]?.text == "dropped" && last?["actor"]?.text == "ann" && last?["source"]?.text == "orchestrator")
        #expect(try office.heard("ann") == [])
    }

    @Test(
        arguments: [
            (["begin": "kid", "flow": "nothing", "context": [:]], "there is no flow 'nothing'"),
            (["begin": "kid", "flow": "postman", "context": ["errands": 1]], "errands"),
            (["begin": "kid", "flow": "postman", "context": ["errands": "[1]"]], "an effect is"),
            (["begin": "\u{7}", "flow": "postman", "context": [:]], "control characters"),
            (["begin": .string(String(repeating: "x", count: 2_000)), "flow": "postman", "context": [:]], "bytes"),
        ] as [(JSON, String)])
    func `A child session that cannot be created is reported to its parent`(wish: JSON, problem: String) throws {
        office.ask("ann", wish)
        #expect(office.names == ["ann"])
        let id = try #require(wish["begin"]?.text)
        let said = id == "kid" ? try office.heard("ann").first : office.lines("ann").first
        #expect(said?.contains(problem) == true, "\(said ?? "")")
    }

    @Test func `A child session is not created if a session already has its name`() throws {
        office.begin("ann/kid")
        office.ask("ann", Self.kid())
        #expect(try office.heard("ann").first?.contains("session 'ann/kid' already exists") == true)
        office.run("DROP", "ann")
        #expect(office.names == ["ann/kid"], "it was never ann's")
    }

    @Test func `A child's result that its parent has no event for is refused in the parent's history`() throws {
        office.ask("ann", ["begin": "other", "flow": "postman", "context": [:]])
        office.run("SEND", "ann/other", "finish", "1")
        #expect(
            office.lines("ann").first?.hasPrefix("done.invoke.other BADEVENT: 'postman' has no event 'done.invoke.other'")
                == true)
        #expect(office.lastActor("ann") == "ann/other")
    }

    @Test func `A session has at most 32 children, and its descendants are at most 8 levels deep`() throws {
        for number in 1...40 { office.ask("ann", ["begin": .string("kid\(number)"), "flow": "postman", "context": [:]]) }
        #expect(office.names.count == 1 + 32)
        #expect(office.lines("ann").first?.contains("a session has 32 children at most") == true)
        var name = "deep"
        office.begin(name)
        for _ in 1...12 {
            office.ask(name, Self.kid())
            name += "/kid"
        }
        #expect(office.names.count { $0.hasPrefix("deep") } == 1 + 8)
    }
}
