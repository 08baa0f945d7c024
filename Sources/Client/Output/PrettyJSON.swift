// JSON, indented for people.

import GameFlow

extension JSON {
    /// On several lines, unless it is short.
    package func pretty(indent: String = "") -> String {
        let short = spaced
        guard short.count > 60 else { return short }
        let inner = indent + "  "
        switch self {
        case .array(let values):
            return "[\n" + values.map { inner + $0.pretty(indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            let lines = members.map { "\(inner)\(JSON.string($0.name)): \($0.value.pretty(indent: inner))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        case .null, .bool, .integer, .number, .string: return short
        }
    }

    /// On one line, with blanks between its parts.
    private var spaced: String {
        switch self {
        case .array(let values): return "[" + values.map(\.spaced).joined(separator: ", ") + "]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            return "{ " + members.map { "\(JSON.string($0.name)): \($0.value.spaced)" }.joined(separator: ", ") + " }"
        case .null, .bool, .integer, .number, .string: return description
        }
    }
}
