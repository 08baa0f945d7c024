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
        var previous: Character = " "
        for index in line.indices {
            defer { previous = line[index] }
            guard line[index] == "#", previous.isWhitespace else { continue }
            // Within quotes, what comes before has a quote that is not closed.
            let before = String(line[..<index])
            if (try? split(before)) != nil { return before }
        }
        return line
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
