// Lists and counts within sentences.

extension Sequence<String> {
    /// The names to choose from in place of an unknown one: `available: game, turns`, `available: none`.
    package var available: String {
        let names = Array(self)
        return "available: \(names.isEmpty ? "none" : names.listed)"
    }

    /// How an unknown name's error ends: with the name that was probably meant, or else with all that there are.
    package func advice(for name: String) -> String {
        Suggestion.closest(to: name, among: Array(self)).map { "did you mean '\($0)'?" } ?? available
    }
}

/// Longer lists are cut.
private let maxListedBytes = 2_000

extension Array<String> {
    /// `game, turns`; of very many names the first ones, and how many more there are.
    package var listed: String {
        var bytes = 0
        let end = firstIndex { name in
            bytes += name.utf8.count + 2
            return bytes > maxListedBytes
        }
        guard let end, end > 0 else { return joined(separator: ", ") }
        return self[..<end].joined(separator: ", ") + ", and \(count - end) more"
    }

    /// `always, everysec or none`.
    package var alternatives: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " or " + self[count - 1]
    }
}

extension String {
    /// A count of things of this name, which has a regular plural: `1 session`, `2 sessions`.
    package func counted(_ count: some BinaryInteger) -> String { "\(count) \(self)\(count == 1 ? "" : "s")" }
}
