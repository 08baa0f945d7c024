// The names of sessions that a slow reader is still to be sent.

import Memory
import Seeds
import Testing
@testable import Commands

@Suite struct `A queue of names` {
    @Test func `The queue is bounded by its names, however many were added and removed while nothing was sent`() {
        var queue = NameQueue()
        for number in 0..<10 { queue.add(ByteString("kept \(number)")) }
        for number in 0..<10_000 {
            let name = ByteString("gone \(number % 400)")
            queue.add(name)
            queue.remove(name)
        }
        #expect(queue.count == 10 && queue.names.count <= 100, "\(queue.names.count)")
        #expect((0..<10).allSatisfy { queue.popFirst()?.text == "kept \($0)" } && queue.popFirst() == nil)
        #expect(queue.bytes == 0)
    }

    @Test func `The queue is bounded by its names while names are sent and it never becomes empty`() {
        var queue = NameQueue()
        queue.add("0")
        for number in 1...10_000 {
            queue.add(ByteString("\(number)"))
            #expect(queue.popFirst()?.text == "\(number - 1)")
        }
        #expect(queue.count == 1 && queue.names.count <= 100, "\(queue.names.count)")
    }

    @Test func `The queue returns each added name once, and no removed one, in any sequence of calls`() {
        var random = SeededGenerator.announced("queue of names", seed: 7)
        var (queue, pending): (NameQueue, Set<ByteString>) = (NameQueue(), [])
        for _ in 0..<20_000 {
            let name = ByteString("\(Int.random(in: 0..<200, using: &random))")
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4:
                queue.add(name)
                pending.insert(name)
            case 4..<7:
                queue.remove(name)
                pending.remove(name)
            default:
                let isEmpty = pending.isEmpty
                #expect(queue.popFirst().map { pending.remove($0) != nil } ?? isEmpty)
            }
            #expect(queue.count == pending.count)
        }
    }
}
