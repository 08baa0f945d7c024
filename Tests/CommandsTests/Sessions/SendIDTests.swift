// SEND … ID id: an event that can be sent again safely.

import RESP
import Testing
@testable import Commands
@testable import GameFlow

@Suite struct `SEND with ID` {
    @Test func `SEND with an ID changes the session once, and each repetition gets the first reply`() throws {
        try transcript(
            """
            > NEW room turns
            < +first
            > SEND room pass ID k1
            < +second
            > SEND room pass ID k1
            < +second
            > SEND room pass ID k2
            < +first
            > SEND room pass ID k1
            < +second
            > SEND room pass IF 2 ID k3
            < +second
            > SEND room pass ID k3 IF 2
            < +second
            > SEND room pass IF 2 ID k3
            < +second
            > SEND room pass ID k4 IF 17
            < -STALE 'room' is at version 3, not 17
            > SEND room pass
            < +first
            > SEND room pass ID k4 IF 4
            < -STALE 'room' is at version 3, not 17
            """, with: Conversation())
    }

    @Test func `Each user of the UNIX socket has separate ids`() throws {
        let host = Conversation().host
        let (ann, bob) = (LocalClient(of: host, named: "ann"), LocalClient(of: host, named: "bob"))
        #expect(ann.run(["NEW", "room", "turns"]) == [.simple("first")])
        let send = ["SEND", "room", "pass", "ID", "1"]
        for _ in 0..<2 { #expect(ann.run(send) == [.simple("second")]) }
        for _ in 0..<2 { #expect(bob.run(send) == [.simple("first")], "another event, with the number that ann gave hers") }
        #expect(host.sessions.find("room")?.machine.version == 2)
    }

    @Test func `SEND with another event or payload under the same ID is refused, and changes nothing`() throws {
        try transcript(
            """
            > NEW room game
            < +introduction
            > SEND room startPlaying ID k
            < +choosingEpisode
            > SEND room chooseEpisode 3 ID k
            < -ERR the id 'k' belongs to another event or payload; give each event its own id
            > SEND room chooseEpisode 3 ID l
            < +choosingLevel
            > SEND room chooseEpisode 2 ID l
            < -ERR the id 'l' belongs to another event or payload; give each event its own id
            > SEND room chooseEpisode ID l
            < -ERR the id 'l' belongs to another event or payload; give each event its own id
            > SEND room chooseEpisode 3 ID l
            < +choosingLevel
            > NEW app startup
            < +launching
            > SEND app deepLink ID
            < +POSTPONED launching
            > SEND app deepLink ID ID m
            < +POSTPONED launching
            > SEND app deepLink ID ID m
            < +POSTPONED launching
            """, with: Conversation())
    }

    @Test func `SEND with a repeated ID gets its first refusal again, even if it would be accepted now`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW room game")
        let first = try conversation.ask("SEND room chooseEpisode 3 ID k")
        #expect(first.code == .noTransition)
        #expect(try conversation.ask("SEND room startPlaying").text == "choosingEpisode")
        let again = try conversation.ask("SEND room chooseEpisode 3 ID k")
        #expect(again.code == .noTransition && again.sentence == first.sentence)
        #expect(try conversation.ask("SEND room chooseEpisode 3 ID l").text == "choosingLevel")
    }

    @Test(arguments: [
        ("SEND room pass ID", "first"), ("SEND room pass ID k ID k", nil), ("SEND room pass IF 0 IF 0", nil),
        ("SEND room pass ID ''", nil), ("SEND room pass ID 'a b'", nil), ("SEND room pass ID ä", nil),
        ("SEND room pass IDENT k", nil), ("SEND room pass x IF 0 ID", nil),
    ]) func `SEND with wrong words behind ID or IF is an error, and changes nothing`(words: String, state: String?) throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW room turns")
        let reply = try conversation.ask(words)
        #expect(reply.code == (state == nil ? .generic : .badEvent), "\(reply)")
        #expect(try conversation.ask("STATE room")["version"]?.integer == 0)
        #expect(try conversation.ask("SEND room pass ID \(String(repeating: "i", count: 65))").code == .generic)
        #expect(try conversation.ask("SEND room pass ID \(String(repeating: "i", count: 64))").text == "second")
    }

