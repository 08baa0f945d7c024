// The promises to clients hold over `kill -9` at any moment.

import Foundation
import Seeds
import Testing

@Suite(.serialized) struct `Killed under load` {
    /// `make soak` asks for more.
    private static let rounds = ProcessInfo.processInfo.environment["GAMED_ROUNDS"].flatMap(Int.init)

    /// Each round reads the whole history of those before it: many rounds have several sieges, each of which starts without sessions.
    private static let roundsOfSiege = 100

    @Test(arguments: Keeping.all)
    func `A killed daemon with always keeps all acknowledged changes, and fires each timer once`(keeping: Keeping)
        throws
    {
        var random = SeededGenerator.announced("killed under load", seed: UInt64.random(in: 1...999_999))
        let rounds = Self.rounds ?? (keeping == .directory ? 10 : 2)
        for first in stride(from: 0, to: rounds, by: Self.roundsOfSiege) {
            let siege = try Siege(SeededGenerator(seed: random.next()), keeping)
            for round in first..<min(first + Self.roundsOfSiege, rounds) {
                try siege.runRound()
                guard round % 10 == 9, Self.rounds != nil else { continue }
                tell("\(keeping): killed \(round + 1) of \(rounds) times, and nothing was lost")
            }
            try siege.expectSoundTables()
        }
    }

    @Test func `A killed daemon with everysec loses at most the last second`() throws {
        let siege = try Siege(
            .announced("killed with everysec", seed: UInt64.random(in: 1...999_999)), durability: "everysec", mayLose: 1)
        for _ in 1...(Self.rounds ?? 20) / 10 { try siege.runRound() }
        try siege.expectSoundTables()
    }

    @Test(arguments: Keeping.each(["always", "everysec"], ofDatabase: { _ in Keeping.isThorough }))
    func `A stop under load loses no acknowledged change`(keeping: Keeping, durability: String) throws {
        let random = SeededGenerator.announced("stopped under load", seed: UInt64.random(in: 1...999_999))
        let siege = try Siege(random, keeping, durability: durability)
        for _ in 1...(Self.rounds ?? (keeping == .directory ? 20 : 10)) / 10 { try siege.runRound(.stop) }
        try siege.expectSoundTables()
    }
}

/// Prints without buffering.
private func tell(_ text: String) {
    print(text)
    fflush(nil)
}
