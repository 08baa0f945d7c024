// What could follow, where somebody types a command. What may stand where is read from the commands' own syntax.

import GameDaemon
import RESP

/// Whoever knows what there is.
package protocol CompletionSource {
    func sessions(beginningWith prefix: String) -> [String]
    /// Those that could not be restored, or are quarantined.
    func sessionsAside(beginningWith prefix: String) -> [String]
    func flows() -> [String]
    func states(ofSession session: String) -> [String]
    func events(ofSession session: String) -> [String]
    func timers(ofSession session: String) -> [String]
}

package struct Completion<Source: CompletionSource> {
    private let source: Source

    package init(from source: Source) {
        self.source = source
    }

    /// The words that the last word of the line, up to where the cursor is, could become; in order.
    package func candidates(for line: String) -> [String] {
        let start = line.lastIndex { $0 == " " || $0 == "\t" }.map { line.index(after: $0) } ?? line.startIndex
        let prefix = String(line[start...])
        // In the midst of a quote, nothing is known about what is meant.
        guard let before = try? LineWords.split(String(line[..<start])) else { return [] }
        let found = words(behind: before, prefix).filter { $0.hasPrefix(prefix) && $0.isTypedAsItIs }
        return Array(Set(found)).sorted()
    }

    private func words(behind before: [String], _ prefix: String) -> [String] {
        guard let name = before.first else { return Subcommand.all.map(\.name) + ["quit"] }
        let rest = Array(before.dropFirst())
        if name.lowercased() == "raw" {
            guard let inner = rest.first else { return CommandTable.all.commands.map(\.name) }
            return CommandTable.all[inner].map { arguments(of: $0.syntax, Array(rest.dropFirst()), prefix) } ?? []
        }
        if name.lowercased() == "help" { return rest.isEmpty ? Subcommand.all.map(\.name) : [] }
        guard let command = Subcommand.find(name) else {
            return CommandTable.all[name].map { arguments(of: $0.syntax, rest, prefix) } ?? []
        }
        if prefix.hasPrefix("--") { return command.options.map(\.name) }
        if let last = rest.last, let option = command.options.first(where: { $0.name == last && $0.label != nil }) {
            return value(of: option, prefix)
        }
        return arguments(of: command.syntax, rest.filter { !$0.hasPrefix("--") }, prefix)
    }

    private func value(of option: Option, _ prefix: String) -> [String] {
        switch option.label {
        case "FLOW": source.flows()
        case "GLOB": source.sessions(beginningWith: prefix)
        default: []
        }
    }

    /// The words that can stand behind `given` in a command of this syntax.
    private func arguments(of syntax: String, _ given: [String], _ prefix: String) -> [String] {
        let places = syntax.split { " []…".contains($0) }.dropFirst().map(String.init)
        guard given.count < places.count else { return [] }
        let place = places[given.count]
        // The name of a session that is to begin is nobody's yet.
        if place == "session", syntax.lowercased().hasPrefix("new ") { return [] }
        if place == "session", syntax.lowercased().hasPrefix("retry ") { return source.sessionsAside(beginningWith: prefix) }
        let session = given.first ?? ""
        switch place {
        case "session": return source.sessions(beginningWith: prefix)
        case "flow": return source.flows()
        case "event": return source.events(ofSession: session)
        case "timer": return source.timers(ofSession: session)
        case "state": return source.states(ofSession: session)
        default: return place == place.uppercased() ? place.split(separator: "|").map(String.init) : []
        }
    }
}

extension String {
    /// Whether it needs no quotes.
    fileprivate var isTypedAsItIs: Bool {
        !isEmpty && !contains { $0.isWhitespace || $0 == "'" || $0 == "\"" } && printable == self
    }
}
