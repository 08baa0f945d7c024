// Completion of a command that is being typed, from the syntax of the commands.

import Client
import RESP

/// Supplies the names that can be completed.
package protocol CompletionSource {
    func sessions(beginningWith prefix: String) -> [String]
    /// Sessions that could not be restored, or are quarantined.
    func unrestoredSessions(beginningWith prefix: String) -> [String]
    func flows() -> [String]
    func states(ofSession session: String) -> [String]
    func events(ofSession session: String) -> [String]
    func timers(ofSession session: String) -> [String]
}

package struct Completion<Source: CompletionSource> {
    private let subcommands: SubcommandTable
    private let source: Source

    package init(of subcommands: SubcommandTable, from source: Source) {
        self.subcommands = subcommands
        self.source = source
    }

    /// The words that the last word of the line, up to the cursor, could become; sorted.
    package func candidates(for line: String) -> [String] {
        let start = line.lastIndex { $0 == " " || $0 == "\t" }.map { line.index(after: $0) } ?? line.startIndex
        let prefix = String(line[start...])
        // Nothing is completed within a quote.
        guard let before = try? LineWords.split(String(line[..<start])) else { return [] }
        return candidates(after: before, beginningWith: prefix)
    }

    /// The words that can follow these; sorted.
    package func candidates(after before: [String], beginningWith prefix: String) -> [String] {
        let found = words(after: before, prefix).filter { $0.hasPrefix(prefix) && $0.isTypedAsItIs }
        return Array(Set(found)).sorted()
    }

    /// Whether the name of a file can follow these words.
    package func takesFile(after before: [String]) -> Bool {
        guard let command = before.first.flatMap(subcommands.find) else { return false }
        let rest = before.dropFirst()
        let label = command.options.first { $0.name == rest.last }?.label
        let given = CommandParameters(command.syntax).given(Array(rest), command.options)
        return CommandParameters.isFile(label ?? CommandParameters(command.syntax).next(after: given) ?? "")
    }

    private func words(after before: [String], _ prefix: String) -> [String] {
        guard let name = before.first else { return subcommands.all.map(\.name) + ["quit"] }
        let rest = Array(before.dropFirst())
        if name.lowercased() == "raw" {
            guard let inner = rest.first else { return Array(subcommands.rawSyntax.keys) }
            return rawArguments(inner, Array(rest.dropFirst()), prefix)
        }
        if name.lowercased() == "help" { return rest.isEmpty ? subcommands.all.map(\.name) : [] }
        guard let command = subcommands.find(name) else { return rawArguments(name, rest, prefix) }
        if prefix.hasPrefix("--") { return command.options.map(\.name) }
        if let last = rest.last, let option = command.options.first(where: { $0.name == last && $0.label != nil }) {
            return value(of: option, prefix)
        }
        let given = CommandParameters(command.syntax).given(rest, command.options)
        return arguments(of: command.syntax, given, prefix)
    }

    private func rawArguments(_ name: String, _ given: [String], _ prefix: String) -> [String] {
        subcommands.rawSyntax[name.uppercased()].map { arguments(of: $0, given, prefix) } ?? []
    }

    private func value(of option: Option, _ prefix: String) -> [String] {
        switch option.label {
        case "FLOW": source.flows()
        case "GLOB": source.sessions(beginningWith: prefix)
        default: []
        }
    }

    /// The words that can follow `given` in a command of this syntax.
    private func arguments(of syntax: String, _ given: [String], _ prefix: String) -> [String] {
        guard let parameter = CommandParameters(syntax).next(after: given) else { return [] }
        // NEW takes a name that no session has yet.
        if parameter == "session", syntax.lowercased().hasPrefix("new ") { return [] }
        if parameter == "session", syntax.lowercased().hasPrefix("retry ") {
            return source.unrestoredSessions(beginningWith: prefix)
        }
        let session = given.first ?? ""
        switch parameter {
        case "session", "GLOB": return source.sessions(beginningWith: prefix)
        case "flow": return source.flows()
        case "event": return source.events(ofSession: session)
        case "timer": return source.timers(ofSession: session)
        case "state": return source.states(ofSession: session)
        default: return CommandParameters.literals(parameter)
        }
    }
}

extension String {
    /// Whether it needs no quotes.
    fileprivate var isTypedAsItIs: Bool {
        !isEmpty && !contains { $0.isWhitespace || $0 == "'" || $0 == "\"" } && printable == self
    }
}

// MARK: - The parameters of a command

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

    /// Literal parameters: COUNT, DOT|MERMAID|SVG, bash|zsh|fish.
    static func literals(_ parameter: String) -> [String] {
        let isChoice = parameter.contains("|") && !parameter.contains(":")
        guard isChoice || parameter == parameter.uppercased() else { return [] }
        return parameter.split(separator: "|").map(String.init).filter { !placeholders.contains($0) }
    }

    static func isFile(_ parameter: String) -> Bool {
        parameter.split(separator: "|").contains { ["FILE", "DIR", "PATH"].contains($0) }
    }
}
