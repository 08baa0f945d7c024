// Splits a line with quotes, by the rules of Redis' sdssplitargs.

/// `"…"` may hold blanks and `\n \r \t \b \a \xHH \" \\`; `'…'` may hold blanks and `\'`. A quote may open in the midst of a word;
/// where it closes, the word must end.
struct QuotedLine {
    private let line: UnsafeRawBufferPointer
    private var offset = 0

    init(_ line: UnsafeRawBufferPointer) {
        self.line = line
    }

    /// Appends the next word to `words`, and returns its range there; nil at the end of the line.
    mutating func copyWord(into words: inout ByteQueue) throws(RequestError) -> Range<Int>? {
        while let byte = current, byte.isBlank { offset += 1 }
        guard current != nil else { return nil }
        let start = words.count
        while let byte = current, !byte.endsWord {
            offset += 1
            if byte.isQuote {
                try copyQuoted(until: byte, into: &words)
                break
            }
            words.append(byte)
        }
        return start..<words.count
    }

    private var current: UInt8? { byte(at: offset) }

    private func byte(at offset: Int) -> UInt8? {
        offset < line.count ? line[offset] : nil
    }

    /// Copies the text of a quote up to the closing quote, which must be the end of a word.
    private mutating func copyQuoted(until quote: UInt8, into words: inout ByteQueue) throws(RequestError) {
        while let byte = current, byte != quote {
            offset += 1
            guard byte == .backslash, let next = current else {
                words.append(byte)
                continue
            }
            words.append(quote == .doubleQuote ? takeEscaped(next) : takeApostrophe(next))
        }
        guard current == quote else { throw .unbalancedQuotes }
        offset += 1
        if let next = current, !next.isBlank { throw .unbalancedQuotes }
    }

    /// Within single quotes a backslash stands for itself, except before another single quote.
    private mutating func takeApostrophe(_ byte: UInt8) -> UInt8 {
        guard byte == .singleQuote else { return .backslash }
        offset += 1
        return byte
    }

    /// The byte for a backslash and `byte`, within double quotes.
    private mutating func takeEscaped(_ byte: UInt8) -> UInt8 {
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): return .lineFeed
        case UInt8(ascii: "r"): return .carriageReturn
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "a"): return 7
        case UInt8(ascii: "x"): return takeHex() ?? byte
        default: return byte
        }
    }

    private mutating func takeHex() -> UInt8? {
        guard let high = byte(at: offset)?.hexValue, let low = byte(at: offset + 1)?.hexValue else { return nil }
        offset += 2
        return high << 4 | low
    }
}
