// Writes JSON: without spaces, members in order, and without characters that affect a terminal.

import Texts

/// The text of one JSON value, written as a whole, or part by part: for texts that are made so often that a value should not be made
/// first. Commas are its business; that each value in an object has a name before it is the caller's.
package struct JSONText: ~Copyable {
    private var bytes: JSONBytes
    /// The caller needs at most this many bytes; any bytes that follow are undefined.
    private let maxBytes: Int
    private var needsComma = false

    /// `size` is how many bytes it is likely to have.
    package init(reserving size: Int = 512) { self.init(atMost: .max / 2, reserving: size) }

    private init(atMost most: Int, reserving size: Int) {
        maxBytes = most
        bytes = JSONBytes(reserving: size)
    }

    /// Calls `body` with the value's text.
    static func withText<Result>(
        of value: JSON, atMost most: Int = .max / 2, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var text = JSONText(atMost: most, reserving: 112)
        text.write(value)
        return text.bytes.withBytes(body)
    }

    /// A string in quotes, if it needs no escapes: then a short one allocates nothing.
    static func quotedAsItIs(_ text: String) -> String? {
        let isPlain = text.utf8Span.span.withUnsafeBytes { bytes in
            guard var cursor = JSONCursor(bytes) else { return true }
            cursor.skipPrintable()
            return cursor.isAtEnd
        }
        return isPlain ? "\"" + text + "\"" : nil
    }

    package consuming func finished() -> String { bytes.withBytes { String(decoding: $0, as: UTF8.self) } }

    // MARK: Part by part

    package mutating func beginObject() { begin(.openBrace) }
    package mutating func endObject() { end(.closeBrace) }
    package mutating func beginArray() { begin(.openBracket) }
    package mutating func endArray() { end(.closeBracket) }

    private mutating func begin(_ mark: UInt8) {
        separate()
        bytes.append(mark)
        needsComma = false
    }

    private mutating func end(_ mark: UInt8) {
        bytes.append(mark)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(.comma) }
        needsComma = true
    }

    /// The value is what comes next. The name is written as it is, and so needs no escapes; all its bytes at once, since objects have many.
    package mutating func name(_ name: StaticString) {
        let (length, start) = (name.utf8CodeUnitCount, needsComma ? 1 : 0)
        bytes.append(start + length + 3) { room in
            if start > 0 { room.storeBytes(of: .comma, as: UInt8.self) }
            let quoted = room + start
            quoted.storeBytes(of: .quote, as: UInt8.self)
            (quoted + 1).copyMemory(from: name.utf8Start, byteCount: length)
            quoted.storeBytes(of: .quote, toByteOffset: length + 1, as: UInt8.self)
            quoted.storeBytes(of: .colon, toByteOffset: length + 2, as: UInt8.self)
        }
        needsComma = false
    }

    /// Text that is JSON already.
    package mutating func value(written text: String) {
        separate()
        append(written: text)
    }

    package mutating func member(_ name: StaticString, _ value: String?) {
        beginMember(name)
        if let value { quote(value) } else { append("null") }
    }

    package mutating func member(_ name: StaticString, _ value: Int?) {
        beginMember(name)
        if let value { write(value) } else { append("null") }
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        beginMember(name)
        append(value ? "true" : "false")
    }

    package mutating func member(_ name: StaticString, _ value: JSON) {
        beginMember(name)
        write(value)
    }

    private mutating func beginMember(_ name: StaticString) {
        self.name(name)
        needsComma = true
    }

    // MARK: Values

    private var isFull: Bool { bytes.count > maxBytes }

    private mutating func write(_ value: JSON) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .integer(let value): write(value)
        case .number(let value): append(written: value.isFinite ? "\(value)" : "null")
        case .string(let value): quote(value)
        case .array(let values): write(values)
        case .object(let members): write(members)
        }
    }

    private mutating func write(_ values: [JSON]) {
        bytes.append(.openBracket)
        for (index, value) in values.enumerated() where !isFull {
            if index > 0 { bytes.append(.comma) }
            write(value)
        }
        bytes.append(.closeBracket)
    }

    private mutating func write(_ members: [JSON.Member]) {
        bytes.append(.openBrace)
        for (index, member) in members.enumerated() where !isFull {
            if index > 0 { bytes.append(.comma) }
            quote(member.name)
            bytes.append(.colon)
            write(member.value)
        }
        bytes.append(.closeBrace)
    }

    private mutating func write(_ value: Int) {
        if value < 0 { bytes.append(.minus) }
        var (digits, first, rest) = (InlineArray<20, UInt8>(repeating: .zero), 20, value.magnitude)
        repeat {
            first -= 1
            digits[first] = .zero + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for index in first..<20 { bytes.append(digits[index]) }
    }

    private mutating func append(_ word: StaticString) {
        bytes.append(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private mutating func append(written text: String) { text.utf8Span.span.withUnsafeBytes { bytes.append($0) } }

    // MARK: Texts

    private mutating func quote(_ text: String) {
        bytes.append(.quote)
        let wanted = max(0, maxBytes - bytes.count) + 8
        text.utf8Span.span.withUnsafeBytes { text in
            appendEscaped(text.count <= wanted ? text : UnsafeRawBufferPointer(rebasing: text.prefix(wanted)))
        }
        bytes.append(.quote)
    }

    /// Appends each run without escapes at once.
    private mutating func appendEscaped(_ text: UnsafeRawBufferPointer) {
        guard var cursor = JSONCursor(text) else { return }
        while !cursor.isAtEnd {
            let start = cursor.position
            cursor.skipPrintable()
            bytes.append(UnsafeRawBufferPointer(start: start, count: cursor.position - start))
            if !cursor.isAtEnd { appendEscape(cursor.takeScalar()) }
        }
    }

    private mutating func appendEscape(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append("\\\"")
        case "\\": append("\\\\")
        case "\n": append("\\n")
        case "\r": append("\\r")
        case "\t": append("\\t")
        default:
            append("\\u")
            for shift in [12, 8, 4, 0] { bytes.append(Self.hexadecimal(scalar.value >> UInt32(shift) & 0xF)) }
        }
    }

    private static func hexadecimal(_ digit: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: digit) + (digit < 10 ? .zero : UInt8(ascii: "a") - 10)
    }
}

extension JSONCursor {
    /// Moves to the next character that must be escaped, or to the end.
    fileprivate mutating func skipPrintable() {
        while true {
            skipPrintableASCII()
            guard !isAtEnd, byte >= 0x80 else { return }
            var next = self
            guard !next.takeScalar().isUnprintable else { return }
            self = next
        }
    }

    /// The current character of a valid UTF-8 text.
    fileprivate mutating func takeScalar() -> Unicode.Scalar {
        let first = UInt32(byte)
        step()
        guard first >= 0xC0 else { return Unicode.Scalar(UInt8(first)) }
        let more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
        var value = first & (0x3F >> UInt32(more))
        for _ in 0..<more {
            value = value << 6 | UInt32(byte) & 0x3F
            step()
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}
