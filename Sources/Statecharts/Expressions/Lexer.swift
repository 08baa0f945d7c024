// Splits an expression's text into tokens. A part that Lua would refuse, such as a text without an end, is one token up to the end.

struct Lexer {
    private let bytes: [UInt8]
    private var place = 0

    static func tokens(of text: String) -> [Token] {
        var lexer = Lexer(bytes: Array(text.utf8))
        var tokens: [Token] = []
        while let token = lexer.next() { tokens.append(token) }
        return tokens
    }

    private mutating func next() -> Token? {
        skipBlanksAndComments()
        guard place < bytes.count else { return nil }
        let start = place
        let kind = takeKind()
        return Token(kind: kind, range: start..<place)
    }

    private mutating func takeKind() -> Token.Kind {
        let byte = bytes[place]
        if byte.isLetter { return takeWord() }
        if byte.isDecimal || (byte == UInt8(ascii: ".") && self[1].isDecimal) { return takeNumber() }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return takeText(quotedBy: byte) }
        if let level = levelOfLongBracket { return takeLongText(level) }
        return takeSymbol()
    }

    /// The byte at `ahead` bytes after the place; 0 behind the end.
    private subscript(_ ahead: Int) -> UInt8 { place + ahead < bytes.count ? bytes[place + ahead] : 0 }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    // MARK: Kinds

    private mutating func takeWord() -> Token.Kind {
        let start = place
        while self[0].isLetter || self[0].isDecimal { place += 1 }
        let word = text(start..<place)
        return Token.keywords.contains(word) ? .keyword(word) : .name(word)
    }

    /// Takes all that Lua takes: it judges the whole.
    private mutating func takeNumber() -> Token.Kind {
        let isHexadecimal = self[0] == UInt8(ascii: "0") && self[1] | 0x20 == UInt8(ascii: "x")
        let exponent = UInt8(ascii: isHexadecimal ? "p" : "e")
        while self[0].isLetter || self[0].isDecimal || self[0] == UInt8(ascii: ".") {
            let isExponent = self[0] | 0x20 == exponent
            place += 1
            if isExponent, self[0] == UInt8(ascii: "+") || self[0] == UInt8(ascii: "-") { place += 1 }
        }
        return .number
    }

    private mutating func takeText(quotedBy quote: UInt8) -> Token.Kind {
        place += 1
        let start = place
        var (hasEscapes, hasZero) = (false, false)
        while place < bytes.count, self[0] != quote, !self[0].isLineEnd {
            let isEscape = self[0] == UInt8(ascii: "\\")
            hasEscapes = hasEscapes || isEscape
            hasZero = hasZero || (isEscape && isEscapedZero)
            if isEscape { skipEscape() } else { place += 1 }
        }
        let end = place
        if place < bytes.count { place += 1 }
        if hasZero { return .textWithZero }
        return .text(hasEscapes ? nil : text(start..<end))
    }

    /// A text goes on behind an escaped end of the line, which may be of two characters, and behind all the blanks after `\z`.
    private mutating func skipEscape() {
        let isPair = self[1].isLineEnd && self[2].isLineEnd && self[1] != self[2]
        let skipsBlanks = self[1] == UInt8(ascii: "z")
        place = min(place + (isPair ? 3 : 2), bytes.count)
        while skipsBlanks, place < bytes.count, self[0].isBlank { place += 1 }
    }

    /// Whether `\0`, `\x00` or `\u{0}` begins here, in any of the ways to write them.
    private var isEscapedZero: Bool {
        let zero = UInt8(ascii: "0")
        switch self[1] {
        case UInt8(ascii: "x"): return self[2] == zero && self[3] == zero
        case UInt8(ascii: "u"): return bytes[place...].dropFirst(3).first { $0 != zero } == UInt8(ascii: "}")
        default: return self[1] == zero && (1...3).first { self[$0] != zero }.map { !self[$0].isDecimal } ?? true
        }
    }

    private mutating func takeLongText(_ level: Int) -> Token.Kind {
        let start = place + level + 2
        skipLongBracket(level)
        let end = place - level - 2
        return .text(end >= start && bytes[start] != UInt8(ascii: "\n") ? text(start..<end) : nil)
    }

    private mutating func takeSymbol() -> Token.Kind {
        let start = place
        for symbol in Self.longSymbols where bytes[place...].starts(with: symbol.utf8) {
            place += symbol.utf8.count
            return .symbol(symbol)
        }
        repeat { place += 1 } while self[0] & 0xC0 == 0x80
        return .symbol(text(start..<place))
    }

    private static let longSymbols = ["...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"]

    // MARK: Blanks, comments and long brackets

    private mutating func skipBlanksAndComments() {
        while place < bytes.count {
            if self[0].isBlank {
                place += 1
            } else if self[0] == UInt8(ascii: "-"), self[1] == UInt8(ascii: "-") {
                place += 2
                skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        if let level = levelOfLongBracket { return skipLongBracket(level) }
        while place < bytes.count, !self[0].isLineEnd { place += 1 }
    }

    /// How many `=` stand between the brackets that begin here.
    private var levelOfLongBracket: Int? {
        guard self[0] == UInt8(ascii: "[") else { return nil }
        var level = 0
        while self[level + 1] == UInt8(ascii: "=") { level += 1 }
        return self[level + 1] == UInt8(ascii: "[") ? level : nil
    }

    private mutating func skipLongBracket(_ level: Int) {
        let end = [UInt8(ascii: "]")] + [UInt8](repeating: UInt8(ascii: "="), count: level) + [UInt8(ascii: "]")]
        place += level + 2
        while place < bytes.count, !bytes[place...].starts(with: end) { place += 1 }
        place = min(place + end.count, bytes.count)
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) && self < 0x80 || self == UInt8(ascii: "_")
    }
    fileprivate var isDecimal: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
    fileprivate var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
