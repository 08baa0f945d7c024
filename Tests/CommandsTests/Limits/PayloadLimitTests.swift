// The limit on the size of payloads.

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

    @Test func `A payload is limited to a megabyte by default`() {
        #expect(Limits().payloadBytes == 1_048_576)
    }
}
