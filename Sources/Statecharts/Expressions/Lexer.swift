// Splits an expression's text into tokens. A part that Lua would refuse, such as a text without an end, is one token up to the end.

struct Lexer {
    private let bytes: [UInt8]
    private var position = 0

    static func tokens(of text: String) -> [Token] {
        var lexer = Lexer(bytes: Array(text.utf8))
        var tokens: [Token] = []
        while let token = lexer.next() { tokens.append(token) }
        return tokens
    }

    private mutating func next() -> Token? {
        skipBlanksAndComments()
        guard position < bytes.count else { return nil }
        let start = position
        let kind = takeKind()
        return Token(kind: kind, range: start..<position)
    }

    private mutating func takeKind() -> Token.Kind {
        let byte = bytes[position]
        if byte.isLetter { return takeWord() }
        if byte.isDecimal || (byte == UInt8(ascii: ".") && self[1].isDecimal) { return takeNumber() }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return takeText(quotedBy: byte) }
        if let level = levelOfLongBracket { return takeLongText(level) }
        return takeSymbol()
    }

    /// The byte at `ahead` bytes after the position; 0 behind the end.
    private subscript(_ ahead: Int) -> UInt8 { position + ahead < bytes.count ? bytes[position + ahead] : 0 }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    // MARK: Kinds

    private mutating func takeWord() -> Token.Kind {
        let start = position
        while self[0].isLetter || self[0].isDecimal { position += 1 }
        let word = text(start..<position)
        return Token.keywords.contains(word) ? .keyword(word) : .name(word)
    }

    /// Takes all that Lua takes: it judges the whole.
    private mutating func takeNumber() -> Token.Kind {
        let isHexadecimal = self[0] == UInt8(ascii: "0") && self[1] | 0x20 == UInt8(ascii: "x")
        let exponent = UInt8(ascii: isHexadecimal ? "p" : "e")
        while self[0].isLetter || self[0].isDecimal || self[0] == UInt8(ascii: ".") {
            let isExponent = self[0] | 0x20 == exponent
            position += 1
            if isExponent, self[0] == UInt8(ascii: "+") || self[0] == UInt8(ascii: "-") { position += 1 }
        }
        return .number
    }

    private mutating func takeText(quotedBy quote: UInt8) -> Token.Kind {
        position += 1
        let start = position
        var (hasEscapes, hasZero) = (false, false)
        while position < bytes.count, self[0] != quote, !self[0].isLineEnd {
            let isEscape = self[0] == UInt8(ascii: "\\")
            hasEscapes = hasEscapes || isEscape
            hasZero = hasZero || (isEscape && isEscapedZero)
            if isEscape { skipEscape() } else { position += 1 }
        }
        let end = position
        if position < bytes.count { position += 1 }
        if hasZero { return .textWithZero }
        return .text(hasEscapes ? nil : text(start..<end))
    }

    /// A text goes on behind an escaped end of the line, which may be of two characters, and behind all the blanks after `\z`.
    private mutating func skipEscape() {
        let isPair = self[1].isLineEnd && self[2].isLineEnd && self[1] != self[2]
        let skipsBlanks = self[1] == UInt8(ascii: "z")
        position = min(position + (isPair ? 3 : 2), bytes.count)
        while skipsBlanks, position < bytes.count, self[0].isBlank { position += 1 }
    }

    /// Whether `\0`, `\x00` or `\u{0}` begins here, in any of the ways to write them.
    private var isEscapedZero: Bool {
        let zero = UInt8(ascii: "0")
        switch self[1] {
        case UInt8(ascii: "x"): return self[2] == zero && self[3] == zero
        case UInt8(ascii: "u"): return bytes[position...].dropFirst(3).first { $0 != zero } == UInt8(ascii: "}")
        default: return self[1] == zero && (1...3).first { self[$0] != zero }.map { !self[$0].isDecimal } ?? true
        }
    }

    /// Lua skips an end of the line at the beginning, and makes each end that has a `\r` one `\n`.
    private mutating func takeLongText(_ level: Int) -> Token.Kind {
        let start = position + level + 2
        skipLongBracket(level)
        let end = position - level - 2
        guard end >= start, !bytes[start].isLineEnd, !bytes[start..<end].contains(UInt8(ascii: "\r")) else { return .text(nil) }
        return .text(text(start..<end))
    }

    private mutating func takeSymbol() -> Token.Kind {
        let start = position
        for symbol in Self.longSymbols where bytes[position...].starts(with: symbol.utf8) {
            position += symbol.utf8.count
            return .symbol(symbol)
        }
        repeat { position += 1 } while self[0] & 0xC0 == 0x80
        return .symbol(text(start..<position))
    }

    private static let longSymbols = ["...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"]

    // MARK: Blanks, comments and long brackets

    private mutating func skipBlanksAndComments() {
        while position < bytes.count {
            if self[0].isBlank {
                position += 1
            } else if self[0] == UInt8(ascii: "-"), self[1] == UInt8(ascii: "-") {
                position += 2
                skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        if let level = levelOfLongBracket { return skipLongBracket(level) }
        while position < bytes.count, !self[0].isLineEnd { position += 1 }
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
        position += level + 2
        while position < bytes.count, !bytes[position...].starts(with: end) { position += 1 }
        position = min(position + end.count, bytes.count)
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
