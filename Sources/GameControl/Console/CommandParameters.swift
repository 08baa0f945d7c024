// The parameters of a command, from its syntax: `test [--flows DIR] [--verbose] FILE …` has one, and again and again.

import Client

struct CommandParameters {
    /// Stand for something, and are not typed as they are.
    private static let placeholders = ["FILE", "DIR", "NAME", "WORD", "PATTERN", "HOST:PORT", "PATH", "GLOB"]

    private let names: [String]
    private let goesOn: Bool

    init(_ syntax: String) {
        let parts = syntax.split { " []".contains($0) }.dropFirst().map(String.init)
        goesOn = parts.last == "…"
        var names: [String] = []
        var isValue = false
        for part in parts where part != "…" {
            // An option's value is in capitals.
            if !part.hasPrefix("--"), !isValue { names.append(part.filter { $0 != "…" }) }
            isValue = part.hasPrefix("--") && syntax.contains("[\(part) ")
        }
        self.names = names
    }

    /// The words that are parameters, without options and their values.
    func given(_ words: [String], _ options: [Option]) -> [String] {
        var given: [String] = []
        var isValue = false
        for word in words {
            if !isValue, !word.hasPrefix("--") { given.append(word) }
            isValue = !isValue && options.contains { $0.name == word && $0.label != nil }
        }
        return given
    }

    func next(after given: [String]) -> String? {
        if given.count < names.count { return names[given.count] }
        return goesOn ? names.last : nil
    }

    /// What is typed as it is: COUNT, DOT|MERMAID|SVG, bash|zsh|fish.
    static func literals(_ parameter: String) -> [String] {
        let isChoice = parameter.contains("|") && !parameter.contains(":")
        guard isChoice || parameter == parameter.uppercased() else { return [] }
        return parameter.split(separator: "|").map(String.init).filter { !placeholders.contains($0) }
    }

    static func isFile(_ parameter: String) -> Bool {
        parameter.split(separator: "|").contains { ["FILE", "DIR", "PATH"].contains($0) }
    }
}
