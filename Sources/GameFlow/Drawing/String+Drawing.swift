// Texts as pictures have them.

extension String {
    /// Lines of about 26 characters. A longer text is broken before its guard; a part that is still longer, before `=`, `and` and `or`; and a very
    /// long one, at any space.
    package var lines: [String] {
        parts { $0.hasPrefix("[") }.flatMap { $0.parts { $0 == "=" || $0 == "and" || $0 == "or" } }.flatMap(\.filled)
    }

    /// The text in parts that begin with such words, if it is too long for one.
    private func parts(beginning begins: (Substring) -> Bool) -> [String] {
        guard count > 26 else { return [self] }
        return split(separator: " ").reduce(into: []) { parts, word in
            if parts.isEmpty || begins(word) { parts.append(String(word)) } else { parts[parts.count - 1] += " \(word)" }
        }
    }

    private var filled: [String] {
        split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + word.count < 40 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
    }

    /// With the marks of HTML written out.
    var markup: String {
        map { Self.entities[$0] ?? String($0) }.joined()
    }

    private static let entities: [Character: String] = ["<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;"]
}
