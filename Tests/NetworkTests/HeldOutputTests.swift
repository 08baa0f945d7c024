// The gate of a connection's output: the bytes that may be sent, by offset.

import Testing
@testable import Network

@Suite struct `Output that is held` {
    @Test func `Held output is released with the batch that it waits for, and not one batch sooner`() {
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

    @Test func `Discarding held output returns its number of replies, and keeps durable output`() {
        var held = OutputGate()
        held.hold(10, answers: 1, until: 5)
        held.hold(25, answers: 2, until: 7)
        held.hold(40, answers: 1, until: 7)
        held.release(through: 5)
        let vain = held.discardUnsafe(40)
        #expect(vain.bytes == 30 && vain.answers == 3)
        #expect(held.free == 10 && !held.isHolding)
    }

    @Test func `Held output that is not a reply keeps waiting when replies are discarded`() {
        var held = OutputGate()
        held.hold(10, answers: 0, until: 5)
        held.release(through: 4)
        let vain = held.discardUnsafe(10)
        #expect(vain.bytes == 0 && vain.answers == 0)
        #expect(held.free == 0 && held.isHolding)
    }

    @Test func `Discarding held output returns the number of bytes behind it that wait for no batch`() {
        var held = OutputGate()
        held.hold(10, answers: 1, until: 5)
        held.release(through: 4)
        let vain = held.discardUnsafe(17)
        #expect(vain.bytes == 10 && vain.answers == 1 && vain.behind == 7)
    }

    @Test func `Discarding held output returns where the messages in it are, and no others`() {
        var held = OutputGate()
        held.markMessages(4, 4)
        held.hold(4, answers: 0, until: 5)
        held.markMessages(3, 7)
        held.markMessages(2, 9)
        held.markMessages(5, 20)
        held.hold(24, answers: 2, until: 7)
        held.markMessages(6, 30)
        held.release(through: 5)
        held.advance(bySent: 1)
        let discarded = held.discardUnsafe(29)
        #expect(discarded.messages == [3..<8, 14..<19] && discarded.batch == 7 && discarded.behind == 6)
    }

    @Test func `Messages that wait are found at their later place after other output overtakes them`() {
        var held = OutputGate()
        held.markMessages(10, 10)
        held.hold(10, answers: 0, until: 5)
        held.markMessages(2, 15)
        held.overtake(by: 5)
        held.hold(18, answers: 1, until: 6)
        let discarded = held.discardUnsafe(18)
        #expect(discarded.messages == [5..<15] && discarded.bytes == 13)
    }

    @Test func `Held output waits at a later offset after other output overtakes it`() {
        var held = OutputGate()
        held.release(4)
        held.hold(10, answers: 0, until: 5)
        #expect(held.waiting == 4..<10 && held.lastBatch == 5)
        held.overtake(by: 7)
        #expect(held.free == 11 && held.waiting == 11..<17)
        held.release(through: 5)
        #expect(held.free == 17)
    }

    @Test func `Held output waits for nothing once all of it is released`() {
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
