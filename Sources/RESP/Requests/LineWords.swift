// Splits lines into words for consoles and scripts.

public enum LineWords {
    /// Splits a line like an inline request: at blanks, with quotes around words that have some.
    public static func split(_ line: String) throws(RequestError) -> [String] {
        try line.utf8Span.span.withUnsafeBytes { bytes throws(RequestError) in
            let arguments = RequestArguments()
            try arguments.append(wordsOf: bytes)
            arguments.publish(in: bytes)
            return arguments.map(\.repairedText)
        }
    }

    /// The line without its comment, which begins with a `#` that begins a word and is in no quotes.
    public static func uncommented(_ line: String) -> String {
        var (previous, quotes): (Character, QuoteScan) = (" ", .outside)
        for index in line.indices {
            let character = line[index]
            if character == "#", previous.isWhitespace, quotes.areBalanced { return String(line[..<index]) }
            for byte in character.utf8 { quotes.read(byte) }
            previous = character
        }
        return line
    }
}

/// Whether the bytes of a line so far are in quotes, by the rules of `QuotedLine`.
private enum QuoteScan {
    case outside
    case inside(UInt8)
    /// Behind a backslash that stands in quotes.
    case escaped(UInt8)
    /// Behind the closing quote, which must end the word.
    case closed
    /// A closing quote was in the midst of a word: there are no words in the line.
    case broken

    /// Whether the bytes so far can be split into words.
    var areBalanced: Bool {
        switch self {
        case .outside, .closed: true
        case .inside, .escaped, .broken: false
        }
    }

    mutating func read(_ byte: UInt8) {
        switch self {
        case .outside: if byte.isQuote { self = .inside(byte) }
        case .inside(byte): self = .closed
        case .inside(let quote): if byte == .backslash { self = .escaped(quote) }
        // Within single quotes a backslash stands for itself, except before another single quote.
        case .escaped(.singleQuote): if byte != .backslash { self = .inside(.singleQuote) }
        case .escaped(let quote): self = .inside(quote)
        case .closed: self = byte.isBlank ? .outside : .broken
        case .broken: break
        }
    }
}

// MARK: - Inline requests: words on a line, as people type them.

enum InlineLine {
    /// The line without its end, and what follows it.
    case complete(UnsafeRawBufferPointer, next: Int)
    /// The line does not end before `searched`.
    case incomplete(searched: Int)
    /// Longer than any line may be.
    case endless

    /// Looks for the end of the line that `bytes` begin with; an earlier attempt found none before `searched`. As in Redis, a NUL
    /// hides the rest: bytes that are not text are refused in the end, and no words are found in the midst of them.
    init(in bytes: UnsafeRawBufferPointer, searched: Int) {
        var offset = searched
        let end = min(bytes.count, RequestLimits.line + 1)
        while offset < end, bytes[offset] != .lineFeed, bytes[offset] != 0 { offset += 1 }
        if offset < end, bytes[offset] == .lineFeed {
            let hasReturn = offset > 0 && bytes[offset - 1] == .carriageReturn
            self = .complete(bytes.slice(from: 0, to: hasReturn ? offset - 1 : offset), next: offset + 1)
        } else {
            self = bytes.count > RequestLimits.line ? .endless : .incomplete(searched: offset)
        }
    }
}

extension RequestArguments {
    /// Splits a line into words, in place unless there are quotes, which are unescaped into a buffer.
    func append(wordsOf line: UnsafeRawBufferPointer) throws(RequestError) {
        if appendPlainWords(of: line) { return }
        removeAll()
        try append(wordsOf: QuotedLine(line))
    }

    /// False if there is a quote in the line.
    private func appendPlainWords(of line: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while true {
            while offset < line.count, line[offset].isBlank { offset += 1 }
            guard offset < line.count else { return true }
            let start = offset
            while offset < line.count, !line[offset].endsWord {
                if line[offset].isQuote { return false }
                offset += 1
            }
            append(offset: start, length: offset - start)
        }
    }
}
