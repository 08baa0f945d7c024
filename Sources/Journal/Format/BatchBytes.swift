// The bytes of a batch, written on the loop's thread and read on the writer's.

import Sessions
import Store

/// Memory that grows at the end. It is only read once it has been handed over.
final class BatchBytes: @unchecked Sendable {
    /// Swift asks for aligned memory at 16, which takes several times as long.
    private static let alignment = 8

    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 4_096) {
        self.capacity = capacity
        memory = .allocate(byteCount: capacity, alignment: Self.alignment)
    }

    deinit {
        memory.deallocate()
    }

    /// Keeps the memory for the next bytes.
    func removeAll() { count = 0 }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// Reserves space for the next bytes.
    func reserve(_ more: Int) {
        if capacity - count < more { grow(more) }
    }

    private func grow(_ more: Int) {
        let larger = UnsafeMutableRawPointer.allocate(byteCount: max(capacity * 2, count + more), alignment: Self.alignment)
        larger.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        memory = larger
        capacity = max(capacity * 2, count + more)
    }

    /// Appends what `body` writes, at most `room` bytes. Faster than several calls of `write`, each of which updates the count.
    @inline(__always)
    func append(atMost room: Int, _ body: (inout BatchCursor) -> Void) {
        reserve(room)
        var cursor = BatchCursor(position: memory + count)
        body(&cursor)
        count = cursor.position - memory
        assert(count <= capacity, "more was written than there was room for")
    }

    // All of these need reserved room.

    @inline(__always)
    func write<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
        memory.storeBytes(of: number.littleEndian, toByteOffset: count, as: Number.self)
        count &+= MemoryLayout<Number>.size
    }

    func write(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress { (memory + count).copyMemory(from: base, byteCount: bytes.count) }
        count &+= bytes.count
    }

    func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    func write(_ text: StaticString) { write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) }

    /// Removes everything after the first `size` bytes.
    func cut(to size: Int) { count = min(count, size) }
}

/// Writes into reserved room.
struct BatchCursor {
    fileprivate(set) var position: UnsafeMutableRawPointer

    @inline(__always)
    mutating func append<Value: BitwiseCopyable>(_ value: Value) {
        position.storeBytes(of: value, as: Value.self)
        position += MemoryLayout<Value>.size
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress { position.copyMemory(from: base, byteCount: bytes.count) }
        position += bytes.count
    }

    /// A text of any length, with its length in four bytes.
    mutating func append(long text: String) {
        var text = text
        append(UInt32(text.utf8.count))
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(long bytes: UnsafeRawBufferPointer) {
        append(UInt32(bytes.count))
        append(bytes)
    }
}

/// A batch within a row of a shard's log.
struct Batch: Sendable {
    private let row: BatchBytes
    private let range: Range<Int>

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: row.bytes[range]) }

    fileprivate init(_ row: BatchBytes, _ range: Range<Int>) {
        (self.row, self.range) = (row, range)
    }
}

extension BatchBytes {
    /// A copy.
    convenience init(copying row: UnsafeRawBufferPointer) {
        self.init(capacity: max(1, row.count))
        write(row)
    }

    /// Its batches, each with its length before it.
    func batches() throws(DamagedBatch) -> [Batch] {
        var (reader, batches) = (BatchReader(bytes), [Batch]())
        while !reader.isAtEnd {
            let length = Int(try reader.read(UInt32.self))
            batches.append(Batch(self, reader.offset..<reader.offset + length))
            _ = try reader.read(length)
        }
        return batches
    }
}

/// The bytes are not a batch: they are damaged, or of another version.
struct DamagedBatch: Error, CustomStringConvertible {
    let description: String
}

/// Reads a batch's bytes, and throws where they end too early.
struct BatchReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func read<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) throws(DamagedBatch) -> Number {
        let size = MemoryLayout<Number>.size
        guard bytes.count - offset >= size else { throw ended }
        defer { offset += size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    mutating func read(_ count: Int) throws(DamagedBatch) -> UnsafeRawBufferPointer {
        guard count >= 0, bytes.count - offset >= count else { throw ended }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    private var ended: DamagedBatch { DamagedBatch(description: "a batch of \(bytes.count) bytes ends too early") }
}

// MARK: - Writes JSON as bytes, for the rows that people read

extension BatchBytes {
    func append(_ text: StaticString) {
        reserve(text.utf8CodeUnitCount)
        write(text)
    }

    /// Appends the number in decimal digits.
    func append(digitsOf number: Int64) {
        reserve(20)
        if number < 0 { write(UInt8(ascii: "-")) }
        var rest = number.magnitude
        var (size, bound): (Int, UInt64) = (1, 10)
        while size < 19, rest >= bound { (size, bound) = (size &+ 1, bound &* 10) }
        if size == 19, rest >= bound { size = 20 }
        count &+= size
        var position = count
        repeat {
            position &-= 1
            let tenth = rest / 10
            memory.storeBytes(
                of: UInt8(truncatingIfNeeded: rest &- tenth &* 10) | UInt8(ascii: "0"), toByteOffset: position, as: UInt8.self)
            rest = tenth
        } while rest > 0
    }

    /// A JSON string.
    func append(quoted text: Text) {
        reserve(6 * text.count + 2)
        write(UInt8(ascii: "\""))
        if text.isPlain { write(text) } else { for byte in text { write(escaped: byte) } }
        write(UInt8(ascii: "\""))
    }

    private func write(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): write("\\\"" as StaticString)
        case UInt8(ascii: "\\"): write("\\\\" as StaticString)
        case ..<0x20:
            write("\\u00" as StaticString)
            write(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            write(Array("0123456789abcdef".utf8)[Int(byte & 15)])
        default: write(byte)
        }
    }
}

extension Text {
    /// Whether JSON has it as it is. Eight bytes at a time: a byte that is zero after the exclusive or borrows from its highest bit.
    fileprivate var isPlain: Bool {
        guard let start = baseAddress else { return true }
        var offset = 0
        while count &- offset >= 8 {
            let bytes = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if Self.hasSpecial(bytes) { return false }
            offset &+= 8
        }
        while offset < count {
            let byte = self[offset]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
            offset &+= 1
        }
        return true
    }

    /// Whether a byte is below 0x20, a quote or a backslash. It may say so of one from 0x80 on beside such a byte.
    private static func hasSpecial(_ bytes: UInt64) -> Bool {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quotes = bytes ^ ones &* 0x22
        let backslashes = bytes ^ ones &* 0x5C
        let below = (bytes &- ones &* 0x20) & ~bytes
        return (below | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & highs != 0
    }
}
