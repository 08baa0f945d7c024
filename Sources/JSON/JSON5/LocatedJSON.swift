// JSON with the place of each name and value in its text: what files are checked with, so that errors can say where.

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

        package init(name: String, offset: Int, value: LocatedJSON) {
            self.name = name
            self.offset = offset
            self.value = value
        }
    }

    package let content: Content
    /// The byte where it begins; of a text, its quote.
    package let offset: Int

    package init(_ content: Content, at offset: Int) {
        self.content = content
        self.offset = offset
    }
}

extension LocatedJSON {
    /// The same without places.
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
