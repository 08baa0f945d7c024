// Help, for all and for one command.

import GameDaemon

package enum HelpText {
    package static var overview: String {
        let commands = Subcommand.Group.allCases.flatMap { ["", "\($0.rawValue):"] + lines(of: $0) }
        let options = TextColumns.lines(Option.global.map { [$0.usage, $0.help] }, indent: 2)
        return """
            usage: gamectl [options] [command …]

            Talks to gamed, the daemon that runs game flows. Without a command it reads them, from a terminal with editing,
            history and completion, or from its input line by line.
            \(commands.joined(separator: "\n"))

            options:
            \(options.joined(separator: "\n"))

            The exit status is 0 if all was accepted, 1 if something was refused, 2 if there is no daemon, 64 if the command line
            cannot be followed, and 74 if the output cannot be written or the input not be read. 'gamectl help COMMAND' says more about each.
            """
    }

    package static func text(about command: Subcommand) -> String {
        var parts = ["usage: gamectl \(command.syntax)", command.summary]
        if !command.details.isEmpty { parts.append(command.details) }
        if !command.options.isEmpty {
            parts.append(
                (["options:"] + TextColumns.lines(command.options.map { [$0.usage, $0.help] }, indent: 2)).joined(
                    separator: "\n"))
        }
        parts.append((["examples:"] + command.examples.map { "  \($0)" }).joined(separator: "\n"))
        return parts.map { TextColumns.wrapped($0, to: 100) }.joined(separator: "\n\n")
    }

    /// All groups in the same columns.
    private static func lines(of group: Subcommand.Group) -> [String] {
        let width = Subcommand.all.map(\.syntax.count).filter { $0 <= widestSyntax }.max() ?? 0
        return Subcommand.all.filter { $0.group == group }.flatMap { command in
            TextColumns.lines(
                [[command.syntax.padded(to: width), firstSentence(command.summary)]], indent: 2, widest: widestSyntax)
        }
    }

    private static let widestSyntax = 44

    private static func firstSentence(_ text: String) -> String {
        guard let end = text.firstRange(of: ". ") else { return text }
        return String(text[..<end.lowerBound]) + "."
    }
}
