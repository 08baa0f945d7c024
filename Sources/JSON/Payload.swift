// What came with an event, before anybody has asked what is in it: a megabyte of JSON of which a flow wants one number costs no more
// than to look through it.

/// JSON that is known to be well-formed. Nodes are made of what is asked for, and of no more.
public struct Payload: Sendable {
    private enum Content {
        /// What typed code gave.
        case value(JSON)
        /// A bare word, which stands for a text.
        case word(String)
        /// Text that has been scanned.
        case scanned(String)
    }

    private let content: Content

    public init(_ json: JSON) {
        content = .value(json)
    }

    /// What a client sent: JSON, or a bare word for a text.
    public init(text: String) throws(JSONError) {
        content = try text.utf8Span.span.withUnsafeBytes { bytes throws(JSONError) in
            guard !bytes.isBareWord else { return .word(text) }
            try JSONScanner.check(bytes)
            return .scanned(text)
        }
    }

    /// The same, as bytes that lie elsewhere.
    public init(bytes: UnsafeRawBufferPointer) throws(JSONError) {
        try JSONError.checkUTF8(bytes)
        let isBare = bytes.isBareWord
        if !isBare { try JSONScanner.check(bytes) }
        let text = bytes.baseAddress.map { String(scanned: $0, to: $0 + bytes.count) } ?? ""
        content = isBare ? .word(text) : .scanned(text)
    }

    // MARK: Reading

    /// All of it. Whoever wants one field asks for that.
    public var json: JSON {
        switch content {
        case .value(let json): json
        case .word(let word): .string(word)
        case .scanned(let text): text.utf8Span.span.withUnsafeBytes { JSON(scanned: $0) }
        }
    }

    /// A field of an object, of a repeated name the last; a value that is no object stands for its one field.
    public func field(_ name: String) -> JSON? {
        switch content {
        case .value(let json): json.field(name)
        case .word(let word): .string(word)
        case .scanned(let text): text.lookUp(name) { cursor, name in cursor.field(name).map { JSONBuilder.value(at: $0) } }
        }
    }

    /// A member of an object.
    public subscript(name: String) -> JSON? {
        switch content {
        case .value(let json): json[name]
        case .word: nil
        case .scanned(let text): text.lookUp(name) { cursor, name in cursor.member(name).map { JSONBuilder.value(at: $0) } }
        }
    }

    // A field that is meant to be one thing and is a million others is not looked at.

    public func integer(_ field: String) -> Int? { simple(field)?.integer }
    public func double(_ field: String) -> Double? { simple(field)?.double }
    public func text(_ field: String) -> String? { simple(field)?.text }
    public func boolean(_ field: String) -> Bool? { simple(field)?.boolean }

    /// A field that has no values in it.
    private func simple(_ name: String) -> JSON? {
        guard case .scanned(let text) = content else { return field(name) }
        return text.lookUp(name) { cursor, name in
            guard let value = cursor.field(name), value.byte != .openBrace, value.byte != .openBracket else { return nil }
            return JSONBuilder.value(at: value)
        }
    }

    // MARK: Keeping

    /// How many bytes it holds, as far as that is known without writing it out.
    package var size: Int {
        switch content {
        case .value: 0
        case .word(let text), .scanned(let text): text.utf8.count
        }
    }

    /// JSON that reads back as the same value.
    public var text: String {
        switch content {
        case .value(let json): json.description
        case .word(let word): JSON.string(word).description
        case .scanned(let text): text
        }
    }

    /// What the history keeps: all of it without blanks or, if that is too long, its beginning and a mark that makes it no JSON any
    /// more.
    public var kept: String {
        switch content {
        case .value(let json): json.kept
        case .word(let word): Self.kept(word: word)
        case .scanned(let text): Self.kept(text)
        }
    }

    private static func kept(word: String) -> String {
        if word.utf8.count < JSON.mostKept - 2, let quoted = JSONWriter.quotedAsItIs(word) { return quoted }
        return JSON.kept(JSONWriter.bytes(quoting: word, atMost: JSON.mostKept))
    }

    private static func kept(_ text: String) -> String {
        let compacted: [UInt8]? = text.utf8Span.span.withUnsafeBytes { bytes in
            guard let cursor = JSONCursor(bytes) else { return nil }
            if bytes.count <= JSON.mostKept, !cursor.hasBlank { return nil }
            return cursor.compacted(atMost: JSON.mostKept)
        }
        return compacted.map(JSON.kept) ?? text
    }
}

extension String {
    /// Finds something by a name in JSON that has been scanned.
    fileprivate func lookUp(_ name: String, _ body: (JSONCursor, UnsafeRawBufferPointer) -> JSON?) -> JSON? {
        utf8Span.span.withUnsafeBytes { bytes in
            guard let cursor = JSONCursor(bytes) else { return nil }
            return name.utf8Span.span.withUnsafeBytes { body(cursor, $0) }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether it can be nothing else in JSON: it begins like no value, and is no `true`, `false` or `null`.
    fileprivate var isBareWord: Bool {
        guard let first else { return true }
        switch first {
        case .openBrace, .openBracket, .quote: return false
        // A MAC address and a date begin with a digit too.
        case .minus, .zero...UInt8(ascii: "9"): return !allSatisfy(\.isPartOfNumber)
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return !isWord
        default: return true
        }
    }

    private var isWord: Bool {
        guard var cursor = JSONCursor(self) else { return false }
        return (cursor.take(word: "true") || cursor.take(word: "false") || cursor.take(word: "null")) && cursor.isAtEnd
    }
}

extension Payload: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    public init(stringLiteral value: String) { self.init(.string(value)) }
    public init(integerLiteral value: Int) { self.init(.integer(value)) }
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
    public init(dictionaryLiteral elements: (String, JSON)...) { self.init(.object(elements.map { JSON.Member($0, $1) })) }
    public init(arrayLiteral elements: JSON...) { self.init(.array(elements)) }
}
