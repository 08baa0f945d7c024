// What of a connection's output may leave, place by place.

import Testing
@testable import Network

@Suite struct `Output that is held` {
    @Test func `leaves with the batch that it waits for, and not one batch sooner`() {
        var held = OutputGate()
        held.hold(10, answers: 1, until: 5)
        held.hold(25, answers: 2, until: 7)
        for (safe, free) in [(4, 0), (5, 10), (6, 10), (7, 25)] as [(UInt64, Int)] {
            held.release(through: safe)
            #expect(held.free == free, "safe through \(safe)")
            #expect(held.isHolding == (free < 25))
        }
        held.advance(bySent: 20)
        #expect(held.free == 5)
    }

    @Test func `Held output is discarded for as many requests as it answers, except for what is safe`() {
        var held = OutputGate()
        held.hold(10, answers: 1, until: 5)
        held.hold(25, answers: 2, until: 7)
        held.hold(40, answers: 1, until: 7)
        let vain = held.discardUnsafe(40, safeThrough: 5)
        #expect(vain.bytes == 30 && vain.answers == 3)
        #expect(held.free == 10 && !held.isHolding)
    }

    @Test func `Held output that answers nothing goes on waiting where replies are discarded`() {
        var held = OutputGate()
        held.hold(10, answers: 0, until: 5)
        let vain = held.discardUnsafe(10, safeThrough: 4)
        #expect(vain.bytes == 0 && vain.answers == 0)
        #expect(held.free == 0 && held.isHolding)
    }

    @Test func `Held output that is discarded gives the number of bytes behind it that wait for no batch`() {
        var held = OutputGate()
        held.hold(10, answers: 1, until: 5)
        let vain = held.discardUnsafe(17, safeThrough: 4)
        #expect(vain.bytes == 10 && vain.answers == 1 && vain.behind == 7)
    }

    @Test func `leaves later where other output was moved before it`() {
        var held = OutputGate()
        held.release(4)
        held.hold(10, answers: 0, until: 5)
        #expect(held.waiting == 4..<10 && held.lastBatch == 5)
        held.overtake(by: 7)
        #expect(held.free == 11 && held.waiting == 11..<17)
        held.release(through: 5)
        #expect(held.free == 17)
    }

    @Test func `waits for nothing once all of it may go`() {
        var held = OutputGate()
        held.hold(10, answers: 1, until: 5)
        held.release(10)
        #expect(held.free == 10 && !held.isHolding)
        held.advance(bySent: 10)
        held.hold(4, answers: 1, until: 6)
        held.release(through: 5)
        #expect(held.free == 0)
    }
}
