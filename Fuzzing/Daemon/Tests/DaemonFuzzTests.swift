// The whole daemon in one process, and random programs, which are the same each time unless GAMED_SEED is set. `make fuzz` does the
// same for longer, guided by coverage.

import Seeds
import TestSupport
import Testing

@Suite(.serialized) struct `The daemon under random programs` {
    /// The number of programs of each seed; fewer run on a slow machine.
    private static let programs = 150
    private static let time = Duration.seconds(5)

    @Test(arguments: [1, 2, 3])
    func `A random program gets one reply per command, and loses nothing acknowledged`(seed: UInt64) {
        var random = SeededGenerator.announced("the daemon under nonsense", seed: seed)
        let end = ContinuousClock.now + Self.time
        var count = 0
        TrapReporter.start(target: "daemon")
        while count < Self.programs, ContinuousClock.now < end {
            let length = Int.random(in: 20..<600, using: &random)
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            count += 1
            TrapReporter.setInput(bytes)
            let run = Run(bytes)
            guard run.fault != nil else { continue }
            Issue.record("program \(count) of seed \(seed): \(run.shrunk().report)")
            return
        }
        TrapReporter.setInput([])
        print("seed \(seed): \(count) programs, the longest piece of work took \(Budget.longest / 1_000) us")
    }
}