    @Test func `An event's ID is unknown to a restarted or undropped session, and to another session`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("NEW room turns")
        #expect(try conversation.ask("SEND room pass ID k").text == "second")
        _ = try conversation.ask("RESTART room")
        #expect(try conversation.ask("SEND room pass ID k").text == "second")
        #expect(try conversation.ask("SEND room pass ID l").text == "first")
        _ = try conversation.ask("DROP room")
        _ = try conversation.ask("UNDROP room")
        #expect(try conversation.ask("SEND room pass ID l").text == "second", "it is another life")
        _ = try conversation.ask("NEW hall turns")
        #expect(try conversation.ask("SEND hall pass ID k").text == "second")
    }

    @Test func `An event's ID is forgotten after as many newer ones as the limit allows`() throws {
        let conversation = Conversation()
        _ = try conversation.ask("CONFIG SET ids 3")
        _ = try conversation.ask("NEW room turns")
        for id in 1...3 { _ = try conversation.ask("SEND room pass ID k\(id)") }
        #expect(try conversation.ask("SEND room pass ID k1").text == "second")
        #expect(try conversation.ask("SEND room pass ID k4").text == "first")
        #expect(try conversation.ask("STATE room")["version"]?.integer == 4)
        #expect(try conversation.ask("SEND room pass ID k2").text == "first", "k2 is remembered")
        #expect(try conversation.ask("SEND room pass ID k1").text == "second", "k1 is new")
        #expect(try conversation.ask("STATE room")["version"]?.integer == 5)
    }

    @Test func `SEND with an ID works the same in a transaction`() throws {
        try transcript(
            """
            > NEW room turns
            < +first
            > MULTI
            < +OK
            > SEND room pass ID k
            < +QUEUED
            > SEND room pass ID k
            < +QUEUED
            > SEND room pass 7 ID l
            < +QUEUED
            > SEND room pass ID l
            < +QUEUED
            > EXEC
            < *4
            < +second
            < +second
            < -BADEVENT 'pass' carries nothing
            < -ERR the id 'l' belongs to another event or payload; give each event its own id
            """, with: Conversation())
    }

    @Test func `A refusal's facts are saved with its ID, and an older saved form without them is read`() throws {
        func read(_ sent: String) throws -> [SentEvent] {
            try Array(#"{"waiting":[],"sent":\#(sent)}"#.utf8).withUnsafeBytes { try SavedEvents.read($0).sent }
        }
        let (sent, refused) = (SentEvents(), SentAnswer.refused(.noTransition, "not now"))
        for facts in [SentFacts(accepted: ["open", #"a "b""#], timer: "turn"), SentFacts(accepted: nil, timer: nil), nil] {
            sent.add(SentEvent(EventID("k", of: "ann"), fingerprint: 7, answer: refused, facts: facts), atMost: 64)
        }
        #expect(try read(sent.text) == sent.events)
        let old = #"[{"id":"k","actor":"ann","fingerprint":"7","answer":"-NOTRANSITION not now"}]"#
        #expect(try read(old) == [SentEvent(EventID("k", of: "ann"), fingerprint: 7, answer: refused)])
    }

    /// Names of events: the first 65 have 965 bytes, and 70 have 1,040.
    private let names = (0..<1_000).map { "event\($0)-of-many" }

    @Test func `A sent event is remembered without its accepted events if their names have more than 1 KiB`() {
        #expect(SentFacts(accepted: Array(names.prefix(70)), timer: "turn") == SentFacts(accepted: nil, timer: "turn"))
        #expect(SentFacts(accepted: Array(names.prefix(65)), timer: nil).accepted?.count == 65)
    }

    @Test(arguments: [65, 500])
    func `At least seven refusals are remembered, even with long sentences and lists of accepted events`(count: Int) {
        let (sent, long) = (SentEvents(), SentAnswer.refused(.noTransition, String(repeating: "x", count: 1_000)))
        let facts = SentFacts(accepted: Array(names.prefix(count)), timer: "turn")
        for number in 1...7 {
            sent.add(SentEvent(EventID("\(number)", of: "ann"), fingerprint: 1, answer: long, facts: facts), atMost: 64)
        }
        #expect(sent.events.map(\.id.id) == (1...7).map { "\($0)" })
    }

    @Test func `The oldest sent event is forgotten first when long replies exceed the bound in bytes`() throws {
        let sent = SentEvents()
        let long = String(repeating: "x", count: 900)
        for number in 1...40 {
            sent.add(SentEvent(EventID("\(number)", of: "ann"), fingerprint: 1, answer: .refused(.vetoed, long)), atMost: 64)
        }
        #expect(sent.events.count < 20 && sent.events.last?.id.id == "40")
        #expect(sent.text.utf8.count <= SentEvents.maxBytes + sent.events.count + 2)
        #expect(sent.find(EventID("40", of: "bob")) == nil, "another sender's")
    }
}
