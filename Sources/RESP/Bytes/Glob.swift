// Redis' glob patterns: `*`, `?`, `[a-c]`, `[^x]`, and backslash to escape.

import Memory

/// Matches bytes, not characters.
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

    /// A compiled pattern: a large class matches as fast as a small one.
    package init(_ pattern: ByteString) { pattern.withBytes { read($0) } }

    private mutating func read(_ pattern: UnsafeRawBufferPointer) {
        var index = 0
        while index < pattern.count {
            switch pattern[index] {
            case UInt8(ascii: "*"): pieces.append(.star)
            case UInt8(ascii: "?"): pieces.append(.any)
            case UInt8(ascii: "["):
                pieces.append(.oneOf(Int32(truncatingIfNeeded: classes.count)))
                classes.append(ByteClass(pattern, &index))
            case UInt8(ascii: "\\") where index + 1 < pattern.count:
                index += 1
                pieces.append(.byte(pattern[index]))
            case let byte: pieces.append(.byte(byte))
            }
            index += 1
        }
    }

    /// How much memory it takes, in bytes.
    package var footprint: Int { pieces.count * MemoryLayout<Piece>.stride + classes.count * MemoryLayout<ByteClass>.stride }

    /// Worst-case steps per byte of a name: everything after the first star may be tried at each.
    package var weight: Int {
        let star = pieces.indices.first(where: isStar) ?? pieces.count
        return max(1, pieces.count - star - 1)
    }

    /// Bytes that a name must have to match at all: a quick test, which few non-matching names pass.
    package struct Needs: Sendable {
        /// A bit for each two bytes that stand side by side, and for each byte.
        private var pairs: UInt64 = 0
        private var single: UInt64 = 0
        private var count = 0

        fileprivate init() {}

        /// The pairs and bytes of a name.
        package init(of name: UnsafeRawBufferPointer) {
            var last: UInt8?
            for byte in name {
                add(byte, behind: last)
                last = byte
            }
        }

        fileprivate mutating func add(_ byte: UInt8, behind last: UInt8?) {
            count += 1
            single |= 1 << UInt64(byte & 63)
            if let last { pairs |= 1 << UInt64(((UInt16(last) << 8 | UInt16(byte)) &* 0x9E37) >> 10) }
        }

        /// A byte that may be any of several.
        fileprivate mutating func addAny() { count += 1 }

        package func areMet(by name: Needs) -> Bool {
            pairs & ~name.pairs == 0 && single & ~name.single == 0 && count <= name.count
        }
    }

    package var needs: Needs {
        var (needs, last): (Needs, UInt8?) = (Needs(), nil)
        for piece in pieces {
            switch piece {
            case .byte(let byte):
                needs.add(byte, behind: last)
                last = byte
            case .any, .oneOf:
                needs.addAny()
                last = nil
            case .star: last = nil
            }
        }
        return needs
    }

    package func matches(_ text: String) -> Bool { ByteString(text).withBytes(matches) }

    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var steps = 0
        return matches(text, &steps)
    }

    /// Counts the steps: with many stars, up to the product of both lengths.
    package func matches(_ text: UnsafeRawBufferPointer, _ steps: inout Int) -> Bool {
        // The last star and the start of its match, for backtracking.
        var (index, offset, star, mark) = (0, 0, -1, 0)
        while offset < text.count {
            steps &+= 1
            if isStar(index) {
                (star, mark) = (index, offset)
                index += 1
            } else if takes(index, text[offset]) {
                (index, offset) = (index + 1, offset + 1)
            } else if star >= 0 {
                mark += 1
                (index, offset) = (star + 1, mark)
            } else {
                return false
            }
        }
        while isStar(index) { index += 1 }
        return index == pieces.count
    }

    private func isStar(_ index: Int) -> Bool {
        guard index < pieces.count, case .star = pieces[index] else { return false }
        return true
    }

    private func takes(_ index: Int, _ byte: UInt8) -> Bool {
        guard index < pieces.count else { return false }
        switch pieces[index] {
        case .star: return false
        case .any: return true
        case .byte(let own): return own == byte
        case .oneOf(let number): return classes[Int(number)].contains(byte)
        }
    }
}

/// `[a-c]`: a bit for each byte.
private struct ByteClass {
    private var bits = InlineArray<4, UInt64>(repeating: 0)

    /// Advances `index` from the class's beginning to its end.
    init(_ pattern: UnsafeRawBufferPointer, _ index: inout Int) {
        index += 1
        let isNegated = index < pattern.count && pattern[index] == UInt8(ascii: "^")
        if isNegated { index += 1 }
        while index < pattern.count, pattern[index] != UInt8(ascii: "]") {
            let low = pattern[index]
            if low == UInt8(ascii: "\\"), index + 1 < pattern.count {
                insert(pattern[index + 1])
                index += 2
            } else if index + 2 < pattern.count, pattern[index + 1] == UInt8(ascii: "-"),
                pattern[index + 2] != UInt8(ascii: "]")
            {
                let high = pattern[index + 2]
                for byte in min(low, high)...max(low, high) { insert(byte) }
                index += 3
            } else {
                insert(low)
                index += 1
            }
        }
        if isNegated { for index in bits.indices { bits[index] = ~bits[index] } }
    }

    private mutating func insert(_ byte: UInt8) {
        bits[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
    }

    func contains(_ byte: UInt8) -> Bool { bits[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }
}
