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
