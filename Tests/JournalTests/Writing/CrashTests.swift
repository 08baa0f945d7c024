// The promises to clients hold over `kill -9` at any moment.

import Foundation
import Seeds
import Testing

@Suite(.serialized) struct `A daemon killed under load` {
    /// `make soak` asks for more.
    private static let rounds = ProcessInfo.processInfo.environment["GAMED_ROUNDS"].flatMap(Int.init)

    /// Each round reads the whole history of those before it: many rounds have several sieges, each of which starts without sessions.
    private static let roundsOfSiege = 100

    @Test(arguments: StoreKind.all)
    func `A killed daemon with always keeps all acknowledged changes, and fires each timer once`(storeKind: StoreKind)
        throws
    {
        var random = SeededGenerator.announced("killed under load", seed: UInt64.random(in: 1...999_999))
        let rounds = Self.rounds ?? (storeKind == .directory ? 10 : 2)
        for first in stride(from: 0, to: rounds, by: Self.roundsOfSiege) {
            let trial = try CrashTrial(SeededGenerator(seed: random.next()), storeKind)
            for round in first..<min(first + Self.roundsOfSiege, rounds) {
                try trial.runRound()
                guard round % 10 == 9, Self.rounds != nil else { continue }
                printAtOnce("\(storeKind): killed \(round + 1) of \(rounds) times, and nothing was lost")
            }
            try trial.expectSoundTables()
        }
    }

    @Test func `A killed daemon with everysec loses at most the last second`() throws {
        let trial = try CrashTrial(
            .announced("killed with everysec", seed: UInt64.random(in: 1...999_999)), durability: "everysec", mayLose: 1)
        for _ in 1...(Self.rounds ?? 20) / 10 { try trial.runRound() }
        try trial.expectSoundTables()
    }

    @Test(arguments: StoreKind.each(["always", "everysec"], ofDatabase: { _ in StoreKind.isThorough }))
    func `A stop under load loses no acknowledged change`(storeKind: StoreKind, durability: String) throws {
        let random = SeededGenerator.announced("stopped under load", seed: UInt64.random(in: 1...999_999))
        let trial = try CrashTrial(random, storeKind, durability: durability)
        for _ in 1...(Self.rounds ?? (storeKind == .directory ? 20 : 10)) / 10 { try trial.runRound(.stop) }
        try trial.expectSoundTables()
    }
}

/// Prints without buffering.
private func printAtOnce(_ text: String) {
    print(text)
    fflush(nil)
}
