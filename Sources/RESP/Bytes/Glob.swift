// Patterns as Redis has them: `*`, `?`, `[a-c]`, `[^x]`, and a backslash before what is meant literally.

/// Bytes are matched, and not characters.
package struct Glob {
    private enum Piece {
        case star
        case any
        case byte(UInt8)
        /// One of the classes.
        case oneOf(Int32)
    }

    private var pieces: [Piece] = []
    private var classes: [ByteClass] = []

    package init(_ pattern: String) { self.init(ByteString(pattern)) }

    /// Taken apart once: a class of many bytes then costs no more than one of few.
    package init(_ pattern: ByteString) { pattern.withBytes { read($0) } }

    private mutating func read(_ pattern: UnsafeRawBufferPointer) {
        var place = 0
        while place < pattern.count {
            switch pattern[place] {
            case UInt8(ascii: "*"): pieces.append(.star)
            case UInt8(ascii: "?"): pieces.append(.any)
            case UInt8(ascii: "["):
                pieces.append(.oneOf(Int32(truncatingIfNeeded: classes.count)))
                classes.append(ByteClass(pattern, &place))
            case UInt8(ascii: "\\") where place + 1 < pattern.count:
                place += 1
                pieces.append(.byte(pattern[place]))
            case let byte: pieces.append(.byte(byte))
            }
            place += 1
        }
    }

    /// How much memory it takes, in bytes.
    package var footprint: Int { pieces.count * MemoryLayout<Piece>.stride + classes.count * MemoryLayout<ByteClass>.stride }

    /// How many steps it may take for each byte of a name: what is behind the first star may be tried at each of them.
    package var weight: Int {
        let star = pieces.indices.first(where: isStar) ?? pieces.count
        return max(1, pieces.count - star - 1)
    }

    package func matches(_ text: String) -> Bool { ByteString(text).withBytes(matches) }

    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var steps = 0
        return matches(text, &steps)
    }

    /// Counts how many steps it took: with many stars, they are as many as the product of both lengths.
    package func matches(_ text: UnsafeRawBufferPointer, _ steps: inout Int) -> Bool {
        // The last star, and where its match was begun: on a mismatch it takes one byte more.
        var (place, offset, star, mark) = (0, 0, -1, 0)
        while offset < text.count {
            steps &+= 1
            if isStar(place) {
                (star, mark) = (place, offset)
                place += 1
            } else if takes(place, text[offset]) {
                (place, offset) = (place + 1, offset + 1)
            } else if star >= 0 {
                mark += 1
                (place, offset) = (star + 1, mark)
            } else {
                return false
            }
        }
        while isStar(place) { place += 1 }
        return place == pieces.count
    }

    private func isStar(_ place: Int) -> Bool {
        guard place < pieces.count, case .star = pieces[place] else { return false }
        return true
    }

    private func takes(_ place: Int, _ byte: UInt8) -> Bool {
        guard place < pieces.count else { return false }
        switch pieces[place] {
        case .star: return false
        case .any: return true
        case .byte(let own): return own == byte
        case .oneOf(let number): return classes[Int(number)].contains(byte)
        }
    }
}

/// `[a-c]`: a bit for each byte.
private struct ByteClass {
    private var bits: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// `place` is where it begins, and then where it ends.
    init(_ pattern: UnsafeRawBufferPointer, _ place: inout Int) {
        place += 1
        let isNegated = place < pattern.count && pattern[place] == UInt8(ascii: "^")
        if isNegated { place += 1 }
        while place < pattern.count, pattern[place] != UInt8(ascii: "]") {
            let low = pattern[place]
            if place + 2 < pattern.count, pattern[place + 1] == UInt8(ascii: "-"), pattern[place + 2] != UInt8(ascii: "]") {
                let high = pattern[place + 2]
                for byte in min(low, high)...max(low, high) { insert(byte) }
                place += 3
            } else {
                insert(low)
                place += 1
            }
        }
        if isNegated { bits = (~bits.0, ~bits.1, ~bits.2, ~bits.3) }
    }

    private mutating func insert(_ byte: UInt8) {
        let bit = UInt64(1) << UInt64(byte & 63)
        switch byte >> 6 {
        case 0: bits.0 |= bit
        case 1: bits.1 |= bit
        case 2: bits.2 |= bit
        default: bits.3 |= bit
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        let word =
            switch byte >> 6 {
            case 0: bits.0
            case 1: bits.1
            case 2: bits.2
            default: bits.3
            }
        return word >> UInt64(byte & 63) & 1 == 1
    }
}
