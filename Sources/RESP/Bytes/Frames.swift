// The building blocks of requests and replies: header lines, bulks, and lines of text.

extension ByteQueue {
    /// `$4`, `*3`, `:-1`: a marker and a number.
    mutating func append(header marker: UInt8, _ number: Int) {
        let room = room(for: Decimal.maxLength + 3)
        guard let start = room.baseAddress else { return }
        room[0] = marker
        let end = 1 + Decimal.write(number, to: start + 1)
        room[end] = .carriageReturn
        room[end + 1] = .lineFeed
        commit(end + 2)
    }

    /// Writes another number into a header that is in the queue already.
    mutating func replace(header old: Int, at offset: Int, with number: Int) {
        guard number != old else { return }
        let length = Decimal.length(of: number)
        let start = resize(at: offset + 1, from: Decimal.length(of: old), to: length)
        if let start { _ = Decimal.write(number, to: start) }
    }

    mutating func append(bulk bytes: UnsafeRawBufferPointer) {
        append(header: .dollar, bytes.count)
        append(bytes)
        appendLineEnd()
    }

    mutating func append(bulk text: String) {
        var text = text
        text.withUTF8 { append(bulk: UnsafeRawBufferPointer($0)) }
    }

    /// A request: an array of bulks.
    public mutating func append(request words: [String]) {
        append(header: .star, words.count)
        for word in words { append(bulk: word) }
    }

    public mutating func append(request words: [[UInt8]]) {
        append(header: .star, words.count)
        for word in words { word.withUnsafeBytes { append(bulk: $0) } }
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Text of a line, with spaces in place of line ends.
    mutating func append(lineOf text: String) {
        var text = text
        text.withUTF8 { append(lineOf: UnsafeRawBufferPointer($0)) }
    }

    mutating func append(lineOf bytes: UnsafeRawBufferPointer) {
        append(count: bytes.count) { $0.copyLine(bytes) }
    }

    /// `+text`: a marker, text and a line end, in one go.
    mutating func append(line marker: UInt8, _ bytes: UnsafeRawBufferPointer) {
        let length = bytes.count &+ 3
        append(count: length) { line in
            line.storeBytes(of: marker, as: UInt8.self)
            (line + 1).copyLine(bytes)
            line.storeBytes(of: .carriageReturn, toByteOffset: length &- 2, as: UInt8.self)
            line.storeBytes(of: .lineFeed, toByteOffset: length &- 1, as: UInt8.self)
        }
    }

    mutating func appendLineEnd() {
        let room = room(for: 2)
        room[0] = .carriageReturn
        room[1] = .lineFeed
        commit(2)
    }
}

extension UnsafeMutableRawPointer {
    /// Copies text with spaces in place of its line ends.
    @inline(__always)
    fileprivate func copyLine(_ bytes: UnsafeRawBufferPointer) {
        guard let from = bytes.baseAddress else { return }
        if !copyShortLine(from, bytes.count) { copyAnyLine(from, bytes.count) }
    }

    /// The same eight bytes at a time, the last eight overlapping, or as twice four; false if there may be a line end.
    @inline(__always)
    private func copyShortLine(_ from: UnsafeRawPointer, _ count: Int) -> Bool {
        guard count >= 4, count <= 64 else { return false }
        if count < 8 { return copyHalvesWithoutLineEnd(from, count) }
        var offset = 0
        while offset < count &- 8 {
            guard copyWordWithoutLineEnd(from, at: offset) else { return false }
            offset &+= 8
        }
        return copyWordWithoutLineEnd(from, at: count &- 8)
    }

    private func copyHalvesWithoutLineEnd(_ from: UnsafeRawPointer, _ count: Int) -> Bool {
        let first = from.loadUnaligned(as: UInt32.self)
        let last = from.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
        guard (UInt64(first) | UInt64(last) << 32).hasNoLineEnd else { return false }
        storeBytes(of: first, as: UInt32.self)
        storeBytes(of: last, toByteOffset: count &- 4, as: UInt32.self)
        return true
    }

    private func copyWordWithoutLineEnd(_ from: UnsafeRawPointer, at offset: Int) -> Bool {
        let word = from.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        guard word.hasNoLineEnd else { return false }
        storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        return true
    }

    private func copyAnyLine(_ from: UnsafeRawPointer, _ count: Int) {
        for offset in 0..<count {
            let byte = from.load(fromByteOffset: offset, as: UInt8.self)
            let isLineEnd = byte == .carriageReturn || byte == .lineFeed
            storeBytes(of: isLineEnd ? .space : byte, toByteOffset: offset, as: UInt8.self)
        }
    }
}

extension UInt64 {
    /// Whether none of its bytes is below 16, as line ends are.
    fileprivate var hasNoLineEnd: Bool {
        // The highest bit of each byte is set, unless the byte is below 16.
        let high = (self & 0x7070_7070_7070_7070) &+ 0x7070_7070_7070_7070 | self
        return high & 0x8080_8080_8080_8080 == 0x8080_8080_8080_8080
    }
}

// MARK: - Whole numbers as the protocol writes them

enum Decimal {
    /// The longest number, `-9223372036854775808`, in bytes.
    static let maxLength = 20

    /// Parses a number in canonical form, as Redis does: no plus, no blanks, no leading zeros. Nil if it is no number, or too large.
    static func parse(_ text: UnsafeRawBufferPointer) -> Int? {
        guard let first = text.first, text.count <= maxLength else { return nil }
        guard first == .minus else { return magnitude(text).flatMap(Int.init(exactly:)) }
        let digits = text.slice(from: 1, to: text.count)
        guard let magnitude = magnitude(digits), magnitude > 0, magnitude <= Int.min.magnitude else { return nil }
        return Int(truncatingIfNeeded: 0 &- magnitude)
    }

    private static func magnitude(_ digits: UnsafeRawBufferPointer) -> UInt? {
        guard let first = digits.first, first != .digitZero || digits.count == 1 else { return nil }
        var value: UInt = 0
        for byte in digits {
            let digit = byte &- .digitZero
            guard digit < 10 else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(UInt(digit))
            guard !tooLarge, !overflow else { return nil }
            value = sum
        }
        return value
    }

    /// Writes the number and returns its length, at most `maxLength`.
    static func write(_ number: Int, to memory: UnsafeMutableRawPointer) -> Int {
        var magnitude = number.magnitude
        let length = length(of: number)
        var offset = length
        repeat {
            offset -= 1
            memory.storeBytes(of: .digitZero + UInt8(truncatingIfNeeded: magnitude % 10), toByteOffset: offset, as: UInt8.self)
            magnitude /= 10
        } while magnitude > 0
        if number < 0 { memory.storeBytes(of: .minus, as: UInt8.self) }
        return length
    }

    /// How many bytes the number takes.
    static func length(of number: Int) -> Int { (number < 0 ? 1 : 0) + digitCount(number.magnitude) }

    private static func digitCount(_ magnitude: UInt) -> Int {
        var (count, limit): (Int, UInt) = (1, 10)
        while magnitude >= limit {
            count += 1
            let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
            if overflow { break }
            limit = next
        }
        return count
    }
}
