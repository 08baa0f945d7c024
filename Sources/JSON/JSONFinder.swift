// Finds a member of an object in scanned JSON, and skips everything else.

extension JSONCursor {
    /// Where a field's value begins: the last member of that name; a value that is not an object is its own only field.
    func field(_ name: UnsafeRawBufferPointer) -> JSONCursor? {
        var cursor = self
        cursor.skipBlanks()
        return cursor.byte == .openBrace ? cursor.member(name) : cursor
    }

    /// The same, for objects only.
    func member(_ name: UnsafeRawBufferPointer) -> JSONCursor? {
        var (cursor, found) = (self, JSONCursor?.none)
        cursor.skipBlanks()
        guard cursor.consume(.openBrace) else { return nil }
        cursor.skipBlanks()
        while cursor.byte == .quote {
            let isWanted = cursor.skipName(name)
            cursor.skipSeparator(.colon)
            if isWanted { found = cursor }
            cursor.skipValue()
            cursor.skipSeparator(.comma)
        }
        return found
    }

    /// Whether a member's name equals this one, byte by byte.
    private mutating func skipName(_ name: UnsafeRawBufferPointer) -> Bool {
        let quoted = self
        step()
        let start = place
        skipPlainText()
        guard byte == .quote else {
            self = quoted
            return takeText().utf8.elementsEqual(name)
        }
        defer { step() }
        return UnsafeRawBufferPointer(start: start, count: place - start).elementsEqual(name)
    }

    mutating func skipValue() {
        var depth = 0
        repeat {
            switch byte {
            case .quote: skipText()
            case .openBrace, .openBracket:
                depth += 1
                step()
            case .closeBrace, .closeBracket:
                depth -= 1
                step()
            default: skipNumberOrWord()
            }
            if depth > 0 { skipSeparators() }
        } while depth > 0 && !isAtEnd
    }

    private mutating func skipNumberOrWord() {
        repeat { step() } while byte > .space && byte != .comma && byte != .closeBracket && byte != .closeBrace
    }

    private mutating func skipSeparators() {
        while byte == .comma || byte == .colon || byte.isBlank { step() }
    }
}
