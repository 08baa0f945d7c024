// Checksums of batches and of rows, which detect that one has changed.

/// The checksum of a batch. SQLite's pages have no checksum, and PostgreSQL's have one only if its cluster was made with them. Four lanes let
/// multiplications overlap.
package func checksum(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
    var (a, b, c, d) = (prime, prime &* 3, prime &* 5, prime &* 7)
    var offset = 0
    while bytes.count - offset >= 32 {
        a = mix(a, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        b = mix(b, bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        c = mix(c, bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
        d = mix(d, bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self))
        offset += 32
    }
    while offset < bytes.count {
        a = mix(a, UInt64(bytes[offset]))
        offset += 1
    }
    let sum = mix(mix(mix(a, b), c), d &+ UInt64(bytes.count))
    return Int64(bitPattern: sum)
}

/// For the sums of rows, too, which are made in another module.
@inlinable
package func mix(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    let product = (sum ^ word) &* 0xC2B2_AE3D_27D4_EB4F
    return product ^ (product >> 29)
}

// MARK: - The column `checksum`: a sum over a row's other columns

/// A sum over columns, in which NULL, an empty text and a text's end all count. Two lanes, so that multiplications overlap.
package struct RowChecksum {
    private var sum: UInt64
    private var other: UInt64 = 0x1656_67B1_9E37_79F9

    /// The table's number is part of the sum, so that a row is not taken for one of another table.
    private init(of table: UInt64) {
        sum = mix(0x9E37_79B9_7F4A_7C15, table)
    }

    private var value: Int64 { Int64(bitPattern: mix(sum, other)) }

    @inline(__always)
    private mutating func add(_ number: Int64?) {
        guard let number else { return sum = mix(sum, 0) }
        sum = mix(mix(sum, 1), UInt64(bitPattern: number))
    }

    private mutating func add(_ text: Text?) {
        guard let text else { return sum = mix(sum, 0) }
        sum = mix(sum, UInt64(text.count) + 1)
        // An empty text may have no address.
        if let start = text.baseAddress, text.count > 0 { addBytes(start, text.count) }
    }

    private mutating func addBytes(_ start: UnsafeRawPointer, _ count: Int) {
        var offset = 0
        while count - offset >= 16 {
            sum = mix(sum, word(start + offset))
            other = mix(other, word(start + offset + 8))
            offset += 16
        }
        if count - offset >= 8 {
            sum = mix(sum, word(start + offset))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < count {
            rest = rest << 8 | UInt64(start.load(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        other = mix(other, rest)
    }

    private func word(_ address: UnsafeRawPointer) -> UInt64 { UInt64(littleEndian: address.loadUnaligned(as: UInt64.self)) }

    package static func of(_ row: SessionRow) -> Int64 {
        var sum = RowChecksum(of: 1)
        sum.add(row.id)
        sum.add(row.name)
        sum.add(row.flow)
        sum.add(row.state)
        sum.add(row.data)
        sum.add(row.timers)
        sum.add(row.version)
        sum.add(row.since)
        sum.add(row.saved)
        sum.add(row.paused ? 1 : 0)
        sum.add(row.extra)
        sum.add(row.problem)
        sum.add(row.life)
        sum.add(row.waiting)
        sum.add(row.quarantined ? 1 : 0)
        sum.add(row.context)
        sum.add(row.seq)
        return sum.value
    }

    package static func of(_ block: HistoryBlock) -> Int64 {
        var sum = RowChecksum(of: 2)
        sum.add(block.first)
        sum.add(block.last)
        sum.add(block.count)
        sum.add(block.names)
        sum.add(block.entries)
        return sum.value
    }

    package static func of(_ row: RepeatRow) -> Int64 {
        var sum = RowChecksum(of: 3)
        sum.add(row.serial)
        sum.add(row.times)
        sum.add(row.lastAt)
        sum.add(row.lastSeq)
        sum.add(row.lastVersion)
        return sum.value
    }
}
