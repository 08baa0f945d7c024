// The parts between the words of JSON5: blanks and comments; and words without quotes.

extension JSON5Reader {
    mutating func skipBlanks() throws(JSON5Problem) {
        while !isAtEnd {
            switch byte {
            case 0x09...0x0D, .space: place += 1
            case .slash: try skipComment()
            case 0x80...:
                guard let scalar, scalar.isBlankInJSON5 else { return }
                place += scalar.utf8.count
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSON5Problem) {
        switch byte(after: 1) {
        case .slash:
            while let scalar, !scalar.endsLine { place += scalar.utf8.count }
        case .star: try skipLongComment()
        default: throw JSON5Problem(at: place, "'/' is not expected here; a comment begins with // or /*")
        }
    }

    private mutating func skipLongComment() throws(JSON5Problem) {
        let start = place
        place += 2
        while !(byte == .star && byte(after: 1) == .slash) {
            guard !isAtEnd else { throw JSON5Problem(at: start, "the comment that begins here has no */") }
            place += 1
        }
        place += 2
    }

    /// Moves behind a word without quotes, or behind an invalid one.
    mutating func skipBareName() {
        while !isAtEnd {
            switch byte {
            case 0...0x20, .comma, .colon, .quote, .apostrophe, .openBrace, .closeBrace, .openBracket, .closeBracket: return
            case .slash where byte(after: 1) == .slash || byte(after: 1) == .star: return
            case 0x80...:
                guard let scalar, !scalar.isBlankInJSON5 else { return }
                place += scalar.utf8.count
            default: place += 1
            }
        }
    }

    /// The name of an identifier without quotes, its escapes (`\u0061`) replaced; nil if the word is not an identifier.
    static func identifier(_ word: String) -> String? {
        var name = ""
        var rest = word.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard let letter = scalar == "\\" ? escaped(&rest) : scalar else { return nil }
            guard name.isEmpty ? letter.beginsIdentifier : letter.continuesIdentifier else { return nil }
            name.unicodeScalars.append(letter)
        }
        return name.isEmpty ? nil : name
    }

    private static func escaped(_ rest: inout String.UnicodeScalarView.SubSequence) -> Unicode.Scalar? {
        guard rest.popFirst() == "u", rest.count >= 4 else { return nil }
        let digits = String(Substring(rest.prefix(4)))
        rest = rest.dropFirst(4)
        return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
    }
}

extension Unicode.Scalar {
    var utf8: UTF8.EncodedScalar { UTF8.encode(self) ?? UTF8.encodedReplacementCharacter }

    /// The blanks of ECMAScript beyond ASCII.
    fileprivate var isBlankInJSON5: Bool {
        value == 0xFEFF || endsLine || properties.generalCategory == .spaceSeparator
    }

    var endsLine: Bool { value == 0x0A || value == 0x0D || value == 0x2028 || value == 0x2029 }

    fileprivate var beginsIdentifier: Bool {
        self == "$" || self == "_" || (isASCII ? properties.isAlphabetic : properties.isIDStart)
    }

    fileprivate var continuesIdentifier: Bool {
        beginsIdentifier || value == 0x200C || value == 0x200D || properties.isIDContinue
    }
}
