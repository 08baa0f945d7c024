// JSON5 (json5.org): JSON as people write it by hand, with comments, trailing commas and names without quotes.

/// The values and the problems of a text.
package struct JSON5Document: Sendable {
    /// Nil if a problem left no value to continue with.
    package let root: LocatedJSON?
    /// In the order of the text.
    package let problems: [JSONError]
    package let positions: TextPositions
    private let bytes: [UInt8]

    /// The bytes must be valid UTF-8.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
        positions = TextPositions(bytes)
        var reader = JSON5Reader(bytes, positions)
        root = reader.document()
        problems = reader.problems
    }

    /// The position of a byte of a text's value: behind the quote, and behind escapes that are longer than their values.
    package func offset(ofByte count: Int, inTextAt offset: Int) -> Int {
        var reader = JSON5Reader(bytes, positions, at: offset)
        return reader.position(ofByte: count)
    }
}

extension [UInt8] {
    /// The first line, counted from one, with bytes that are not UTF-8; nil if all are.
    package var firstLineThatIsNoText: Int? {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: span)
            return nil
        } catch {
            return self[..<error.byteOffsets.lowerBound].count { $0 == 0x0A } + 1
        }
    }
}

// MARK: - Lines and columns of a text's bytes, as editors show them

/// A position in a text, counted from one. A column is a character, as Unicode counts them.
package struct TextPosition: Sendable, Equatable, Comparable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// Finds a byte's line and column without counting from the line's beginning, since a file can be one long line.
package struct TextPositions: Sendable {
    private static let blockBits = 8

    private let bytes: [UInt8]
    private var lineStarts = [0]
    /// How many characters begin before each block of bytes.
    private var charactersBefore: [Int] = []

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        charactersBefore.reserveCapacity(bytes.count >> Self.blockBits + 1)
        var characters = 0
        for (offset, byte) in bytes.enumerated() {
            if offset & (1 << Self.blockBits - 1) == 0 { charactersBefore.append(characters) }
            if byte & 0xC0 != 0x80 { characters += 1 }
            if byte == 0x0A || (byte == 0x0D && !(offset + 1 < bytes.count && bytes[offset + 1] == 0x0A)) {
                lineStarts.append(offset + 1)
            }
        }
    }

    package subscript(offset: Int) -> TextPosition {
        let offset = min(max(offset, 0), bytes.count)
        let line = lineNumber(of: offset)
        return TextPosition(line: line, column: characters(before: offset) - characters(before: lineStarts[line - 1]) + 1)
    }

    /// The last line that begins at this byte or before it, by halving.
    private func lineNumber(of offset: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return high
    }

    private func characters(before offset: Int) -> Int {
        guard !bytes.isEmpty else { return 0 }
        let block = min(offset >> Self.blockBits, charactersBefore.count - 1)
        let rest = bytes[(block << Self.blockBits)..<offset]
        return charactersBefore[block] + rest.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }
    }
}
