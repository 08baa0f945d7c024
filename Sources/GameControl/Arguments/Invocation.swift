// A command line, taken apart: which command, its words, its options, and those that every command takes.

import GameDaemon

package struct Invocation: Equatable, Sendable {
    package enum Task: Equatable, Sendable {
        /// No command: people type them one after the other.
        case console
        case command(name: String)
        case help(about: String?)
        case version
    }

    package var task = Task.console
    package var address: ServerAddress
    package var token: String?
    package var isJSON = false
    /// The command's words, without its name and options.
    package var words: [String] = []
    /// The command's own options, by their names; without a value, the value is empty.
    package var options: [String: String] = [:]

    /// With nothing said.
    package init(address: ServerAddress, token: String? = nil, isJSON: Bool = false) {
        self.address = address
        self.token = token
        self.isJSON = isJSON
    }

    /// Reads the words behind the program's name. Options may stand anywhere; behind `--`, nothing is an option.
    package mutating func parse(_ arguments: [String]) throws(ControlError) {
        var rest = arguments[...]
        var command: Subcommand?
        while let word = rest.popFirst() {
            if word == "--" {
                if command == nil { command = try name(rest.popFirst()) }
                words += rest
                break
            }
            if word.hasPrefix("--") || (word == "-h" && command == nil) {
                try take(option: word == "-h" ? "--help" : word, &rest, of: command)
            } else if command == nil {
                command = try name(word)
            } else {
                words.append(word)
            }
        }
        try check(command)
    }

    private mutating func name(_ word: String?) throws(ControlError) -> Subcommand? {
        guard let word else { return nil }
        guard let command = Subcommand.find(word) else { throw Subcommand.unknown(word) }
        if case .console = task { task = .command(name: command.name) }
        if case .help(nil) = task { task = .help(about: command.name) }
        return command
    }

    private mutating func take(option word: String, _ rest: inout ArraySlice<String>, of command: Subcommand?)
        throws(ControlError)
    {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let known = (command?.options ?? []) + Option.global
        guard let option = known.first(where: { $0.name == parts[0] }) else { throw Self.unknown(parts[0], known, command) }
        guard let label = option.label else {
            guard parts.count == 1 else { throw .usage("\(option.name) takes no value") }
            return try apply(option, "")
        }
        guard let value = parts.count > 1 ? parts[1] : rest.popFirst(), !value.isEmpty else {
            throw .usage("\(option.name) needs a value: \(option.name) \(label)")
        }
        try apply(option, value)
    }

    private mutating func apply(_ option: Option, _ value: String) throws(ControlError) {
        guard Option.global.contains(option) else { return options[option.name] = value }
        switch option.name {
        case "--socket": address = .socket(value)
        case "--connect": address = try ServerAddress(hostAndPort: value)
        case "--token": token = value
        case "--json": isJSON = true
        case "--version": task = .version
        default: if case .command(let name) = task { task = .help(about: name) } else { task = .help(about: nil) }
        }
    }

    private static func unknown(_ name: String, _ known: [Option], _ command: Subcommand?) -> ControlError {
        let who = command.map { "gamectl \($0.name)" } ?? "gamectl"
        return .usage("unknown option '\(name.shortened)'; \(who) takes \(known.map(\.name).joined(separator: ", "))")
    }

    private mutating func check(_ command: Subcommand?) throws(ControlError) {
        if case .command("help") = task { task = .help(about: words.first) }
        guard case .command = task, let command else { return }
        guard command.words.contains(words.count) else {
            throw .usage(
                "\(words.count < command.words.lowerBound ? "too few" : "too many") words; usage: gamectl \(command.syntax)")
        }
    }
}
