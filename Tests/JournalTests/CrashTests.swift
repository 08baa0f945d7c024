// The promises to clients hold over `kill -9` at any moment.

import Foundation
import Seeds
import Testing

@Suite(.serialized) struct `Killed under load` {
    /// `make soak` asks for more.
    private static let rounds = ProcessInfo.processInfo.environment["GAMED_ROUNDS"].flatMap(Int.init)

    @Test func `with always, all that was answered is there, each timer has fired once, and there is nothing else`() throws {
        let siege = try Siege(.announced("killed under load", seed: UInt64.random(in: 1...999_999)))
        let rounds = Self.rounds ?? 10
        for round in 1...rounds {
            try siege.runRound()
            if round % 10 == 0, Self.rounds != nil { tell("killed \(round) of \(rounds) times, and nothing was lost") }
        }
        try siege.expectSoundTables()
    }

    @Test func `with everysec, no more than the last second is lost`() throws {
        let siege = try Siege(
            .announced("killed with everysec", seed: UInt64.random(in: 1...999_999)), durability: "everysec", mayLose: 1)
        for _ in 1...(Self.rounds ?? 20) / 10 { try siege.runRound() }
        try siege.expectSoundTables()
    }

    @Test(arguments: ["always", "everysec"])
    func `a stop in the midst of it loses nothing`(durability: String) throws {
        let random = SeededGenerator.announced("stopped under load", seed: UInt64.random(in: 1...999_999))
        let siege = try Siege(random, durability: durability)
        for _ in 1...(Self.rounds ?? 20) / 10 { try siege.runRound(.stop) }
        try siege.expectSoundTables()
    }
}

/// At once, wherever it goes.
private func tell(_ text: String) {
    print(text)
    fflush(nil)
}
