// Lists within sentences.

extension Sequence<String> {
    /// What there is instead of something unknown: `there is only game`, `there are game, turns`, `there are none`.
    package var thereAre: String {
        let names = Array(self)
        switch names.count {
        case 0: return "there are none"
        case 1: return "there is only \(names[0])"
        default: return "there are \(names.listed)"
        }
    }

    /// How an unknown name's error ends: with the name that was probably meant, or else with all that there are.
    package func advice(for name: String) -> String {
        Suggestion.closest(to: name, among: Array(self)).map { "did you mean '\($0)'?" } ?? thereAre
    }
}

/// Longer lists are cut.
private let mostListedBytes = 2_000

extension Array<String> {
    /// `game, turns`; of very many names the first ones, and how many more there are.
    package var listed: String {
        var bytes = 0
        let end = firstIndex { name in
            bytes += name.utf8.count + 2
            return bytes > mostListedBytes
        }
        guard let end, end > 0 else { return joined(separator: ", ") }
        return self[..<end].joined(separator: ", ") + ", and \(count - end) more"
    }
}
