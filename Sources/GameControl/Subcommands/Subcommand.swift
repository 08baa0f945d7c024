// What gamectl can be told to do. Most of it are the daemon's own commands, explained by the daemon's own list.

import GameDaemon

package struct Subcommand: Sendable {
    typealias Action = @Sendable (Control, Invocation) throws(ControlError) -> ControlStatus

    /// What belongs together in the help.
    package enum Group: String, CaseIterable, Sendable {
        case sessions = "sessions"
        case time = "time"
        case flows = "flows"
        case daemon = "the daemon"
        case other = "without a daemon"
    }

    package let name: String
    package let group: Group
    /// As people type it behind `gamectl`.
    package let syntax: String
    package let summary: String
    package let details: String
    package let examples: [String]
    package let options: [Option]
    /// How many words it takes behind its name.
    let words: ClosedRange<Int>
    let run: Action

    init(
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

extension Subcommand {
    /// The daemon's commands that are commands here; those that this daemon has.
    private static let ofDaemon = [
        "NEW", "SEND", "STATE", "EVENTS", "FORCE", "DROP", "RETRY", "HISTORY", "TIMERS", "PAUSE", "RESUME", "EXTEND", "NEXT",
        "FLOWS",
        "DESCRIBE", "DIAGRAM", "CLOCK", "ADVANCE", "INFO", "BLUETOOTH",
    ]

    private static let counted = ["HISTORY", "NEXT"]

    package static let all: [Subcommand] =
        ofDaemon.compactMap { CommandTable.all[$0] }.map(Subcommand.init) + [sessions, watch, replay, backup, test, raw, help]

    package static func find(_ name: String) -> Subcommand? {
        all.first { $0.name == name.lowercased() }
    }

    static func unknown(_ name: String) -> ControlError {
        let names = all.map(\.name)
        let guess = Likeness.closest(to: name.lowercased(), among: names).map { "did you mean '\($0)'?" }
        return .usage("unknown command '\(name.shortened)'; \(guess ?? "there are \(names.joined(separator: ", "))")")
    }

    /// A command of the daemon, as it is.
    init(_ command: Command) {
        let count = Option("--count", "N", "so many at most")
        self.init(
            Self.group(command.group), syntax: Self.lowercasedFirst(command.syntax), summary: command.summary,
            details: command.details,
            examples: command.examples.map(Self.example), options: Self.counted.contains(command.name) ? [count] : [],
            words: (command.words.lowerBound - 1)...(command.words.upperBound - 1)
        ) { control, call throws(ControlError) in
            let words = [command.name] + call.words + (call.options["--count"].map { ["COUNT", $0] } ?? [])
            try control.answer(words)
            return .accepted
        }
    }

    private static func group(_ group: Command.Group) -> Group {
        switch group {
        case .sessions, .subscriptions: .sessions
        case .time: .time
        case .flows: .flows
        default: .daemon
        }
    }

    static func lowercasedFirst(_ text: String) -> String {
        let name = text.prefix { $0 != " " }
        return name.lowercased() + text.dropFirst(name.count)
    }

    /// As it is typed into a shell.
    private static func example(_ text: String) -> String {
        let words = lowercasedFirst(text).split(separator: " ").map(String.init)
        return (["gamectl"] + words.map(shellWord)).joined(separator: " ")
    }

    private static func shellWord(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "0123456789-_./:=,%+@".utf8.contains(byte)
        }
        return isPlain ? word : "'\(word)'"
    }

    static let raw = Subcommand(
        .daemon, syntax: "raw WORD …", summary: "Any command of the daemon, as it is, and its reply.",
        details: "COMMAND DOCS explains all of them. The words are sent unchanged.",
        examples: ["gamectl raw COMMAND COUNT", "gamectl raw CONFIG GET '*'"], words: 1...Int.max - 1
    ) { control, call throws(ControlError) in
        try control.answer(call.words, formatted: false)
        return .accepted
    }

    /// `Invocation` makes a task of its own of it.
    static let help = Subcommand(
        .other, syntax: "help [command]", summary: "What there is, or what one command does.", examples: ["gamectl help send"],
        words: 0...1
    ) { control, call throws(ControlError) in try control.help(about: call.words.first) }
}
