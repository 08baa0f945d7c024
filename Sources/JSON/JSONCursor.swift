// A position in JSON bytes, and the steps that all its readers share.

/// Valid as long as the bytes stay in place.
struct JSONCursor {
    var position: UnsafeRawPointer
    let end: UnsafeRawPointer

    /// At the start of the bytes; there must be at least one.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
        position = start
        end = start + bytes.count
    }

    var isAtEnd: Bool { position >= end }
    var left: Int { end - position }
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: position, count: left) }

    /// The current byte; zero at the end. JSON has no unescaped zero.
    var byte: UInt8 { isAtEnd ? 0 : position.load(as: UInt8.self) }

    mutating func step(_ count: Int = 1) { position += count }

    mutating func consume(_ wanted: UInt8) -> Bool {
        guard byte == wanted else { return false }
        step()
        return true
    }

    mutating func skipBlanks() {
        // Usually there is no blank, and nearly every other byte is greater.
        if byte <= .space { skipSomeBlanks() }
    }

    private mutating func skipSomeBlanks() {
        while true {
            while left >= 8, eight == EightBytes.spaces { step(8) }
            guard byte.isBlank else { return }
            step()
        }
    }

    /// Moves to the next quote, backslash or control character, or to the end.
    mutating func skipPlainText() {
        while left >= 8 {
            let special = EightBytes.special(eight)
            guard special == 0 else { return step(special.trailingZeroBitCount >> 3) }
            step(8)
        }
        while !isAtEnd, !byte.isSpecialInText { step() }
    }

    /// Moves to the next byte that is not ASCII or must be escaped.
    mutating func skipPrintableASCII() {
        while left >= 8 {
            let other = EightBytes.unprintable(eight)
            guard other == 0 else { return step(other.trailingZeroBitCount >> 3) }
            step(8)
        }
        while !isAtEnd, byte < 0x7F, !byte.isSpecialInText { step() }
    }

    /// Moves from a scanned string's opening quote past its closing one.
    mutating func skipText() {
        step()
        while true {
            skipPlainText()
            guard consume(.backslash) else { break }
            step()
        }
        step()
    }

    mutating func consume(word: StaticString) -> Bool {
        guard left >= word.utf8CodeUnitCount else { return false }
        for offset in 0..<word.utf8CodeUnitCount
        where position.load(fromByteOffset: offset, as: UInt8.self) != word.utf8Start[offset] { return false }
        step(word.utf8CodeUnitCount)
        return true
    }

    private var eight: UInt64 { UInt64(littleEndian: position.loadUnaligned(as: UInt64.self)) }
}

/// Eight bytes in one number.
private enum EightBytes {
    static let spaces: UInt64 = 0x2020_2020_2020_2020
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// The top bit of each byte that ends a run of plain text. Bits above the lowest one set may be wrong.
    static func special(_ bytes: UInt64) -> UInt64 {
        let (quotes, backslashes) = (bytes ^ 0x2222_2222_2222_2222, bytes ^ 0x5C5C_5C5C_5C5C_5C5C)
        let controls = (bytes &- spaces) & ~bytes
        return (controls | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & tops
    }

    /// The same, and of each byte that is not ASCII or is DEL.
    static func unprintable(_ bytes: UInt64) -> UInt64 {
        special(bytes) | (bytes | (bytes & ~tops) &+ ones) & tops
    }
}

extension UInt8 {
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let minus = UInt8(ascii: "-")
    static let zero = UInt8(ascii: "0")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")

    var isBlank: Bool { self == .space || self == 0x0A || self == 0x0D || self == 0x09 }
    var isDigit: Bool { self &- .zero < 10 }
    var isExponentSign: Bool { self | 0x20 == UInt8(ascii: "e") }
    var isSpecialInText: Bool { self < 0x20 || self == .quote || self == .backslash }

    /// Whether it can occur in a number.
    var isPartOfNumber: Bool {
        switch self {
        case .zero...UInt8(ascii: "9"), .minus, UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
        default: false
        }
    }

