// The parts between the words of JSON5: blanks and comments; and words without quotes.

import Texts

extension JSON5Reader {
    mutating func skipBlanks() throws(JSONError) {
        while !isAtEnd {
            switch byte {
            case 0x09...0x0D, .space: position += 1
            case .slash: try skipComment()
            case .numberSign where byte(after: 1).beginsCommentText:
                try recordProblem(at: position, "a comment begins with //, not with #")
                skipLine()
            case 0x80...:
                guard let scalar, scalar.isBlankInJSON5 else { return }
                position += scalar.utf8.count
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSONError) {
        switch byte(after: 1) {
        case .slash: skipLine()
        case .star: try skipLongComment()
        default: throw JSONError(at: position, "'/' is not expected here; a comment begins with // or /*")
        }
    }

    private mutating func skipLine() {
        while let scalar, !scalar.endsLine { position += scalar.utf8.count }
    }

    private mutating func skipLongComment() throws(JSONError) {
        let start = position
        position += 2
        while !(byte == .star && byte(after: 1) == .slash) {
            guard !isAtEnd else { throw JSONError(at: start, "the comment that begins here has no */") }
            position += 1
        }
        position += 2
    }

    /// Moves behind a word without quotes, or behind an invalid one.
    mutating func skipBareName() {
        while !isAtEnd {
            switch byte {
            case 0...0x20, .comma, .colon, .quote, .apostrophe, .openBrace, .closeBrace, .openBracket, .closeBracket: return
            case .slash where byte(after: 1) == .slash || byte(after: 1) == .star: return
            case 0x80...:
                guard let scalar, !scalar.isBlankInJSON5 else { return }
                position += scalar.utf8.count
            default: position += 1
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
        guard rest.popFirst() == "u" else { return nil }
        // Without a sign, which `UInt32` would read.
        let digits = rest.prefix(4).filter(\.properties.isASCIIHexDigit)
        guard digits.count == 4 else { return nil }
        rest = rest.dropFirst(4)
        return UInt32(String(String.UnicodeScalarView(digits)), radix: 16).flatMap(Unicode.Scalar.init)
    }
}

extension Unicode.Scalar {
    var utf8: UTF8.EncodedScalar { UTF8.encode(self) ?? UTF8.encodedReplacementCharacter }

    /// The blanks of ECMAScript beyond ASCII.
    fileprivate var isBlankInJSON5: Bool {
        value == 0xFEFF || endsLine || properties.generalCategory == .spaceSeparator
    }

    /// The quote of JSON5 for a typographic one.
    fileprivate var plainQuote: Unicode.Scalar? {
        switch value {
        case 0x2018...0x201B: "'"
        case 0x201C...0x201F: "\""
        default: nil
        }
    }

    var endsLine: Bool { value == 0x0A || value == 0x0D || value == 0x2028 || value == 0x2029 }

    fileprivate var beginsIdentifier: Bool {
        self == "$" || self == "_" || (isASCII ? properties.isAlphabetic : properties.isIDStart)
    }

    fileprivate var continuesIdentifier: Bool {
        beginsIdentifier || value == 0x200C || value == 0x200D || properties.isIDContinue
    }
}

// MARK: - Texts without quotes, and with typographic ones

extension JSON5Reader {
    /// Reports a text without quotes, of which the first word was read from `start`, and moves behind it. False for a single value.
    mutating func skipUnquotedText(from start: Int) throws(JSONError) -> Bool {
        guard isInUnquotedText, let end = endOfUnquotedText(from: start), end > position else { return false }
        position = end
        let text = String(decoding: bytes[start..<end], as: UTF8.self).shortened.printable
        let quote = text.contains("\"") && !text.contains("'") ? "'" : "\""
        let inQuotes = quote + text.replacing(quote, with: "\\" + quote) + quote
        try recordProblem(at: start, "a text with spaces or signs needs quotes: \(inQuotes)")
        return true
    }

    /// Whether the bytes behind a word or a number belong to the same text, and not to the next value, after a missing comma.
    private var isInUnquotedText: Bool {
        let next = bytes[position...].firstIndex { $0 != .space && $0 != 0x09 } ?? bytes.count
        guard next < bytes.count else { return false }
        let follower = next + 1 < bytes.count ? bytes[next + 1] : 0
        switch bytes[next] {
        case .quote, .apostrophe, .openBracket: return next == position
        case .openBrace: return follower == .openBrace
        case .plus, .minus: return follower == .space
        case .zero...UInt8(ascii: "9"), .point: return false
        default: return true
        }
    }

    /// Where a comma, a bracket, a comment or the line ends it. Nil if it has a ':', or brackets that are not closed.
    private func endOfUnquotedText(from start: Int) -> Int? {
        var (end, depth) = (start, 0)
        scan: while end < bytes.count {
            switch bytes[end] {
            case 0...0x08, 0x0A...0x1F: break scan
            case .comma where depth == 0, .closeBrace where depth == 0, .closeBracket where depth == 0: break scan
            case .slash where end + 1 < bytes.count && (bytes[end + 1] == .slash || bytes[end + 1] == .star): break scan
            case .colon: return nil
            case .openBrace, .openBracket, UInt8(ascii: "("): depth += 1
            case .closeBrace, .closeBracket, UInt8(ascii: ")"): depth -= 1
            case .quote, .apostrophe: end = endOfQuotes(at: end)
            default: break
            }
            end += 1
        }
        while end > start, bytes[end - 1] == .space || bytes[end - 1] == 0x09 { end -= 1 }
        return depth == 0 ? end : nil
    }

    /// The second of two quotes in one line, or the first if it is alone.
    private func endOfQuotes(at start: Int) -> Int {
        let end = bytes[(start + 1)...].firstIndex { $0 == bytes[start] || $0 == 0x0A || $0 == 0x0D }
        return end.map { bytes[$0] == bytes[start] ? $0 : start } ?? start
    }

    /// Reports a text that begins with a typographic quote, and moves behind its end in the line. False if none begins here.
    mutating func skipTypographicText() throws(JSONError) -> Bool {
        guard byte >= 0x80, let first = scalar, let plain = first.plainQuote else { return false }
        let start = position
        position += first.utf8.count
        let begin = position
        while let scalar, !scalar.endsLine, scalar != plain, scalar.plainQuote != plain { position += scalar.utf8.count }
        if let last = scalar, !last.endsLine {
            position += last.utf8.count
        } else {
            position = begin
            skipBareName()
        }
        try recordProblem(at: start, "\(first) is a typographic quote: type a plain \(plain) instead")
        return true
    }
}

// MARK: - Numbers of JSON5: with a sign, hexadecimal, and with a point at the beginning or at the end.

extension JSON5Reader {
    /// Whole ones that fit are integers; a point or an exponent makes a number.
    mutating func number() throws(JSONError) -> LocatedJSON.Content {
        let start = position
        let isNegative = byte == .minus
        if byte == .minus || byte == .plus { position += 1 }
        let digits = position
        skipNumber()
        guard try !skipUnquotedText(from: start) else { return .unreadable }
        let written = String(decoding: bytes[digits..<position], as: UTF8.self)
        if let value = Self.value(of: written, isNegative) { return value }
        let shown = String(decoding: bytes[start..<position], as: UTF8.self).shortened.printable
        try recordProblem(at: start, Self.complaint(about: written, shown))
        return .unreadable
    }

    /// A sign within is an exponent's.
    private mutating func skipNumber() {
        let start = position
        while true {
            skipBareName()
            guard position > start, byte == .plus || byte == .minus, bytes[position - 1].isExponentSign else { return }
            position += 1
        }
    }

    private static func complaint(about written: String, _ shown: String) -> String {
        switch written {
        case "Infinity", "NaN": return "\(shown) is no number here; write one that is finite"
        case "": return "a number is missing after the sign"
        default: break
        }
        guard written.utf8.allSatisfy({ $0.isPartOfNumber || $0.hexadecimalValue != nil || $0 | 0x20 == UInt8(ascii: "x") })
        else {
            return "\(shown) is no value; a text needs quotes: \"\(shown)\""
        }
        return "\(shown) is no number, or too large for one"
    }

    /// `written` has no sign.
    private static func value(of written: String, _ isNegative: Bool) -> LocatedJSON.Content? {
        let bytes = Array(written.utf8)
        if bytes.count > 2, bytes[0] == .zero, bytes[1] | 0x20 == UInt8(ascii: "x") {
            return UInt64(written.dropFirst(2), radix: 16).flatMap { integer($0, isNegative) }.flatMap {
                bytes[2].hexadecimalValue == nil ? nil : $0
            }
        }
        // The sign has been read, and JSON would accept a second one.
        guard bytes.first == .point ? bytes.count > 1 && bytes[1].isDigit : bytes.first?.isDigit == true else { return nil }
        return switch try? JSON(parsing: (isNegative ? "-" : "") + completed(written)) {
        case .integer(let value)?: .integer(value)
        case .number(let value)?: .number(value)
        default: nil
        }
    }

    private static func integer(_ magnitude: UInt64, _ isNegative: Bool) -> LocatedJSON.Content? {
        if isNegative { return magnitude <= 1 << 63 ? .integer(Int(truncatingIfNeeded: 0 &- magnitude)) : nil }
        return Int(exactly: magnitude).map { .integer($0) }
    }

    /// With digits on both sides of its point, as JSON wants it.
    private static func completed(_ written: String) -> String {
        let parts = written.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return written }
        let needsDigit = !(parts[1].utf8.first?.isDigit ?? false)
        return (parts[0].isEmpty ? "0" : parts[0]) + "." + (needsDigit ? "0" : "") + parts[1]
    }
}
