// JSON5 (json5.org): JSON as people write it by hand, with comments, trailing commas and names without quotes.

/// What a text says, and what is wrong with it.
package struct JSON5Document: Sendable {
    /// Nil if a problem left nothing to go on with.
    package let root: LocatedJSON?
    /// In the order of the text.
    package let problems: [JSON5Problem]
    package let positions: TextPositions
    private let bytes: [UInt8]

    package init(_ text: String) {
        self.init(bytes: Array(text.utf8))
    }

    /// The bytes must be valid UTF-8.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
        positions = TextPositions(bytes)
        var reader = JSON5Reader(bytes, positions)
        root = reader.document()
        problems = reader.problems
    }

    /// Where a byte of a text's value stands: behind the quote, and behind escapes that are longer than what they mean.
    package func offset(ofByte count: Int, inTextAt offset: Int) -> Int {
        var reader = JSON5Reader(bytes, positions, at: offset)
        return reader.place(ofByte: count)
    }
}

package struct JSON5Problem: Error, Sendable, Equatable {
    package let offset: Int
    package let sentence: String

    init(at offset: Int, _ sentence: String) {
        self.offset = offset
        self.sentence = sentence
    }
}
