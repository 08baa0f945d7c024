// A byte queue: order of bytes, and memory use.

import RESP
import Seeds
import Testing

@Suite struct `A queue of bytes` {
    @Test func `A byte queue returns its bytes in order for random appends and reads`() {
        var random = SeededGenerator.announced("a queue of bytes", seed: 11)
        var queue = ByteQueue(keeping: 4096)
        var (written, read): (UInt8, UInt8) = (0, 0)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...(Int.random(in: 0..<50, using: &random) == 0 ? 9000 : 60), using: &random)
            let room = queue.room(for: count)
            for offset in 0..<count { room[offset] = written &+ UInt8(truncatingIfNeeded: offset) }
            queue.commit(count)
            written &+= UInt8(truncatingIfNeeded: count)

            let taken = Int.random(in: 0...queue.count, using: &random)
            let isRight = queue.bytes[..<taken].enumerated().allSatisfy { $1 == read &+ UInt8(truncatingIfNeeded: $0) }
            #expect(isRight)
            queue.consume(taken)
            read &+= UInt8(truncatingIfNeeded: taken)
        }
        #expect(UInt8(truncatingIfNeeded: queue.count) == written &- read)
    }

    @Test func `A byte queue allocates on first use and releases memory after a burst`() {
        var queue = ByteQueue(keeping: 4096)
        #expect(queue.footprint == 0 && queue.isEmpty && queue.bytes.isEmpty)
        queue.append(1)
        #expect(queue.footprint <= 4096)
        queue.consume(1)
        #expect(queue.footprint > 0)
        _ = queue.room(for: 1_000_000)
        queue.commit(1_000_000)
        queue.consume(999_999)
        #expect(queue.footprint >= 1_000_000)
        queue.consume(1)
        #expect(queue.footprint <= 4096)
    }

    @Test func `An empty byte queue releases all its memory on request`() {
        var queue = ByteQueue()
        queue.append(7)
        queue.releaseMemory()
        #expect(queue.count == 1 && queue.bytes[0] == 7)
        queue.consume(1)
        queue.releaseMemory()
        #expect(queue.footprint == 0)
    }

    @Test func `A byte queue that is emptied as fast as it is filled does not grow`() {
        var queue = ByteQueue()
        queue.append(0)
        for _ in 0..<100_000 {
            queue.append(1)
            queue.consume(1)
        }
        #expect(queue.footprint == 1024)
    }

    @Test func `A byte queue grows rather than move many bytes to make room for a few`() {
        var queue = ByteQueue()
        for _ in 0..<1024 { queue.append(1) }
        queue.consume(10)
        queue.append(1)
        #expect(queue.footprint == 2048 && queue.count == 1015)
    }

    @Test func `Consuming more bytes than a byte queue has traps`() async {
        await #expect(processExitsWith: .failure) {
            var queue = ByteQueue()
            queue.append(1)
            queue.consume(2)
        }
    }
}
