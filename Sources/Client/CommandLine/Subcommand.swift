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
    /// Whether the last of them is a duration, which people write as two.
    let takesDuration: Bool
    package let run: Action

    package init(
        _ group: Group, syntax: String, summary: String, details: String = "", examples: [String], options: [Option] = [],
        words: ClosedRange<Int>, takesDuration: Bool = false, _ run: @escaping Action
    ) {
        name = String(syntax.prefix { $0 != " " })
        self.group = group
        self.syntax = syntax
        self.summary = summary
        self.details = details
        self.examples = examples
        self.options = options
        self.words = words
        self.takesDuration = takesDuration
        self.run = run
    }
}

/// The context of a subcommand.
package struct CommandContext {
    package let daemon: DaemonClient
    package let output: Output
    package let subcommands: SubcommandTable
}

/// All subcommands of a program.
package struct SubcommandTable: Sendable {
    /// The name of the program.
    package let program: String
    package let all: [Subcommand]
    /// For packages and shells; no help names them.
    private let hidden: [Subcommand]

    package init(of program: String, _ all: [Subcommand], hidden: [Subcommand] = []) {
        self.program = program
        self.all = all
        self.hidden = hidden
    }

    package func find(_ name: String) -> Subcommand? {
        let name = name.lowercased()
        return (all + hidden).first { $0.name == name }
    }

    package func known(_ name: String) throws(ControlError) -> Subcommand {
        if let command = find(name) { return command }
        throw .usage("unknown command '\(name.shortened)'; \(all.map(\.name).advice(for: name.lowercased()))")
    }
}

// MARK: - Help, on all commands and on one.

extension SubcommandTable {
    private static let widestSyntax = 44

    /// An example as it is typed for this program.
    private func asTyped(_ example: String) -> String {
        example.hasPrefix("gamectl ") ? program + example.dropFirst("gamectl".count) : example
    }

    /// On the command of this name, or on all.
    package func help(about name: String?) throws(ControlError) -> String {
        if let name { help(about: try known(name)) } else { overview }
    }

    var overview: String {
        let commands = Subcommand.Group.allCases.flatMap { ["", "\($0.rawValue):"] + lines(of: $0) }
        let options = TextColumns.lines(GlobalOption.options.map { [$0.usage, $0.help] }, indent: 2)
        return """
            usage: \(program) [options] [command …]

            Sends commands to gamed. Without a command, it reads commands from standard input, one per
            line; on a terminal, with editing, history and completion.
            \(commands.joined(separator: "\n"))

            options:
            \(options.joined(separator: "\n"))

            \(TextColumns.wrapped(outcome, to: 114))
            """
    }

    private var outcome: String {
        let statuses = ControlStatus.allCases.map { "\($0.rawValue) if \($0.meaning)" }
        return "The exit status is \(statuses.dropLast().joined(separator: ", ")), and \(statuses.last ?? ""). "
            + "'\(program) help COMMAND' explains one command."
    }

    func help(about command: Subcommand) -> String {
        var parts = ["usage: \(program) \(command.syntax)", command.summary]
        if !command.details.isEmpty { parts.append(command.details) }
        if !command.options.isEmpty {
            parts.append(
                (["options:"] + TextColumns.lines(command.options.map { [$0.usage, $0.help] }, indent: 2)).joined(
                    separator: "\n"))
        }
        parts.append((["examples:"] + command.examples.map { "  \(asTyped($0))" }).joined(separator: "\n"))
        return parts.map { TextColumns.wrapped($0, to: 100) }.joined(separator: "\n\n")
    }

    /// The columns are the same in all groups.
    private func lines(of group: Subcommand.Group) -> [String] {
        let width = all.map(\.syntax.count).filter { $0 <= Self.widestSyntax }.max() ?? 0
        return all.filter { $0.group == group }.flatMap { command in
            TextColumns.lines(
                [[command.syntax.padded(to: width), Self.firstSentence(command.summary)]], indent: 2, widest: Self.widestSyntax)
        }
    }

    private static func firstSentence(_ text: String) -> String {
        guard let end = text.firstRange(of: ". ") else { return text }
        return String(text[..<end.lowerBound]) + "."
    }
}
