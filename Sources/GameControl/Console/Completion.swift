// Completion of a command that is being typed, from the descriptions of the commands.

import Client
import Commands

/// Supplies the names that can be completed.
package protocol CompletionSource {
    func sessions(beginningWith prefix: String) -> [String]
    /// Sessions that could not be restored, or are quarantined.
    func unrestoredSessions(beginningWith prefix: String) -> [String]
    func flows() -> [String]
    func states(ofSession session: String) -> [String]
    func events(ofSession session: String) -> [String]
    func timers(ofSession session: String) -> [String]
    /// The names of the tokens in a file; nil for the one of GAMED_TOKEN_FILE.
    func tokens(inFile file: String?) -> [String]
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
        guard let typed = TypedWords(line) else { return [] }
        return candidates(after: typed.before, beginningWith: typed.prefix)
    }

    /// The words that can follow these; sorted.
    package func candidates(after before: [String], beginningWith prefix: String) -> [String] {
        let found = words(after: before, prefix).filter { $0.hasPrefix(prefix) && $0.isTypedAsItIs }
        return Array(Set(found)).sorted()
    }

    /// Whether the name of a file can follow these words.
    package func takesFile(after before: [String]) -> Bool {
        guard let command = before.first.flatMap(subcommands.find) else { return false }
        let rest = Array(before.dropFirst())
        if let label = command.options.first(where: { $0.name == rest.last })?.label { return Self.isFile(label) }
        return next(in: command, rest).values.contains { Self.isFile($0.name) }
    }

    private static func isFile(_ parameter: String) -> Bool {
        parameter.split(separator: "|").contains { ["FILE", "DIR", "PATH"].contains($0) }
    }

    private func words(after before: [String], _ prefix: String) -> [String] {
        guard let name = before.first else { return subcommands.all.map(\.name) + ["quit"] }
        let rest = Array(before.dropFirst())
        if name.lowercased() == "raw" {
            guard let inner = rest.first else { return CommandTable.all.commands.map(\.name) }
            return daemonArguments(inner, Array(rest.dropFirst()), prefix)
        }
        if name.lowercased() == "help" { return rest.isEmpty ? subcommands.all.map(\.name) : [] }
        guard let command = subcommands.find(name) else { return daemonArguments(name, rest, prefix) }
        if prefix.hasPrefix("--") { return command.options.map(\.name) }
        if let last = rest.last, let option = command.options.first(where: { $0.name == last && $0.label != nil }) {
            return value(of: option, prefix)
        }
        let call = command.call(rest)
        if command.name == Subcommand.token.name, call.words == ["revoke"] {
            return source.tokens(inFile: call.options["--file"])
        }
        return words(next(in: command, rest), of: CommandTable.all[name], rest.first ?? "", prefix)
    }

    /// Of a command of the daemon that is no subcommand.
    private func daemonArguments(_ name: String, _ given: [String], _ prefix: String) -> [String] {
        guard let command = CommandTable.all[name] else { return [] }
        return words(ArgumentPlaces(of: command.arguments, in: given).next, of: command, given.first ?? "", prefix)
    }

    private func next(in subcommand: Subcommand, _ words: [String]) -> ArgumentPlace {
        let daemons = CommandTable.all[subcommand.name].flatMap { Subcommand.namesFromDaemon.contains($0.name) ? $0 : nil }
        return ArgumentPlaces(
            of: daemons?.arguments ?? CommandArgument.list(inSyntax: subcommand.syntax),
            in: subcommand.call(words).words
        ).next
    }

    private func value(of option: Option, _ prefix: String) -> [String] {
        switch option.label {
        case "FLOW": source.flows()
        case "GLOB": source.sessions(beginningWith: prefix)
        case "ROLE": Role.given.map(\.rawValue)
        default: []
        }
    }

    private func words(_ next: ArgumentPlace, of command: Command?, _ session: String, _ prefix: String) -> [String] {
        next.literals + next.values.flatMap { names(for: $0, of: command, session, prefix) }
    }

    /// The names that an argument can have, if they are known.
    private func names(for argument: CommandArgument, of command: Command?, _ session: String, _ prefix: String) -> [String] {
        switch argument.name {
        // A new session has a new name.
        case "session" where command === Command.new: []
        case "session" where command === Command.retry: source.unrestoredSessions(beginningWith: prefix)
        case "session", "GLOB": source.sessions(beginningWith: prefix)
        case "flow": source.flows()
        case "event": source.events(ofSession: session)
        case "timer": source.timers(ofSession: session)
        case "state": source.states(ofSession: session)
        default: []
        }
    }
}

extension Subcommand {
    /// The words behind its name, as far as they are right.
    fileprivate func call(_ words: [String]) -> Invocation {
        var call = Invocation(address: .socket(""), isLine: true)
        try? call.parse([name] + words, with: SubcommandTable(of: "gamectl", [self]), isComplete: false)
        return call
    }
}

extension String {
    /// Whether it needs no quotes.
    fileprivate var isTypedAsItIs: Bool {
        !isEmpty && !contains { $0.isWhitespace || $0 == "'" || $0 == "\"" } && printable == self
    }
}
