// A pendulum's swings that were missed, in the history and in a replay.

import GameFlow
import RESP
import Testing
import Timers
@testable import Simulation

@Suite struct `A missed swing` {
    @Test func `A pendulum's missed swings are in the history, and are replayed`() throws {
        let host = RecordedHost()
        host.say("NEW room game")
        for line in ["SEND room startPlaying", "SEND room chooseEpisode 1", "SEND room chooseLevel 1", "ADVANCE 2000"] {
            host.say(line)
        }
        // Nothing is handled for five seconds.
        let clock = try #require(host.timekeeper.source as? VirtualClock)
        clock.move(to: clock.now.advanced(by: .seconds(5)))
        host.timekeeper.beginTurn()
        host.timekeeper.fireDue()
        host.say("ADVANCE 1000")
        let payloads = host.history("room").map { $0["payload"]?.text }
        #expect(payloads.contains(#"{"missed":4}"#) && payloads.compactMap(\.self).count == 3, "\(payloads)")
        let recorded = try host.record("room")
        #expect(recorded.data?["play"]?["seconds"] == 8)
        #expect(try #require(HistoryReplay.run(recorded)).verdict == .agrees)
        var tampered = recorded
        tampered.data = .object([.init("episode", 1), .init("level", 1), .init("play", ["seconds": 4])])
        #expect(try #require(HistoryReplay.run(tampered)).verdict != .agrees, "the seconds are compared")
    }
}
