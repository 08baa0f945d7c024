// A typed line: an event and its payload, or a word for the console itself.

/// What a typed line asks for.
enum ConsoleInput: Equatable {
    case nothing
    /// `chooseEpisode 3`
    case send(event: String, payload: String?)
    /// `@room`
    case show(String)
    /// `list`
    case list
    /// `NEW room game`: the words after NEW.
    case begin([String])
    /// `pause` or `resume`
    case pauseOrResume
    /// `quit`
    case end

    /// `events` are those of the session that is shown: an event of that name comes before a word of the console.
    init(_ line: String, events: [String]) {
        let words = line.split(maxSplits: 1, omittingEmptySubsequences: true) { $0.isWhitespace }
        guard let first = words.first.map(String.init), !first.hasPrefix("#") else {
            self = .nothing
            return
        }
        let rest = words.count > 1 ? words[1].trimmingBlanks : ""
        if first.hasPrefix("@") {
            self = .show(String(first.dropFirst()))
        } else if !events.contains(first), let own = Self.own(first.lowercased(), rest) {
            self = own
        } else {
            self = .send(event: first, payload: rest.isEmpty ? nil : rest)
        }
    }

    /// The console's own words; only `NEW` has others after it.
    private static func own(_ word: String, _ rest: String) -> ConsoleInput? {
        if word == "new" { return .begin(rest.split(maxSplits: 2) { $0.isWhitespace }.map(String.init)) }
        guard rest.isEmpty else { return nil }
        switch word {
        case "q", "quit", "exit": return .end
        case "l", "list": return .list
        case "p", "pause", "resume": return .pauseOrResume
        default: return nil
        }
    }

    /// The beginning of a name, completed as far as all names agree that begin so.
    static func completed(_ beginning: String, among names: [String]) -> String {
        let candidates = names.filter { $0.hasPrefix(beginning) }
        guard var common = candidates.first else { return beginning }
        for name in candidates.dropFirst() { common = String(zip(common, name).prefix { $0 == $1 }.map(\.0)) }
        return common
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text.drop { $0.isWhitespace })
    }
}
