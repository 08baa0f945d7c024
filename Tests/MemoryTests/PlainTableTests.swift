// Elements in one piece of memory that grows.

import Memory
import Testing

@Suite struct `Elements in one piece` {
    @Test func `A table has elements up to the highest number that was requested`() {
        var table = PlainTable(blank: 7)
        #expect(table.count == 0 && !table.has(0))
        for number: UInt32 in [0, 3, 3, 2, 1_000] { table.makeRoom(for: number) }
        #expect(table.count == 1_001 && table.has(1_000) && !table.has(1_001))
        #expect((0...1_000).allSatisfy { table[$0] == 7 })
    }

    @Test func `A table's elements keep their values while it grows`() {
        var table = PlainTable(blank: 0)
        for number: UInt32 in 0..<500 {
            table.makeRoom(for: number)
            table[number] = Int(number) * 3
        }
        #expect((0..<500).allSatisfy { table[$0] == Int($0) * 3 })
    }
}
