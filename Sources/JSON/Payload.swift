// An event's payload, parsed lazily: a flow that wants one number out of a megabyte of JSON costs one scan.

/// JSON that is known to be well-formed. Only the requested parts become nodes.
public struct Payload: Sendable {
    private enum Content {
        /// A value from typed code.
        case value(JSON)
        /// A bare word, which stands for a string.
        case word(String)
        /// Scanned text.
        case scanned(String)
    }

    private let content: Content

    public init(_ json: JSON) {
        content = .value(json)
    }

    /// A client's payload: JSON, perhaps with white space around it, or a bare word, which stands for a string.
    public init(text: String) throws(JSONError) {
        content = try text.utf8Span.span.withUnsafeBytes { bytes throws(JSONError) in
            let value = bytes.withoutBlanks
            guard try bytes.isJSON(value) else { return .word(text) }
            return .scanned(value.count == bytes.count ? text : value.scannedText)
        }
    }

    /// The same, from borrowed bytes.
    public init(bytes: UnsafeRawBufferPointer) throws(JSONError) {
        try self.init(bytes: bytes, within: .stored)
    }

    /// The same within other bounds.
    package init(bytes: UnsafeRawBufferPointer, within bounds: JSONBounds) throws(JSONError) {
        try JSONError.checkUTF8(bytes)
        let value = bytes.withoutBlanks
        content = try bytes.isJSON(value, within: bounds) ? .scanned(value.scannedText) : .word(bytes.scannedText)
    }

    private init(word: String) {
        content = .word(word)
    }

    // MARK: Reading

    /// All of it. For one field, `field` is cheaper.
    public var json: JSON {
        switch content {
        case .value(let json): json
        case .word(let word): .string(word)
        case .scanned(let text): text.utf8Span.span.withUnsafeBytes { JSON(scanned: $0) }
        }
    }

    /// An object's field, the last one of a repeated name; a value that is not an object is its own only field.
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

    public func integer(_ field: String) -> Int? { beginning(ofField: field)?.integer }
    public func double(_ field: String) -> Double? { beginning(ofField: field)?.double }
    public func text(_ field: String) -> String? { beginning(ofField: field)?.text }
    public func boolean(_ field: String) -> Bool? { beginning(ofField: field)?.boolean }

    // MARK: Parts: an array or an object in place of a plain value is not built as a whole

    /// A field; of an array or an object, perhaps only the beginning.
    package func beginning(ofField name: String) -> JSON? {
        guard case .scanned(let text) = content else { return field(name) }
        return text.lookUp(name) { cursor, name in cursor.field(name).map { JSONBuilder.beginning(at: $0) } }
    }

    /// An object with the beginnings of these members; of another value, its own beginning.
    package func beginnings(of names: [String]) -> JSON {
        guard case .scanned(let text) = content else { return json.part(names) }
        return text.part(names) { JSONBuilder.beginning(at: $0) }
    }

    /// An object with these members; all of the payload if `names` is nil, or if it is no object. Nil if that is more than
    /// `JSON.maxBuilt` values.
    package func part(_ names: [String]?) -> JSON? {
        guard case .scanned(let text) = content else { return json.part(names) }
        var left = JSON.maxBuilt
        let part = text.part(names) { JSONBuilder.value(at: $0, within: &left) }
        return left < 0 ? nil : part
    }

    /// Whether it came as a value, and not as text.
    package var isBuilt: Bool { if case .value = content { true } else { false } }

    package var isObject: Bool {
        switch content {
        case .value(.object): true
        case .value, .word: false
        case .scanned(let text): text.utf8.first == UInt8.openBrace
        }
    }

    /// Whether it is `{}`, which carries as little as no payload: clients send it where their library wants an object.
    package var isEmptyObject: Bool {
        switch content {
        case .value(let json): json == .object([])
        case .word: false
        case .scanned(let text):
            text.utf8.first == UInt8.openBrace && text.utf8.dropFirst().first { !$0.isBlank } == UInt8.closeBrace
        }
    }

