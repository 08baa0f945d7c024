// A virtual day of random events, with restarts in between, and the replay of its history.

import Foundation
import Seeds
import TestSupport
import Testing

@Suite struct `The history of a virtual day` {
    static let flows = ["game", "startup", "registration", "onboarding", "permissions", "turns"]

    /// Payloads, of which one fits each event that has any.
    private static let payloads = [
        "", "1", "3", "9", "ann", "/news/7", "fox", "AA:BB:CC:DD:EE:FF", #"{"name":"Ann","email":"ann@example.org"}"#,
        #"{"terms":true}"#, #"{"hasSession":true,"userID":"ann"}"#, #"{"hasSession":false}"#, "{broken",
    ]

    private static let words = ["--durability", "always", "--limit", "session-history=10000"]

    /// One request: mostly an event, sometimes an override or a change of the clock.
    private func request(_ events: [String], _ states: [String], _ timers: [String], _ random: inout SeededGenerator)
        -> [String]
    {
        let some = { (words: [String], random: inout SeededGenerator) in words.randomElement(using: &random) ?? "x" }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<70:
            let payload = some(Self.payloads, &random)
            return ["SEND", "room", some(events, &random)] + (payload.isEmpty ? [] : [payload])
        case 70..<74: return ["PAUSE", "room"]
        case 74..<86: return ["RESUME", "room"]
        case 86..<92: return ["EXTEND", "room", some(timers, &random), "\(Int.random(in: -20...60, using: &random))s"]
        default:
            let state = some(states, &random)
            return ["FORCE", "room", state, dataForForcing(state)]
        }
    }

    @Test(arguments: flows)
    func `The history of a day of random events, with restarts in between, replays to its end`(flow: String) throws {
        var random = SeededGenerator.announced("a day of \(flow)", seed: 21)
        let store = try DaemonStore(.directory)
        var daemon = try store.start(Self.words)
        var client = try daemon.client()
        _ = try client.ask("NEW room \(flow)")
        let described = try client.ask("DESCRIBE \(flow)")
        let names = { (part: String) in described[part]?.list.compactMap { $0["name"]?.text ?? $0.text } ?? [] }
        let (events, states, timers) = (names("events"), names("states"), names("timers"))
        #expect(!events.isEmpty && !states.isEmpty)
        // A day is 86,400 s, in steps of 4 minutes on average.
        for step in 0..<360 {
            for _ in 0..<3 {
                let source = Bool.random(using: &random) ? "orchestrator" : "network"
                _ = try client.ask("CLIENT SOURCE \(source)")
                _ = try client.ask(words: request(events, states, timers, &random))
            }
            _ = try client.ask("ADVANCE \(Int.random(in: 0...480, using: &random))s")
            guard step % 120 == 119 else { continue }
            daemon = try store.restart(daemon, isKilled: step % 240 == 119, Self.words)
            client = try daemon.client()
        }
        let replay = try run(
            "env", ["GAMED_SOCKET=\(store.folder.socket)", productsDirectory.appending(path: "gamectl").path, "replay", "room"])
        #expect(replay.status == 0, "\(replay.output)")
        #expect(replay.output.contains("as recorded"), "\(replay.output)")
        let entries = try client.ask("HISTORY room COUNT 10000").list
        let kinds = Set(entries.compactMap { $0["what"]?.text })
        #expect(kinds.isSuperset(of: ["begun", "taken", "refused", "forced", "paused", "resumed"]), "\(kinds)")
    }
}
