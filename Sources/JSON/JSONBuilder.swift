// Builds nodes from scanned JSON, which is known to be valid. Each byte is read once.

struct JSONBuilder: ~Copyable {
    private var cursor: JSONCursor
    /// How many more values are built; negative once there are more.
    private var left: Int
    // The finished elements of open values.
    private var values = JSONStack<JSON>()
    private var members = JSONStack<JSON.Member>()

    /// Builds the value at the cursor.
    static func value(at cursor: JSONCursor) -> JSON {
        var left = Int.max
        return value(at: cursor, within: &left)
    }

    /// Builds at most 64 values of an array or an object: enough to refuse it and to quote it.
    static func beginning(at cursor: JSONCursor) -> JSON {
        var left = 64
        return value(at: cursor, within: &left)
    }

    /// Builds at most about `left` values, and subtracts them. The value is not complete if `left` is negative then.
    static func value(at cursor: JSONCursor, within left: inout Int) -> JSON {
        var builder = JSONBuilder(cursor: cursor, left: left)
        let value = builder.value()
        left = builder.left
        return value
    }

    private init(cursor: JSONCursor, left: Int) {
        self.cursor = cursor
        self.left = left
    }

    private mutating func value() -> JSON {
        cursor.skipBlanks()
        left &-= 1
        switch cursor.byte {
        case .openBrace: return object()
        case .openBracket: return array()
        case .quote: return .string(cursor.takeText())
        case UInt8(ascii: "t"): return word(.bool(true), 4)
        case UInt8(ascii: "f"): return word(.bool(false), 5)
        case UInt8(ascii: "n"): return word(.null, 4)
        default: return number()
        }
    }

    private mutating func word(_ value: JSON, _ length: Int) -> JSON {
        cursor.step(length)
        return value
    }

    private mutating func number() -> JSON {
        let number = JSONNumber(&cursor)
        if let integer = number.integer { return .integer(integer) }
        return .number(number.double(endingAt: cursor.position))
    }

    private mutating func array() -> JSON {
        let (mark, start) = (values.count, cursor.position)
        var earlier: [JSON] = []
        cursor.step()
        cursor.skipBlanks()
        while left >= 0, !cursor.consume(.closeBracket), !cursor.isAtEnd {
            values.push(value())
            cursor.skipSeparator(.comma)
            if values.isFull(above: mark) { values.spill(to: mark, into: &earlier, cursor.left / (cursor.position - start)) }
        }
        return .array(values.pop(to: mark, behind: earlier))
    }

    private mutating func object() -> JSON {
        let (mark, start) = (members.count, cursor.position)
        var earlier: [JSON.Member] = []
        cursor.step()
        cursor.skipBlanks()
        while left >= 0, !cursor.consume(.closeBrace), !cursor.isAtEnd {
            let name = cursor.takeText()
            cursor.skipSeparator(.colon)
            members.push(JSON.Member(name, value()))
            cursor.skipSeparator(.comma)
            if members.isFull(above: mark) { members.spill(to: mark, into: &earlier, cursor.left / (cursor.position - start)) }
        }
        return .object(members.pop(to: mark, behind: earlier))
    }
}

extension JSONCursor {
    /// Also consumes the blanks around it.
    mutating func skipSeparator(_ byte: UInt8) {
        skipBlanks()
        if consume(byte) { skipBlanks() }
    }

    /// A string in quotes, copied at once if it has no escapes.
    mutating func takeText() -> String {
        step()
        let start = position
        skipPlainText()
        guard byte == .quote else { return takeEscapedText(from: start) }
        defer { step() }
        return String(scanned: start, to: position)
    }

    private mutating func takeEscapedText(from start: UnsafeRawPointer) -> String {
        var bytes = Array(UnsafeRawBufferPointer(start: start, count: position - start))
        while byte == .backslash {
            step()
            takeEscape(into: &bytes)
            let run = position
            skipPlainText()
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: run, count: position - run))
        }
        step()
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func takeEscape(into bytes: inout [UInt8]) {
        let letter = byte
        step()
        if let byte = letter.unescaped { return bytes.append(byte) }
        guard let scalar = takeCharacter() else { return }
        bytes.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
    }

    private mutating func takeCharacter() -> Unicode.Scalar? {
        guard var value = fourHexadecimalDigits else { return nil }
        step(4)
        if 0xD800..<0xDC00 ~= value, consume(word: "\\u"), let low = fourHexadecimalDigits {
            step(4)
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        return Unicode.Scalar(value)
    }
}

extension String {
    /// The bytes must be valid UTF-8.
    init(scanned start: UnsafeRawPointer, to end: UnsafeRawPointer) {
        let bytes = UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: end - start)
        self.init(copying: UTF8Span(unchecked: bytes.span))
    }
}

// MARK: - Elements of arrays that are still open.

/// Most arrays are made once complete, with exactly the room that they need. The elements of a long array are moved in parts, since
/// touching fresh memory costs more than the moves.
struct JSONStack<Element>: ~Copyable {
    private static var many: Int { 512 }
    private static var maxExpected: Int { 8 }
    /// Above this, a bulk move is faster than single ones.
    private static var few: Int { 16 }

    private(set) var count = 0
    private var capacity = 0
    private var elements: UnsafeMutablePointer<Element>?

    deinit {
        elements?.deinitialize(count: count)
        elements?.deallocate()
    }

    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        elements.unsafelyUnwrapped.advanced(by: count).initialize(to: element)
        count &+= 1
    }

    /// Whether enough elements have come since `mark` to move them to their array.
    func isFull(above mark: Int) -> Bool { count &- mark >= Self.many }

    /// Moves them there. Going by the input so far, at most `times` as many are still expected: much of that may be no element.
    mutating func spill(to mark: Int, into array: inout [Element], _ times: Int = 0) {
        guard let first = elements?.advanced(by: mark) else { return }
        if array.isEmpty { array.reserveCapacity((count - mark) * (min(times, Self.maxExpected) + 1)) }
        for offset in 0..<count - mark { array.append((first + offset).move()) }
        count = mark
    }

    /// The elements since `mark`, after those already moved.
    mutating func pop(to mark: Int, behind earlier: consuming [Element]) -> [Element] {
        let length = count &- mark
        guard length > 0, let first = elements?.advanced(by: mark), earlier.isEmpty else {
            spill(to: mark, into: &earlier)
            return earlier
        }
        count = mark
        // The standard library makes an array from a literal in half the time, and a filled one in twice the time.
        if length == 1 { return [first.move()] }
        return length <= Self.few ? Self.moved(few: length, first) : Self.moved(many: length, first)
    }

    private static func moved(few length: Int, _ first: UnsafeMutablePointer<Element>) -> [Element] {
        var taken: [Element] = []
        taken.reserveCapacity(length)
        for offset in 0..<length { taken.append((first + offset).move()) }
        return taken
    }

    private static func moved(many length: Int, _ first: UnsafeMutablePointer<Element>) -> [Element] {
        Array(unsafeUninitializedCapacity: length) { buffer, initialized in
            buffer.baseAddress.unsafelyUnwrapped.moveInitialize(from: first, count: length)
            initialized = length
        }
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(16, capacity * 2))
        if let elements {
            larger.moveInitialize(from: elements, count: count)
            elements.deallocate()
        }
        (elements, capacity) = (larger, max(16, capacity * 2))
    }
}