    /// The payload of an event that carries one text: the characters of a number, `true` or `false` that a client has sent alone.
    /// Nil for all other payloads.
    @usableFromInline package var asText: Payload? {
        switch content {
        case .word, .value(.string), .value(.null), .value(.array), .value(.object): return nil
        case .value(let json): return Payload(word: "\(json)")
        case .scanned(let text):
            guard let first = text.utf8.first, first != .openBrace, first != .openBracket, first != .quote, text != "null"
            else { return nil }
            return Payload(word: text)
        }
    }

    // MARK: Keeping

    /// The bytes that it holds, as far as known without encoding it.
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

    /// The text for the history: all of it without blanks or, if that is too long, its beginning and a mark, with which it is no longer
    /// JSON.
    public var kept: String {
        switch content {
        case .value(let json): json.kept
        case .word(let word): Self.kept(word: word)
        case .scanned(let text): Self.kept(text)
        }
    }

    private static func kept(word: String) -> String {
        if word.utf8.count < JSON.maxKept - 2, let quoted = JSONText.quotedAsItIs(word) { return quoted }
        return JSONText.withText(of: .string(word), atMost: JSON.maxKept, JSON.kept)
    }

    private static func kept(_ text: String) -> String {
        let compacted: [UInt8]? = text.utf8Span.span.withUnsafeBytes { bytes in
            guard let cursor = JSONCursor(bytes) else { return nil }
            if bytes.count <= JSON.maxKept, !cursor.hasBlank { return nil }
            return cursor.compacted(atMost: JSON.maxKept)
        }
        return compacted?.withUnsafeBytes(JSON.kept) ?? text
    }
}

extension JSON {
    /// An object with these members alone; any other value itself.
    fileprivate func part(_ names: [String]?) -> JSON {
        guard let names, case .object(let members) = self, members.contains(where: { !names.contains($0.name) }) else {
            return self
        }
        return .object(members.filter { names.contains($0.name) })
    }
}

extension String {
    /// Finds something by name in scanned JSON.
    fileprivate func lookUp(_ name: String, _ body: (JSONCursor, UnsafeRawBufferPointer) -> JSON?) -> JSON? {
        utf8Span.span.withUnsafeBytes { bytes in
            guard let cursor = JSONCursor(bytes) else { return nil }
            return name.utf8Span.span.withUnsafeBytes { body(cursor, $0) }
        }
    }

    /// An object with these members of scanned JSON, each made by `build`. If `names` is nil, or the text no object, all of it.
    fileprivate func part(_ names: [String]?, _ build: (JSONCursor) -> JSON) -> JSON {
        utf8Span.span.withUnsafeBytes { bytes -> JSON in
            guard let cursor = JSONCursor(bytes) else { return .null }
            guard let names, cursor.byte == .openBrace else { return build(cursor) }
            var members: [JSON.Member] = []
            for (name, value) in zip(names, cursor.members(names)) {
                if let value { members.append(JSON.Member(name, build(value))) }
            }
            return .object(members)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes between white space at both ends, which is nearly never present.
    fileprivate var withoutBlanks: UnsafeRawBufferPointer {
        guard let head = first, let tail = last, head.isBlank || tail.isBlank else { return self }
        guard let start = firstIndex(where: { !$0.isBlank }), let end = lastIndex(where: { !$0.isBlank }) else { return self }
        return UnsafeRawBufferPointer(rebasing: self[start...end])
    }

    fileprivate var scannedText: String { baseAddress.map { String(scanned: $0, to: $0 + count) } ?? "" }

    /// Whether it is JSON and no bare word; throws if it is neither. `value` is the same without blanks at its ends.
    fileprivate func isJSON(_ value: UnsafeRawBufferPointer, within bounds: JSONBounds = .stored) throws(JSONError) -> Bool {
        guard !value.isBareWord else { return false }
        do throws(JSONError) {
            try JSONScanner.check(self, within: bounds)
            return true
        } catch {
            // `007` and `12-34` are no numbers, and begin like no other value.
            guard value.first?.isPartOfNumber == true else { throw error }
            return false
        }
    }

    /// Whether it is certainly a bare word: it begins like no JSON value, and is not `true`, `false` or `null`.
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
        return (cursor.consume(word: "true") || cursor.consume(word: "false") || cursor.consume(word: "null")) && cursor.isAtEnd
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
