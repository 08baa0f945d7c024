// The measurement of the heap, which visits all of its free blocks.

import Foundation
import Testing
@testable import Posix

@Suite struct `The memory in use` {
    @Test func `The heap is measured whenever it is asked for, until it has many free blocks`() {
        var (gauge, measurements) = (HeapGauge(), 0)
        func used(freeBlocks: Int) -> Int {
            gauge.used(
                {
                    measurements += 1
                    return .init(used: 1_000 * measurements, freeBlocks: freeBlocks, resident: 9_000)
                }, resident: 9_000)
        }
        #expect(used(freeBlocks: 0) == 1_000)
        #expect(used(freeBlocks: HeapGauge.maxFreeBlocks) == 2_000)
        #expect(used(freeBlocks: HeapGauge.maxFreeBlocks + 1) == 3_000)
        for _ in 0..<10 { #expect(used(freeBlocks: 0) == 3_000) }
        // A trim measures it, too.
        gauge.beginTrim(resident: 9_000)
        gauge.endTrim(.init(used: 500, freeBlocks: HeapGauge.maxFreeBlocks + 1, resident: 9_000))
        #expect(used(freeBlocks: 0) == 500 && measurements == 3)
        gauge.beginTrim(resident: 9_000)
        gauge.endTrim(.init(used: 600, freeBlocks: 5, resident: 9_000))
        #expect(used(freeBlocks: 0) == 4_000 && measurements == 4)
    }

    @Test func `The heap is not measured while another thread trims it`() {
        var gauge = HeapGauge()
        #expect(gauge.used({ .init(used: 1, freeBlocks: 0, resident: 9) }, resident: 9) == 1)
        gauge.beginTrim(resident: 9)
        #expect(gauge.used({ .init(used: 2, freeBlocks: 0, resident: 9) }, resident: 5) == 1)
        gauge.endTrim(.init(used: 3, freeBlocks: 0, resident: 5))
        #expect(gauge.used({ .init(used: 4, freeBlocks: 0, resident: 5) }, resident: 5) == 4)
    }

    @Test func `The resident memory with files is the process's own, and has the program beside the heap`() throws {
        let status = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Rss:") })
        let kilobytes = try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        #expect(Heap.resident < Heap.residentWithFiles)
        #expect(abs(Heap.residentWithFiles - kilobytes << 10) < 64 << 20)
    }

    @Test func `A heap with many free blocks that is never trimmed follows the resident memory`() {
        var (gauge, measurements) = (HeapGauge(), 0)
        func used(resident: Int) -> Int {
            gauge.used(
                {
                    measurements += 1
                    return .init(used: 6_000, freeBlocks: HeapGauge.maxFreeBlocks + 1, resident: resident)
                }, resident: resident)
        }
        #expect([9_000, 12_000, 10_000, 0, 2_000, 9_000].map(used) == [6_000, 9_000, 7_000, 7_000, 0, 6_000])
        #expect(measurements == 1)
        // A trim begins with the present estimate, and keeps it until it ends.
        gauge.endTrim(.init(used: 6_000, freeBlocks: HeapGauge.maxFreeBlocks + 1, resident: 9_000))
        gauge.beginTrim(resident: 10_000)
        #expect(used(resident: 4_000) == 7_000)
    }
}
