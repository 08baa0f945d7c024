// Reads JSON5 in one pass. A recoverable problem is recorded and reading goes on, so that several problems are reported at once.

import Texts

struct JSON5Reader {
    /// After this many problems the text is not JSON5.
    private static let maxProblems = 20

    let bytes: [UInt8]
    let positions: TextPositions
    var position: Int
    private(set) var problems: [JSONError] = []
    private var depth = 0

    init(_ bytes: [UInt8], _ positions: TextPositions, at position: Int = 0) {
        self.bytes = bytes
        self.positions = positions
        self.position = position
    }

    mutating func document() -> LocatedJSON? {
        do throws(JSONError) {
            let root = try value()
            try skipBlanks()
            guard isAtEnd else { throw JSONError(at: position, "the value ends before \(shown), and nothing may follow it") }
            return root
        } catch {
            problems.append(error)
            return nil
        }
    }

    // MARK: Steps

    var isAtEnd: Bool { position >= bytes.count }
    /// The current byte; zero at the end.
    var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }
    func byte(after count: Int) -> UInt8 { position + count < bytes.count ? bytes[position + count] : 0 }

    mutating func consume(_ wanted: UInt8) -> Bool {
        guard !isAtEnd, bytes[position] == wanted else { return false }
        position += 1
        return true
    }

    /// The current character.
    var scalar: Unicode.Scalar? {
        guard !isAtEnd else { return nil }
        if bytes[position] < 0x80 { return Unicode.Scalar(bytes[position]) }
        return String(decoding: bytes[position..<min(position + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
    }

    /// The current character in a sentence.
    var shown: String { scalar.map { "'\(String(Character($0)).printable)'" } ?? "the end" }

    /// Records a problem that does not stop the reader.
    mutating func recordProblem(at offset: Int, _ sentence: String) throws(JSONError) {
        let problem = JSONError(at: offset, sentence)
        guard problems.count < Self.maxProblems - 1 else { throw problem }
        problems.append(problem)
    }

    // MARK: Values

    private mutating func value() throws(JSONError) -> LocatedJSON {
        try skipBlanks()
        let start = position
        switch byte {
        case .openBrace: return try nested { reader throws(JSONError) in try reader.object() }
        case .openBracket: return try nested { reader throws(JSONError) in try reader.array() }
        case .quote, .apostrophe: return LocatedJSON(try text().map { .text($0) } ?? .unreadable, at: start)
        case .zero...UInt8(ascii: "9"), .plus, .minus, .point: return LocatedJSON(try number(), at: start)
        case .comma, .colon, .closeBrace, .closeBracket:
            try recordProblem(at: start, "a value is missing before \(shown)")
            return LocatedJSON(.unreadable, at: start)
        default: return LocatedJSON(try word(), at: start)
        }
    }

    private mutating func nested(
        _ read: (inout JSON5Reader) throws(JSONError) -> LocatedJSON
    ) throws(JSONError) -> LocatedJSON {
        guard depth < JSONScanner.deepest else {
            throw JSONError(at: position, "more than \(JSONScanner.deepest) values inside each other")
        }
        depth += 1
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func array() throws(JSONError) -> LocatedJSON {
        let start = position
        var values: [LocatedJSON] = []
        position += 1
        while try !ends(with: .closeBracket, from: start) {
            values.append(try value())
            try separate(.closeBracket, from: start)
        }
        return LocatedJSON(.array(values), at: start)
    }

    private mutating func object() throws(JSONError) -> LocatedJSON {
        let start = position
        var members: [LocatedJSON.Member] = []
        /// Where each name was first.
        var offsets: [String: Int] = [:]
        position += 1
        while try !ends(with: .closeBrace, from: start) {
            let offset = position
            let name = try self.name()
            try colon(after: name)
            let member = LocatedJSON.Member(name: name ?? "", offset: offset, value: try value())
            try separate(.closeBrace, from: start)
            guard let name else { continue }
            if let first = offsets[name] {
                let line = positions[first].line
                try recordProblem(
                    at: offset, "'\(name.shortened.printable)' is there twice in one object; the first one is in line \(line)")
            } else {
                offsets[name] = offset
                members.append(member)
            }
        }
        return LocatedJSON(.object(members), at: start)
    }

    /// Whether the object or array ends here; `start` is where it begins.
    private mutating func ends(with bracket: UInt8, from start: Int) throws(JSONError) -> Bool {
        try skipBlanks()
        while byte == .comma {
            try recordProblem(at: position, "there is a ',' too many")
            position += 1
            try skipBlanks()
        }
        guard !isAtEnd else { throw unclosed(start, bracket) }
        return consume(bracket)
    }

    /// The comma behind a member or an element, which the last one does not need.
    private mutating func separate(_ bracket: UInt8, from start: Int) throws(JSONError) {
        try skipBlanks()
        guard !consume(.comma), byte != bracket else { return }
        guard !isAtEnd else { throw unclosed(start, bracket) }
        let isOther = byte == .closeBrace || byte == .closeBracket
        guard !isOther, byte != .colon else {
            throw JSONError(at: position, "\(shown) is not expected here; \(missing(bracket, start))")
        }
        try recordProblem(at: position, "a ',' is missing before \(shown)")
    }

    private func unclosed(_ start: Int, _ bracket: UInt8) -> JSONError {
        JSONError(at: bytes.count, "the text ends here; \(missing(bracket, start))")
    }

    private func missing(_ bracket: UInt8, _ start: Int) -> String {
        let position = positions[start]
        let (open, close) = bracket == .closeBrace ? ("{", "}") : ("[", "]")
        return "the '\(open)' of line \(position.line), column \(position.column) has no '\(close)'"
    }

    // MARK: Names

    /// A member's name; nil for one that could not be read.
    private mutating func name() throws(JSONError) -> String? {
        if byte == .quote || byte == .apostrophe { return try text() }
        guard try !skipTypographicText() else { return nil }
        let start = position
        skipBareName()
        guard position > start else { throw JSONError(at: position, "a member's name is missing before \(shown)") }
        let raw = String(decoding: bytes[start..<position], as: UTF8.self)
        if let name = Self.identifier(raw) { return name }
        try recordProblem(at: start, "the name \(raw.shortened.printable) needs quotes: \"\(raw.shortened.printable)\"")
        return raw
    }

    private mutating func colon(after name: String?) throws(JSONError) {
        try skipBlanks()
        guard !consume(.colon) else { return }
        let sentence = "a ':' is missing" + (name.map { " after '\($0.shortened.printable)'" } ?? "")
        guard byte == .quote || byte == .apostrophe || byte == .openBrace || byte == .openBracket else {
            throw JSONError(at: position, sentence)
        }
        try recordProblem(at: position, sentence)
    }

    /// `true`, `false`, `null`; anything else is a text without quotes.
    private mutating func word() throws(JSONError) -> LocatedJSON.Content {
        guard try !skipTypographicText() else { return .unreadable }
        let start = position
        skipBareName()
        guard position > start else {
            throw JSONError(at: position, isAtEnd ? "the text ends where a value should be" : "\(shown) is no value")
        }
        guard try !skipUnquotedText(from: start) else { return .unreadable }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "Infinity", "NaN": try recordProblem(at: start, "\(word) is no number here; write one that is finite")
        default:
            let shown = word.shortened.printable
            try recordProblem(at: start, "\(shown) is no value; a text needs quotes: \"\(shown)\"")
        }
        return .unreadable
    }
}

extension UInt8 {
    static let apostrophe = UInt8(ascii: "'")
    static let plus = UInt8(ascii: "+")
    static let point = UInt8(ascii: ".")
    static let slash = UInt8(ascii: "/")
    static let star = UInt8(ascii: "*")
    static let numberSign = UInt8(ascii: "#")

    /// Whether it follows the sign of a comment of other languages, and not that of a length in an expression without quotes.
    var beginsCommentText: Bool { isBlank || self == .numberSign }
}

// MARK: - JSON with the position of each name and value in its text: what files are checked with, so that errors can say where.

package struct LocatedJSON: Sendable {
    package indirect enum Content: Sendable {
        case null
        case bool(Bool)
        case integer(Int)
        case number(Double)
        case text(String)
        case array([LocatedJSON])
        /// In the order of the text. A name that is there twice is among the document's problems, and only its first member here.
        case object([Member])
        /// A value that could not be read; the reason is among the document's problems.
        case unreadable
    }

    package struct Member: Sendable {
        package let name: String
        /// Where the name begins, its quote included.
        package let offset: Int
        package let value: LocatedJSON
    }

    package let content: Content
    /// The byte where it begins; of a text, its quote.
    package let offset: Int

    package init(_ content: Content, at offset: Int) {
        self.content = content
        self.offset = offset
    }

    /// The same without positions.
    package var json: JSON {
        switch content {
        case .null, .unreadable: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .number(let value): .number(value)
        case .text(let value): .string(value)
        case .array(let values): .array(values.map(\.json))
        case .object(let members): .object(members.map { JSON.Member($0.name, $0.value.json) })
        }
    }

    package var text: String? {
        if case .text(let value) = content { value } else { nil }
    }

    package var members: [Member]? {
        if case .object(let members) = content { members } else { nil }
    }

    package var isUnreadable: Bool {
        if case .unreadable = content { true } else { false }
    }
}
