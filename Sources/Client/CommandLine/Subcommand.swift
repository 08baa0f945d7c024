// A command of a client such as gamectl: its name, syntax, help and options, and its action.

import Texts

package struct Subcommand: Sendable {
    package typealias Action = @Sendable (CommandContext, Invocation) throws(ControlError) -> ControlStatus

    /// Sections of the help.
    package enum Group: String, CaseIterable, Sendable {
        case sessions = "sessions"
        case time = "time"
        case flows = "flows"
        case daemon = "the daemon"
        case offline = "without a daemon"
    }

    package let name: String
    package let group: Group
    /// As it is typed after `gamectl`.
    package let syntax: String
    package let summary: String
    package let details: String
    package let examples: [String]
    package let options: [Option]
    /// How many words it takes after its name.
    package let words: ClosedRange<Int>
    package let run: Action

    package init(
        _ group: Group, syntax: String, summary: String, details: String = "", examples: [String], options: [Option] = [],
        words: ClosedRange<Int>, _ run: @escaping Action
    ) {
        name = String(syntax.prefix { $0 != " " })
        self.group = group
        self.syntax = syntax
        self.summary = summary
        self.details = details
        self.examples = examples
        self.options = options
        self.words = words
        self.run = run
    }
}

/// The context of a subcommand.
package struct CommandContext {
    package let daemon: DaemonClient
    package let output: Output
    package let subcommands: SubcommandTable
}

/// All subcommands of a program, and the names and syntax of all commands of the daemon, which `raw` takes.
package struct SubcommandTable: Sendable {
    /// The name of the program.
    package let program: String
    package let all: [Subcommand]
    /// For packages and shells; no help names them.
    private let hidden: [Subcommand]
    /// By their names in capitals.
    package let rawSyntax: [String: String]

    package init(
        of program: String, _ all: [Subcommand], hidden: [Subcommand] = [], rawSyntax: [String: String] = [:]
    ) {
        self.program = program
        self.all = all
        self.hidden = hidden
        self.rawSyntax = rawSyntax
    }

    package func find(_ name: String) -> Subcommand? {
        let name = name.lowercased()
        return (all + hidden).first { $0.name == name }
    }

    package func known(_ name: String) throws(ControlError) -> Subcommand {
        guard let command = find(name) else { throw unknown(name) }
        return command
    }

    private func unknown(_ name: String) -> ControlError {
        let names = all.map(\.name)
        let guess = Suggestion.closest(to: name.lowercased(), among: names).map { "did you mean '\($0)'?" }
        return .usage("unknown command '\(name.shortened)'; \(guess ?? "available: \(names.joined(separator: ", "))")")
    }
}
