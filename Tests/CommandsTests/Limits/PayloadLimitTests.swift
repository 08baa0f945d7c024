// The limits on payloads: their size, and how many of their values are built.

import BuiltInFlows
import GameFlow
import RESP
import Testing
import Timers
@testable import Commands
@testable import Simulation
@testable import Sessions

@Suite struct `The payload of a command` {
    private let host: Host
    private let client: LocalClient

    init() throws {
        var limits = Limits()
        limits.payloadBytes = 100
        host = Host(on: Timekeeper(VirtualClock()), flows: [.flow(Game.self)], commands: .all, limits: limits)
        try host.begin("a", flow: "game")
        client = LocalClient(of: host)
    }

    private func reply(_ words: [String]) -> String {
        switch client.run(words).last {
        case .error(let code, let text)?: "\(code) \(text)"
        case let other?: other.text ?? other.json.description
        case nil: "nothing"
        }
    }

    private static let tooLong =
        "LIMIT a payload has at most 100 bytes, not 101; CONFIG SET payload-bytes N changes this limit, and so does the daemon's option --limit payload-bytes=N"

    @Test(arguments: [
        ["SEND", "a", "startPlaying"], ["NEW", "b", "game"], ["FORCE", "a", "help"], ["SEND", "a", "chooseLevel"],
    ])
    func `A payload above the limit is refused, and changes nothing`(words: [String]) {
        #expect(reply(words + [String(repeating: "x", count: 101)]) == Self.tooLong)
        #expect(reply(words + [String(repeating: "x", count: 100)]) != Self.tooLong)
        #expect(host.sessions["a"]?.version == 0 && host.sessions["b"] == nil)
    }

    @Test func `A payload that is too long is not kept in the history, but the refused event is`() throws {
        _ = reply(["SEND", "a", "startPlaying", String(repeating: "x", count: 101)])
        _ = reply(["SEND", "a", "nonsense", String(repeating: "x", count: 101)])
        let lines = try #require(host.sessions.find("a")).history(5)
        #expect(lines.map(\.kind) == [.refused, .refused, .begun] && lines.allSatisfy { $0.payload == nil })
        #expect(lines.map { $0.refused?.code } == [.badEvent, .limit, nil])
    }

    @Test func `An id belongs to a payload above the limit by its first bytes and its length`() {
        func send(_ count: Int) -> String {
            reply(["SEND", "a", "startPlaying", String(repeating: "x", count: count), "ID", "k"])
        }
        #expect(send(101) == Self.tooLong && send(101) == Self.tooLong)
        for count in [100, 102] { #expect(send(count).contains("the id 'k' belongs to another event or payload")) }
    }

    @Test func `A payload is limited to a megabyte by default`() {
        #expect(Limits().payloadBytes == 1_048_576)
    }
}

@Suite struct `JSON of many values in a command` {
    private static let many = "[" + String(repeating: "1,", count: 20_000) + "1]"

    @Test(arguments: [["NEW", "b", "game"], ["RESTART", "a"], ["FORCE", "a", "help"]])
    func `JSON that describes a session has at most 20,000 values`(words: [String]) throws {
        let host = try HostUnderTest()
        host.run("NEW a game")
        let answer = host.run(words + [Self.many])
        #expect(answer.code == .badEvent)
        #expect(answer.sentence == "the JSON has more than 20000 values, counting arrays, objects and what they contain")
        #expect(host.state("a") == "introduction" && host.life("a") == 1 && host.state("b") == nil)
    }

    @Test func `A payload may have any number of values that its flow does not read`() throws {
        let host = try HostUnderTest()
        host.run("NEW a game")
        host.run("SEND a startPlaying")
        let refused = host.run(["SEND", "a", "chooseEpisode", Self.many])
        #expect(refused.sentence == "'chooseEpisode' expects 'episode', a whole number: 1 to 4")
        let accepted = host.run(["SEND", "a", "chooseEpisode", #"{"more":\#(Self.many),"episode":3}"#])
        #expect(!accepted.isError && host.state("a") == "choosingLevel", "\(accepted)")
    }
}

@Suite struct `Nested JSON in a command` {
    private let host: HostUnderTest

    init() throws {
        host = try HostUnderTest(
            """
            { id: "w", context: { list: [] }, initial: "a",
              states: { a: { postpone: ["ping"], on: { go: "b" } }, b: { on: { ping: "a" } } } }
            """)
        host.run("NEW r w")
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test func `Each postponed payload that is accepted can be read in a view and after a restart`() throws {
        for depth in 40...64 { host.run(["SEND", "r", "ping", Self.nested(depth)]) }
        let machine = try #require(host.host.sessions["r"])
        #expect(machine.postponed.count == 9, "those up to 48 deep")
        let text = try #require(machine.savedEventsText)
        #expect(try text.utf8Span.span.withUnsafeBytes { try SavedEvents.read($0) }.waiting.count == 9)
        #expect(try JSON(parsing: host.run("VIEW r").text ?? "")["postponed"]?.elements.count == 9)
    }

    @Test(arguments: [
        (["SEND", "r", "ping"], ["list"]), (["NEW", "s", "w"], ["context", "list"]), (["RESTART", "r"], ["context", "list"]),
        (["FORCE", "r", "b"], ["list"]),
    ])
    func `JSON that is nested more than 48 deep is refused and changes nothing`(words: [String], members: [String]) {
        func json(depth: Int) -> String {
            members.reversed().reduce(Self.nested(depth - members.count)) { "{\"\($1)\":\($0)}" }
        }
        let answer = host.run(words + [json(depth: 49)])
        #expect(answer.code == .badEvent)
        #expect(answer.sentence?.hasPrefix("the payload is not JSON: more than 48 values inside each other at byte ") == true)
        #expect(host.state("r") == "a" && host.life("r") == 1 && host.state("s") == nil)
        #expect(!host.run(words + [json(depth: 48)]).isError)
    }
}
