// A command of gamectl: its name, syntax, help and options, and what it does.

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
    let words: ClosedRange<Int>
    let run: Action

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

/// What a subcommand works with.
package struct CommandContext {
    package let daemon: DaemonClient
    package let output: Output
    let subcommands: SubcommandTable

    /// Asks the daemon, and prints its answer.
    func answer(_ words: [String], formatted: Bool = true) throws(ControlError) {
        let reply = try daemon.ask(words)
        if output.isJSON { return try output.say(json: reply.json) }
        let text = ReplyText(style: output.style, isTerminal: output.isTerminal)
        try output.say(lines: formatted ? text.lines(reply, to: words) : text.plain(reply))
    }
}

/// All subcommands of this gamectl, and the names and syntax of all commands of the daemon, which `raw` takes.
package struct SubcommandTable: Sendable {
    package let all: [Subcommand]
    /// By their names in capitals.
    let rawSyntax: [String: String]

    init(_ all: [Subcommand], rawSyntax: [String: String]) {
        self.all = all
        self.rawSyntax = rawSyntax
    }

    package func find(_ name: String) -> Subcommand? {
        let name = name.lowercased()
        return all.first { $0.name == name }
    }

    func known(_ name: String) throws(ControlError) -> Subcommand {
        guard let command = find(name) else { throw unknown(name) }
        return command
    }

    private func unknown(_ name: String) -> ControlError {
        let names = all.map(\.name)
        let guess = Suggestion.closest(to: name.lowercased(), among: names).map { "did you mean '\($0)'?" }
        return .usage("unknown command '\(name.shortened)'; \(guess ?? "there are \(names.joined(separator: ", "))")")
    }
}
