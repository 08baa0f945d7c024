// Due timers in runs, beside a sorted array.

import Seeds
import Testing

@testable import Timers

@Suite struct `Due timers` {
    @Test(arguments: [1, 2, 1_000, 1_024, 1_025, 5_000, 20_000])
    func `Due timers are returned by deadline and arming order, in any number and collection order`(count: Int) {
        var random = SeededGenerator.announced("\(count) due timers", seed: 43)
        var due = DueTimers()
        for shuffled in [0, count / 100, count] {
            var timers = (0..<count).map { DueTimer(deadline: UInt64($0 / 3), sequence: UInt64($0), slot: UInt32($0)) }
            for _ in 0..<shuffled {
                timers.swapAt(Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
            }
            for timer in timers { due.append(timer) }
            due.finish()
            var slots: [UInt32] = []
            while let next = due.popFirst() { slots.append(next.slot) }
            #expect(slots == Array(0..<UInt32(count)), "\(shuffled) swapped")
        }
    }
}
