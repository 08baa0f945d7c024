// The daemon's own commands as subcommands, from the daemon's list: name, syntax, help and examples are written there.

import Commands
import Client
import Texts

extension SubcommandTable {
    /// `rehearsals` need more of the daemon than a connection, and are given by the program.
    package init(with rehearsals: [Subcommand] = []) {
        let own = Set(rehearsals.map(\.name))
        let fromDaemon = Subcommand.namesFromDaemon.compactMap { CommandTable.all[$0] }.map(Subcommand.init)
            .filter { !own.contains($0.name) }
        self.init(
            of: "gamectl",
            fromDaemon + [.sessions, .watch, .cluster, .backup, .health, .doctor, .config, .token, .raw] + rehearsals
                + [.completions, .help],
            hidden: [.complete, .manual])
    }
}

extension Subcommand {
    /// Commands of the daemon whose arguments are typed as they are.
    static let namesFromDaemon = [
        "NEW", "SEND", "STATE", "VIEW", "EVENTS", "FORCE", "RESTART", "DROP", "UNDROP", "RETRY", "WITHDRAW", "HISTORY",
        "TIMERS", "PAUSE", "RESUME", "EXTEND",
        "NEXT",
        "FLOWS", "DESCRIBE", "DIAGRAM", "CLOCK", "ADVANCE", "INFO", "RELOAD", "PAGE", "BLUETOOTH",
    ]

    /// Commands that have COUNT as an option here.
    private static let withCount = ["HISTORY", "NEXT"]

    fileprivate init(_ command: Command) {
        let count = Option("--count", "N", "the maximum number of them", isCount: true)
        self.init(
            Group(command.group), syntax: Self.lowercasedName(command.syntax), summary: command.summary,
            details: command.details, examples: command.examples.map(Self.shellExample),
            options: Self.withCount.contains(command.name) ? [count] : [],
            words: (command.words.lowerBound - 1)...(command.words.upperBound - 1), takesDuration: command.takesDuration
        ) { context, call throws(ControlError) in
            let words = [command.name] + call.words + (call.options[count.name].map { ["COUNT", $0] } ?? [])
            return try context.answer(words)
        }
    }

    private static func lowercasedName(_ text: String) -> String {
        let name = text.prefix { $0 != " " }
        return name.lowercased() + text.dropFirst(name.count)
    }

    /// As it is typed into a shell.
    private static func shellExample(_ text: String) -> String {
        let words = lowercasedName(text).split(separator: " ").map(String.init)
        return (["gamectl"] + words.map { $0.hasPrefix("'") ? $0 : $0.shellWord }).joined(separator: " ")
    }

    static let raw = Subcommand(
        .daemon, syntax: "raw WORD …", summary: "Sends any command to the daemon, unchanged, and prints its reply.",
        details: "COMMAND DOCS explains all commands of the daemon. Those that subscribe, and HELLO 2, are for other clients.",
        examples: ["gamectl raw COMMAND COUNT", "gamectl raw CONFIG GET '*'"], words: 1...Int.max - 1
    ) { context, call throws(ControlError) in
        try context.answer(raw: call.words)
    }
}

extension Subcommand.Group {
    fileprivate init(_ group: Command.Group) {
        self =
            switch group {
            case .sessions, .subscriptions, .transactions: .sessions
            case .time: .time
            case .flows: .flows
            case .bluetooth, .service, .connection: .daemon
            }
    }
}
