// The measurement of the heap, which visits all of its free blocks.

import Testing
@testable import Posix

@Suite struct `The memory in use` {
    @Test func `The heap is measured whenever it is asked for, until it has many free blocks`() {
        var (gauge, measurements) = (HeapGauge(), 0)
        func used(freeBlocks: Int) -> Int {
            gauge.used {
                measurements += 1
                return .init(used: 1_000 * measurements, freeBlocks: freeBlocks)
            }
        }
        #expect(used(freeBlocks: 0) == 1_000)
        #expect(used(freeBlocks: HeapGauge.maxFreeBlocks) == 2_000)
        #expect(used(freeBlocks: HeapGauge.maxFreeBlocks + 1) == 3_000)
        for _ in 0..<10 { #expect(used(freeBlocks: 0) == 3_000) }
        // A trim measures it, too.
        gauge.beginTrim()
        gauge.endTrim(.init(used: 500, freeBlocks: HeapGauge.maxFreeBlocks + 1))
        #expect(used(freeBlocks: 0) == 500 && measurements == 3)
        gauge.beginTrim()
        gauge.endTrim(.init(used: 600, freeBlocks: 5))
        #expect(used(freeBlocks: 0) == 4_000 && measurements == 4)
    }

    @Test func `The heap is not measured while another thread trims it`() {
        var gauge = HeapGauge()
        #expect(gauge.used { .init(used: 1, freeBlocks: 0) } == 1)
        gauge.beginTrim()
        #expect(gauge.used { .init(used: 2, freeBlocks: 0) } == 1)
        gauge.endTrim(.init(used: 3, freeBlocks: 0))
        #expect(gauge.used { .init(used: 4, freeBlocks: 0) } == 4)
    }
}
