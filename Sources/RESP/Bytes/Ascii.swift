// The bytes with a meaning in frames and inline requests.

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let digitZero = UInt8(ascii: "0")
    static let minus = UInt8(ascii: "-")
    static let star = UInt8(ascii: "*")
    static let dollar = UInt8(ascii: "$")
    static let backslash = UInt8(ascii: "\\")
    static let singleQuote = UInt8(ascii: "'")
    static let doubleQuote = UInt8(ascii: "\"")

    /// C's isspace: separates words.
    var isBlank: Bool { self == .space || (9...13).contains(self) }

    /// Ends a word. A vertical tab or a form feed does not: it becomes part of the word, as in Redis.
    var endsWord: Bool { self == .space || self == 9 || self == .lineFeed || self == .carriageReturn }

    var isQuote: Bool { self == .singleQuote || self == .doubleQuote }

    var hexValue: UInt8? { Character(Unicode.Scalar(self)).hexDigitValue.map { UInt8($0) } }

    /// The capital of a letter; anything else as it is.
    @inlinable package var capital: UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self & 0xDF : self
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of the first `byte` from `start` on.
    func firstOffset(of byte: UInt8, from start: Int) -> Int? {
        var offset = start
        while offset < count {
            if self[offset] == byte { return offset }
            offset += 1
        }
        return nil
    }

    func slice(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[start..<end])
    }
}
