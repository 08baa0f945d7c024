// The parsed command line. The options themselves are in `Option.all`.

import Commands
import Installation
import Logging
import Posix
import Store
import Texts

/// The parsed command line.
package struct Options: Equatable, Sendable {
    enum Task: Equatable, Sendable {
        case serve, check, showHelp, showVersion, showManual(ManualPage)
    }

    /// The daemon's clock.
    enum Time: String, Equatable, Sendable, CaseIterable {
        case system, virtual
    }

    /// A session to begin with.
    struct SessionToBegin: Equatable, Sendable {
        let name: String
        let flow: String
    }

    /// The program's name.
    var program = "gamed"
    var task = Task.serve
    var socketPath = DefaultPaths.socket
    var addresses: [TcpAddress] = []
    var web = Web()
    var tokenFile: String?
    var time = Time.system
    var sessions: [SessionToBegin] = []
    /// Flow files, and folders of them.
    var flowFiles: [String] = []
    var persistence = Persistence()
    var bluetooth = BluetoothFiles()
    var hasConsole = false
    /// The session that the console shows first; nil for the only one, or a list.
    var consoleSession: String?
    var limits = Limits()
    var logLevel = Log.Level.notice

    /// What survives a restart.
    struct Persistence: Equatable, Sendable {
        enum Location: Equatable, Sendable {
            /// The default directory; none in virtual time.
            case standard
            case directory(String)
            case none
        }

        enum Durability: String, Equatable, Sendable, CaseIterable {
            case always, everysec, none
        }

        var location = Location.standard
        var durability = Durability.everysec
        /// Whether this start may go on without damaged data.
        var acceptsLoss = false
    }

    /// Where sessions are saved; nil if they are not.
    var dataDirectory: String? {
        switch persistence.location {
        case .none: nil
        case _ where persistence.durability == .none: nil
        case .directory(let path): path
        case .standard: time == .virtual ? nil : DefaultPaths.data
        }
    }

    /// The default directory is made with all folders around it; one that is given may be mistyped.
    var usesDefaultData: Bool {
        switch persistence.location {
        case .standard: true
        case .none, .directory: false
        }
    }

    /// The page.
    struct Web: Equatable, Sendable {
        enum Place: Equatable, Sendable {
            /// The usual port, if it is free.
            case standard
            case address(TcpAddress)
            case none

            init(_ text: String, option: String) throws(UsageError) {
                guard text != "none" else {
                    self = .none
                    return
                }
                self = .address(try TcpAddress(text, option: option, examples: "127.0.0.1:7650, [::1]:7650, or none"))
            }
        }

        var place = Place.standard
        var isOpen = false
        var names: [String] = []
        var hasOpenMetrics = false
    }

    /// The files of the simulated Bluetooth source.
    struct BluetoothFiles: Equatable, Sendable {
        var devices: String?
        var replay: String?
        var record: String?

        func check() throws(UsageError) {
            guard devices != nil || (replay == nil && record == nil) else {
                throw UsageError("a replay or a recording needs devices: --bluetooth FILE says what they are")
            }
        }
    }

    init() {}

    /// The program and the version of gamed in it.
    var version: String { program == "gamed" ? "gamed \(gamedVersion)" : "\(program) (gamed \(gamedVersion))" }

    /// Parses the words after the program's name.
    init(parsing arguments: [String], of program: String = "gamed") throws(UsageError) {
        self.program = program
        var words = arguments[...]
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = Option.all.first(where: { $0.name == parts[0] }) else {
                throw word.hasPrefix("-") ? Self.unknownOption(word, parts[0]) : unknownWord(word)
            }
            try apply(option, inlineValue: parts.count > 1 ? parts[1] : nil, rest: &words)
        }
    }

    private static func unknownOption(_ word: String, _ name: String) -> UsageError {
        let guess = name == "-h" ? "--help" : Suggestion.closest(to: name, among: Option.shown.map(\.name))
        let advice = guess.map { "did you mean '\($0)'?" } ?? "there are \(Option.names)"
        return UsageError("unknown option '\(word.shortened)'; \(advice)")
    }

    /// A word that is no option: most often a subcommand that is not the first word, or a command that a client sends.
    private func unknownWord(_ word: String) -> UsageError {
        let name = word.lowercased()
        if let known = Self.subcommands.first(where: { $0.syntax.prefix { $0 != " " } == name }) {
            return UsageError(
                "'\(name)' must be the first word, and takes none of the daemon's options before it: \(program) \(known.syntax)"
            )
        }
        if name == "help" { return UsageError("'help' is no option; did you mean '--help'?") }
        let names = Self.subcommands.map { String($0.syntax.prefix { $0 != " " }) }
        let guess = Suggestion.closest(to: name, among: names).map { "did you mean '\($0)'?" }
        let advice =
            "\(program) takes options, see --help, or one of \(names.joined(separator: ", ")) as the first word; commands are sent "
            + "with gamectl or redis-cli"
        return UsageError("unknown word '\(word.shortened)'; \(guess ?? advice)")
    }

    private mutating func apply(
        _ option: Option, inlineValue: String?, rest: inout ArraySlice<String>
    ) throws(UsageError) {
        switch option.kind {
        case .flag(let apply):
            guard inlineValue == nil else { throw UsageError("\(option.name) takes no value") }
            apply(&self)
        case .optional(_, let apply):
            let next = rest.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
            if inlineValue == nil, next != nil { rest.removeFirst() }
            apply(&self, inlineValue ?? next)
        case .value(let label, let apply):
            guard let value = inlineValue ?? rest.popFirst(), !value.isEmpty else {
                throw UsageError("\(option.name) needs a value: \(option.name) \(label)")
            }
            try apply(&self, value)
        }
    }
}

// MARK: Values

extension Options {
    mutating func setTime(_ value: String) throws(UsageError) {
        guard let time = Time(rawValue: value) else {
            throw UsageError("--time is system or virtual, and not '\(value.shortened)'")
        }
        self.time = time
    }

    mutating func addSession(_ value: String) throws(UsageError) {
        let parts = try Self.pair(value, "--session is NAME=FLOW, like main=game")
        sessions.append(SessionToBegin(name: parts.name, flow: parts.value))
    }

    mutating func setLimit(_ value: String) throws(UsageError) {
        let parts = try Self.pair(value, "--limit is NAME=VALUE, like connections=100")
        try limits.set(parts.name, to: parts.value)
    }

    mutating func setData(_ value: String) {
        persistence.location = value == "none" ? .none : .directory(value)
    }

    mutating func setDurability(_ value: String) throws(UsageError) {
        guard let durability = Persistence.Durability(rawValue: value) else {
            throw UsageError("--durability is always, everysec or none, and not '\(value.shortened)'")
        }
        persistence.durability = durability
    }

    mutating func setLogLevel(_ value: String) throws(UsageError) {
        logLevel = try Log.Level(reading: value)
    }

    private static func pair(_ text: String, _ rule: String) throws(UsageError) -> (name: String, value: String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw UsageError("\(rule), and not '\(text.shortened)'") }
        return (parts[0], parts[1])
    }
}
