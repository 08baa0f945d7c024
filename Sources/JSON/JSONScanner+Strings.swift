// Strings in quotes, and their escapes.

extension JSONScanner {
    mutating func scanText() throws(JSONFault) {
        cursor.step()
        while true {
            cursor.skipPlainText()
            guard !cursor.isAtEnd else { throw .noEnd }
            if cursor.consume(.quote) { return }
            try scanSpecial()
        }
    }

    private mutating func scanSpecial() throws(JSONFault) {
        let isEscape = cursor.byte == .backslash
        cursor.step()
        guard isEscape else { throw .control }
        try scanEscape()
    }

    private mutating func scanEscape() throws(JSONFault) {
        guard !cursor.isAtEnd else { throw .noEnd }
        let byte = cursor.byte
        cursor.step()
        if byte == UInt8(ascii: "u") { return try scanCharacter() }
        guard byte.unescaped != nil else { throw .noEscape }
    }

    private mutating func scanCharacter() throws(JSONFault) {
        let first = try scanFourDigits()
        if 0xD800..<0xDC00 ~= first, cursor.consume(word: "\\u") {
            guard 0xDC00..<0xE000 ~= (try scanFourDigits()) else { throw .noLowHalf }
        } else if 0xD800..<0xE000 ~= first {
            throw .noCharacter
        }
    }

    private mutating func scanFourDigits() throws(JSONFault) -> UInt32 {
        guard let value = cursor.fourHexadecimalDigits else { throw .noDigits }
        cursor.step(4)
        return value
    }
}

extension JSONCursor {
    var fourHexadecimalDigits: UInt32? {
        guard left >= 4 else { return nil }
        var value: UInt32 = 0
        for offset in 0..<4 {
            guard let digit = place.load(fromByteOffset: offset, as: UInt8.self).hexadecimalValue else { return nil }
            value = value << 4 | digit
        }
        return value
    }
}

extension UInt8 {
    /// The character that this byte means after a backslash.
    var unescaped: UInt8? {
        switch self {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case .quote, .backslash, UInt8(ascii: "/"): self
        default: nil
        }
    }
}