    /// Its value as a hexadecimal digit.
    var hexadecimalValue: UInt32? {
        switch self {
        case .zero...UInt8(ascii: "9"): UInt32(self - .zero)
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32((self | 0x20) - 0x57)
        default: nil
        }
    }
}

// MARK: - Scanned JSON without the blanks between its tokens

extension JSONCursor {
    /// All of it, or as much as first exceeds `most` bytes.
    func compacted(atMost most: Int) -> [UInt8] {
        var (cursor, bytes) = (self, [UInt8]())
        bytes.reserveCapacity(Swift.min(left, most + 8))
        cursor.skipBlanks()
        while !cursor.isAtEnd, bytes.count <= most {
            let start = cursor.position
            cursor.skipToBlank(atMost: most + 1 - bytes.count)
            let length = Swift.min(cursor.position - start, most + 1 - bytes.count)
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: length))
            cursor.skipBlanks()
        }
        return bytes
    }

    /// Whether it has a blank outside of strings.
    var hasBlank: Bool {
        var cursor = self
        cursor.skipToBlank(atMost: left)
        return !cursor.isAtEnd
    }

    private mutating func skipToBlank(atMost most: Int) {
        let last = position + most
        while !isAtEnd, position < last, !byte.isBlank {
            if byte == .quote { skipText() } else { step() }
        }
    }

    // MARK: Finds a member of an object in scanned JSON, and skips everything else

    /// Where a field's value begins: the last member of that name; a value that is not an object is its own only field.
    func field(_ name: UnsafeRawBufferPointer) -> JSONCursor? {
        var cursor = self
        cursor.skipBlanks()
        return cursor.byte == .openBrace ? cursor.member(name) : cursor
    }

    /// The same, for objects only.
    func member(_ name: UnsafeRawBufferPointer) -> JSONCursor? {
        var found: JSONCursor?
        forEachMember({ $0.elementsEqual(name) ? 0 : nil }, { found = $1 })
        return found
    }

    /// The same for several names at once.
    func members(_ names: [String]) -> [JSONCursor?] {
        var found = [JSONCursor?](repeating: nil, count: names.count)
        let numbers = Self.numbersByEnds(names)
        forEachMember({ name in numbers[name.ends].first { names[$0].utf8.elementsEqual(name) } }, { found[$0] = $1 })
        return found
    }

    /// The names' numbers by a part of their bytes, so that a hundred thousand members are not each compared with a hundred names.
    private static func numbersByEnds(_ names: [String]) -> [[Int]] {
        var numbers = [[Int]](repeating: [], count: UnsafeRawBufferPointer.endsCount)
        for (number, name) in names.enumerated() { name.utf8Span.span.withUnsafeBytes { numbers[$0.ends].append(number) } }
        return numbers
    }

    /// Calls `body` with the number that `number` has for a member's name, and where the value begins. Members without a number
    /// are skipped.
    private func forEachMember(_ number: (UnsafeRawBufferPointer) -> Int?, _ body: (Int, JSONCursor) -> Void) {
        var cursor = self
        cursor.skipBlanks()
        guard cursor.consume(.openBrace) else { return }
        cursor.skipBlanks()
        while cursor.byte == .quote {
            let found = cursor.skipName(number)
            cursor.skipSeparator(.colon)
            if let found { body(found, cursor) }
            cursor.skipValue()
            cursor.skipSeparator(.comma)
        }
    }

    /// Moves past a member's name, and returns the number that `number` has for its bytes.
    private mutating func skipName(_ number: (UnsafeRawBufferPointer) -> Int?) -> Int? {
        let quoted = self
        step()
        let start = position
        skipPlainText()
        guard byte == .quote else {
            self = quoted
            let name = takeText()
            return name.utf8Span.span.withUnsafeBytes { number($0) }
        }
        defer { step() }
        return number(UnsafeRawBufferPointer(start: start, count: position - start))
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
            // A number or a word.
            default: repeat { step() } while byte > .space && byte != .comma && byte != .closeBracket && byte != .closeBrace
            }
            if depth > 0 { while byte == .comma || byte == .colon || byte.isBlank { step() } }
        } while depth > 0 && !isAtEnd
    }
}

extension UnsafeRawBufferPointer {
    fileprivate static var endsCount: Int { 64 }

    /// A number below `endsCount` from the length and the first and last bytes.
    fileprivate var ends: Int {
        guard let first, let last else { return 0 }
        return (Int(first) &* 7 &+ Int(last) &* 31 &+ count) & (Self.endsCount - 1)
    }
}
