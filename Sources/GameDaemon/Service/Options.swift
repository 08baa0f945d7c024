// What can be said on gamed's command line: the one list that parsing, errors and --help are made from.

/// A command line that cannot be followed, in one sentence.
public struct UsageError: Error, CustomStringConvertible {
    public let description: String
}

/// What the daemon was asked to do.
public struct Options: Equatable, Sendable {
    public enum Task: Equatable, Sendable {
        case serve, showHelp, showVersion
    }

    /// Whose time passes.
    public enum Time: String, Equatable, Sendable, CaseIterable {
        case system, virtual
    }

    /// A session to begin with.
    public struct SessionToBegin: Equatable, Sendable {
        public let name: String
        public let flow: String
    }

    public var task = Task.serve
    public var time = Time.system
    public var sessions: [SessionToBegin] = []
    public var socketPath = DefaultPlaces.socket
    public var bluetooth = BluetoothFiles()

    /// The files of the simulated Bluetooth source.
    public struct BluetoothFiles: Equatable, Sendable {
        public var devices: String?
        public var replay: String?
        public var record: String?
    }

    public init() {}

    /// Reads the words behind the program's name.
    public init(parsing arguments: [String]) throws(UsageError) {
        var words = arguments[...]
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard let option = Self.known.first(where: { $0.name == parts.first }) else {
                throw UsageError(description: "unknown option '\(word)'; there are \(Self.names)")
            }
            try apply(option, inlineValue: parts.count > 1 ? parts[1] : nil, rest: &words)
        }
    }

    private mutating func apply(
        _ option: Option, inlineValue: String?, rest: inout ArraySlice<String>
    ) throws(UsageError) {
        switch option.kind {
        case .flag(let apply):
            guard inlineValue == nil else { throw UsageError(description: "\(option.name) takes no value") }
            apply(&self)
        case .value(let label, let apply):
            guard let value = inlineValue ?? rest.popFirst(), !value.isEmpty else {
                throw UsageError(description: "\(option.name) needs a value: \(option.name) \(label)")
            }
            try apply(&self, value)
        }
    }

    private mutating func setTime(_ value: String) throws(UsageError) {
        guard let time = Time(rawValue: value) else {
            throw UsageError(description: "--time is system or virtual, and not '\(value)'")
        }
        self.time = time
    }

    private mutating func addSession(_ value: String) throws(UsageError) {
        let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw UsageError(description: "--session is NAME=FLOW, like main=game, and not '\(value)'")
        }
        sessions.append(SessionToBegin(name: parts[0], flow: parts[1]))
    }

    private struct Option: Sendable {
        enum Kind: Sendable {
            case flag(@Sendable (inout Options) -> Void)
            case value(String, @Sendable (inout Options, String) throws(UsageError) -> Void)
        }

        let name: String
        let kind: Kind
        let help: String

        var usage: String {
            if case .value(let label, _) = kind { "\(name) \(label)" } else { name }
        }
    }

    private static let known = [
        Option(
            name: "--socket", kind: .value("PATH") { $0.socketPath = $1 },
            help: "where to listen (\(DefaultPlaces.socket))"),
        Option(
            name: "--time", kind: .value("system|virtual") { options, value throws(UsageError) in try options.setTime(value) },
            help: "whose time passes: the machine's, or one that ADVANCE moves (system)"),
        Option(
            name: "--session", kind: .value("NAME=FLOW") { options, value throws(UsageError) in try options.addSession(value) },
            help: "a session to begin with; may be given several times"),
        Option(
            name: "--bluetooth", kind: .value("FILE") { $0.bluetooth.devices = $1 },
            help: "simulated Bluetooth devices, and what of theirs is which event; see docs/BLUETOOTH.md"),
        Option(
            name: "--bluetooth-replay", kind: .value("FILE") { $0.bluetooth.replay = $1 },
            help: "a btsnoop capture that happens again, with its own timing"),
        Option(
            name: "--bluetooth-record", kind: .value("FILE") { $0.bluetooth.record = $1 },
            help: "where to record, as btsnoop, what the simulated devices do"),
        Option(name: "--version", kind: .flag { $0.task = .showVersion }, help: "print the version"),
        Option(name: "--help", kind: .flag { $0.task = .showHelp }, help: "print this text"),
    ]

    private static let names = known.map(\.name).joined(separator: ", ")

    public static var help: String {
        let width = known.map(\.usage.count).max() ?? 0
        let lines = known.map { option in
            "  \(option.usage)\(String(repeating: " ", count: width - option.usage.count))  \(option.help)"
        }
        return """
            usage: gamed [options]

            Runs game flows: processes made of states, events and time.

            \(lines.joined(separator: "\n"))
            """
    }
}
