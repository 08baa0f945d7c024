// An XML reader that only checks well-formedness: closed elements, quoted attributes, escaped characters.

struct XMLCheck {
    struct Element: Equatable {
        let name: String
        let attributes: [String: String]
    }

    private var rest: Substring
    private(set) var elements: [Element] = []
    private var open: [String] = []
    /// The fault; nil if there is none.
    private(set) var fault: String?

    init(_ text: String) {
        rest = Substring(text)
        if text.unicodeScalars.contains(where: { !Self.isAllowed($0) }) { fault = "a character that XML has not" }
        while fault == nil, !rest.isEmpty { readPiece() }
        if fault == nil, !open.isEmpty { fault = "\(open) is not closed" }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9, 10, 13, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    private mutating func readPiece() {
        let text = rest.prefix { $0 != "<" }
        checkReferences(text)
        rest = rest.dropFirst(text.count)
        guard rest.first == "<" else { return }
        var (tag, isQuoted) = ("", false)
        for character in rest.dropFirst() {
            if character == ">", !isQuoted { break }
            if character == "\"" { isQuoted.toggle() }
            tag.append(character)
        }
        rest = rest.dropFirst(tag.count + 2)
        readTag(tag)
    }

    private mutating func readTag(_ tag: String) {
        if tag.hasPrefix("/") {
            if open.popLast() != String(tag.dropFirst()) { fault = "</\(tag) closes something else" }
            return
        }
        let isEmpty = tag.hasSuffix("/")
        let body = isEmpty ? String(tag.dropLast()) : tag
        let name = String(body.prefix { $0.isLetter })
        guard !name.isEmpty else { return fault = "<\(tag) is no element" }
        guard let attributes = attributes(body.dropFirst(name.count)) else { return fault = "the attributes of <\(tag)" }
        elements.append(Element(name: name, attributes: attributes))
        if !isEmpty { open.append(name) }
    }

    private mutating func attributes(_ text: Substring) -> [String: String]? {
        var (found, rest) = ([String: String](), text)
        while !rest.isEmpty {
            guard rest.first == " " else { return nil }
            let name = String(rest.dropFirst().prefix { $0 != "=" })
            rest = rest.dropFirst(name.count + 2)
            guard rest.first == "\"", !name.isEmpty, found[name] == nil else { return nil }
            let value = rest.dropFirst().prefix { $0 != "\"" }
            rest = rest.dropFirst(value.count + 2)
            if value.contains("<") { return nil }
            checkReferences(value)
            found[name] = String(value)
        }
        return found
    }

    private mutating func checkReferences(_ text: Substring) {
        for part in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
            if !["amp;", "lt;", "gt;", "quot;"].contains(where: part.hasPrefix) {
                fault = "an & that is not written out: \(part)"
            }
        }
    }
}
