// What the daemon was asked to do, and how that is read from the words of its command line. The options themselves are in
// `Option.all`.

/// A command line that cannot be followed, in one sentence.
public struct UsageError: Error, CustomStringConvertible {
    public let description: String
}

/// What the daemon was asked to do.
public struct Options: Equatable, Sendable {
    public enum Task: Equatable, Sendable {
        case serve, check, showHelp, showVersion, showManual(ManualPage)
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
    public var socketPath = DefaultPlaces.socket
    public var addresses: [TcpAddress] = []
    public var tokenFile: String?
    public var time = Time.system
    public var sessions: [SessionToBegin] = []
    public var keeping = Keeping()
    public var bluetooth = BluetoothFiles()
    public var hasConsole = false
    /// The session that the console begins with; nil is the only one, or a list.
    public var consoleSession: String?
    public var limits = Limits()
    public var logLevel = Log.Level.notice

    /// What is kept over a restart.
    public struct Keeping: Equatable, Sendable {
        public enum Place: Equatable, Sendable {
            /// Where services and users expect it; nowhere in virtual time.
            case usual
            case directory(String)
            case none
        }

        public enum Durability: String, Equatable, Sendable, CaseIterable {
            case always, everysec, none
        }

        public var place = Place.usual
        public var durability = Durability.everysec
        /// Whether this one start goes on without what is damaged.
        public var acceptsLoss = false
    }

    /// Where sessions are kept; nil if nowhere.
    var dataDirectory: String? {
        switch keeping.place {
        case .none: nil
        case _ where keeping.durability == .none: nil
        case .directory(let path): path
        case .usual: time == .virtual ? nil : DefaultPlaces.data
        }
    }

    /// The files of the simulated Bluetooth source.
    public struct BluetoothFiles: Equatable, Sendable {
        public var devices: String?
        public var replay: String?
        public var record: String?

        func check() throws(UsageError) {
            guard devices != nil || (replay == nil && record == nil) else {
                throw UsageError(description: "a replay or a recording needs devices: --bluetooth FILE says what they are")
            }
        }
    }

    public init() {}

    /// Reads the words behind the program's name.
    public init(parsing arguments: [String]) throws(UsageError) {
        var words = arguments[...]
        while let word = words.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = Option.all.first(where: { $0.name == parts[0] }) else {
                throw UsageError(description: "unknown option '\(word.shortened)'; there are \(Option.names)")
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
        case .optional(_, let apply):
            let next = rest.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
            if inlineValue == nil, next != nil { rest.removeFirst() }
            apply(&self, inlineValue ?? next)
        case .value(let label, let apply):
            guard let value = inlineValue ?? rest.popFirst(), !value.isEmpty else {
                throw UsageError(description: "\(option.name) needs a value: \(option.name) \(label)")
            }
            try apply(&self, value)
        }
    }
}

extension Options {
    /// Before anything is restored: a session must be of a flow that there is.
    func checkSessions(_ daemon: Daemon) throws(UsageError) {
        for session in sessions where daemon.sessions.flow(named: session.flow) == nil {
            throw UsageError(description: CommandError.noFlow(session.flow, daemon.sessions.flows).sentence)
        }
    }
}

// MARK: What the values mean

extension Options {
    mutating func setTime(_ value: String) throws(UsageError) {
        guard let time = Time(rawValue: value) else {
            throw UsageError(description: "--time is system or virtual, and not '\(value.shortened)'")
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
        keeping.place = value == "none" ? .none : .directory(value)
    }

    mutating func setDurability(_ value: String) throws(UsageError) {
        guard let durability = Keeping.Durability(rawValue: value) else {
            throw UsageError(description: "--durability is always, everysec or none, and not '\(value.shortened)'")
        }
        keeping.durability = durability
    }

    mutating func setLogLevel(_ value: String) throws(UsageError) {
        logLevel = try Log.Level(reading: value)
    }

    private static func pair(_ text: String, _ rule: String) throws(UsageError) -> (name: String, value: String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw UsageError(description: "\(rule), and not '\(text.shortened)'") }
        return (parts[0], parts[1])
    }
}
