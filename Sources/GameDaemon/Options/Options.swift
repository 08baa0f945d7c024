// The parsed command line. The options themselves are in `DaemonOption.all`.

import Client
import Commands
import GameFlow
import Posix
import Logging
import Sessions
import Store
import TLS
import Texts

package struct Options: Equatable, Sendable {
    enum Task: Equatable, Sendable {
        case serve, check, initialize, importDirectory(String), exportDirectory(String), showHelp, showVersion, showManual(
            ManualPage), showCompletions(Shell)

        /// Whether environment and configuration file count.
        var needsConfiguration: Bool {
            switch self {
            case .serve, .check, .initialize, .importDirectory, .exportDirectory: true
            case .showHelp, .showVersion, .showManual, .showCompletions: false
            }
        }
    }

    enum Time: String, Equatable, Sendable, CaseIterable {
        case system, virtual
    }

    struct SessionToBegin: Equatable, Sendable {
        let name: String
        let flow: String
        /// As for NEW: `{"state":…,"data":…,"context":…}`.
        let beginning: JSON?
        /// As it is given on the command line.
        let text: String
    }

    var program = "gamed"
    var task = Task.serve
    var socketPath = DefaultPaths.socket
    var addresses: [TcpAddress] = []
    var web = Web()
    var tokenFile: String?
    /// Certificate and key, and the authorities of clients' certificates.
    var tls = TLSFiles()
    var trustsLoopback = false
    /// Other users that may use the socket: as written, and looked up.
    var allowed: [LocalAccess.Name] = []
    var localAccess = LocalAccess()
    var time = Time.system
    var sessions: [SessionToBegin] = []
    /// The rules by which idle sessions expire.
    var expiries: [ExpiryRule] = []
    /// Flow files, and folders of them.
    var flowFiles: [String] = []
    var persistence = Persistence()
    /// A store in common with other nodes.
    var cluster = ClusterOptions()
    var bluetooth = BluetoothFiles()
    /// The accounts of the flow `onboarding`; nil without.
    var accounts: String?
    var hasConsole = false
    /// The session that the console shows first; nil for the only one, or a list.
    var consoleSession: String?
    var limits = Limits()
    var logLevel = Log.Level.notice
    var logTime = DateZone.utc
    /// Where sockets listen that the service manager has opened.
    private(set) var activated = Activated()
    /// The requested configuration file, or `none`; nil for the default file, if it exists.
    var configuration: String?
    /// All values given, and their places.
    var origins = Origins()

    /// Read where no other file is named.
    static let usualConfiguration = "/etc/gamed/gamed.json5"

    /// The state that survives a restart.
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
        /// Whether this start may continue without damaged data.
        var acceptsLoss = false
    }

    /// Where sessions are saved; nil if they are not.
    var dataDirectory: String? {
        switch persistence.location {
        case .none: nil
        case _ where persistence.durability == .none || cluster.store != nil: nil
        case .directory(let path): path
        case .standard: time == .virtual ? nil : DefaultPaths.data
        }
    }

    /// The default directory is made with all folders around it; one that is given may be mistyped.
    var usesDefaultData: Bool { persistence.location == .standard }

    /// Throws if a start would run out of them: one in memory opens 13, one with a database 25.
    func checkDescriptors() throws(DescriptorError) {
        Descriptor.raiseLimit()
        try OpenDescriptors.checkFree(dataDirectory == nil && cluster.store == nil ? 16 : 32)
    }

    /// Throws if root's files in the directory would keep its owner from starting there.
    func checkDataOwner() throws(StoreError) {
        guard let directory = dataDirectory, let owner = FileUser(owning: directory)?.name.printable else { return }
        throw StoreError(
            .unusable,
            "the data directory \(directory) belongs to '\(owner)', who could not start on files of root in it; start as that user: "
                + "runuser -u \(owner) -- gamed --data \(directory) …, or make it root's: chown -R root \(directory)")
    }

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
                self = .address(
                    try TcpAddress(
                        text, option: option, examples: "127.0.0.1:7650, [::1]:7650, or none", schemes: ("http://", "https://"))
                )
            }
        }

        var place = Place.standard
        var isOpen = false
        var names: [String] = []
        var hasOpenMetrics = false

        /// Adds a name as browsers send it: in ASCII, without the port.
        mutating func addName(_ name: String) throws(UsageError) {
            guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }) else {
                throw UsageError(
                    of: "--http-name",
                    "is a host name like venue.local, without scheme and port, and in ASCII, not '\(name.shortened)'")
            }
            names.append(name)
        }
    }

    struct BluetoothFiles: Equatable, Sendable {
        var devices: String?
        var replay: String?
        var record: String?
    }

    /// Throws if files of the simulated Bluetooth source need another one.
    func checkBluetooth() throws {
        guard bluetooth.devices == nil, bluetooth.replay != nil || bluetooth.record != nil else { return }
        let error = UsageError("a replay or a recording needs devices: --bluetooth FILE defines them")
        throw located(error, bluetooth.replay == nil ? "bluetooth-record" : "bluetooth-replay")
    }

    /// Sockets that replace the addresses in the settings, or are added to them: all requirements for an address apply to these, too.
    struct Activated: Equatable, Sendable {
        var socketPath: String?
        var addresses: [TcpAddress] = []
        var page: TcpAddress?

        func has(_ address: TcpAddress) -> Bool {
            (addresses + [page].compactMap(\.self)).contains { $0.description == address.description }
        }
    }

    /// Listens where the service manager does, and nowhere else on a UNIX socket or for the page.
    mutating func use(_ activated: Activated) {
        self.activated = activated
        socketPath = activated.socketPath ?? socketPath
        let known = addresses.map(\.description)
        addresses += activated.addresses.filter { !known.contains($0.description) }
        guard let page = activated.page else { return }
        // systemd defines the address; the setting defines the protocol.
        web.place = .address(web.place.asked.map(page.speaking) ?? page)
    }

    init() {}

    /// The program and the version of gamed in it.
    var version: String { program == "gamed" ? "gamed \(gamedVersion)" : "\(program) (gamed \(gamedVersion))" }

    /// Parses the words after the program's name.
    init(parsing arguments: [String], of program: String = "gamed") throws(UsageError) {
        self.program = program
        for parsed in try Self.parse(arguments, for: program) { try apply(parsed.option, parsed.value) }
    }

    static func unknownOption(_ word: String, _ name: String) -> UsageError {
        let advice = name == "-h" ? "did you mean '--help'?" : DaemonOption.shown.map(\.name).advice(for: name)
        return UsageError("unknown option '\(word.shortened)'; \(advice)")
    }

    /// A word that is no option: most often a subcommand that is not the first word, or a command that a client sends.
    static func unknownWord(_ word: String, to program: String) -> UsageError {
        let name = word.lowercased()
        if let known = subcommands.first(where: { $0.name == name }) {
            return UsageError(
                "'\(name)' must be the first word, and takes none of the daemon's options before it: \(program) \(known.syntax)"
            )
        }
        if name == "help" { return UsageError("'help' is no option; did you mean '--help'?") }
        let names = subcommands.map(\.name)
        let guess = Suggestion.closest(to: name, among: names).map { "did you mean '\($0)'?" }
        let advice =
            "\(program) takes options, see --help, or one of \(names.joined(separator: ", ")) as the first word; commands are sent "
            + "with gamectl or redis-cli"
        return UsageError("unknown word '\(word.shortened)'; \(guess ?? advice)")
    }

    /// Applies one option; the value is nil for one that was given without.
    mutating func apply(_ option: DaemonOption, _ value: String?) throws(UsageError) {
        switch option.kind {
        case .flag(let apply): if value != DaemonOption.off { apply(&self) }
        case .optional(_, let apply): if value != DaemonOption.off { apply(&self, value) }
        case .value(_, let apply), .list(_, let apply), .pairs(_, let apply): try apply(&self, value ?? "")
        }
    }
}

// MARK: Values

extension Options {
    mutating func addSession(_ value: String) throws(UsageError) {
        let parts = try Self.pair(value, of: "--session", "is NAME=FLOW, like main=game")
        let words = parts.value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let place = words[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard !place[0].isEmpty, place.last?.isEmpty == false else {
            throw UsageError(of: "--session", "is NAME=FLOW or NAME=FLOW:STATE, like main=game:help, not '\(value.shortened)'")
        }
        let beginning = try Self.beginning(state: place.count > 1 ? place[1] : nil, words.count > 1 ? words[1] : nil)
        sessions.append(SessionToBegin(name: parts.name, flow: place[0], beginning: beginning, text: value))
    }

    /// The JSON of NEW, with the state that was named apart from it.
    private static func beginning(state: String?, _ text: String?) throws(UsageError) -> JSON? {
        var members: [JSON.Member] = []
        if let text {
            guard case .object(let given)? = try? JSON(parsing: text) else {
                throw UsageError(
                    of: "--session",
                    "has an object as for NEW behind the flow, like 'main=game:choosingLevel {\"episode\":2}', not '\(text.shortened)'"
                )
            }
            members = given
        }
        guard let state else { return members.isEmpty ? nil : .object(members) }
        guard !members.contains(where: { $0.name == "state" }) else {
            throw UsageError(of: "--session", "names its state once: behind the flow's name, or in the JSON")
        }
        return .object([.init("state", .string(state))] + members)
    }

    mutating func setLimit(_ value: String) throws(UsageError) {
        let parts = try Self.pair(value, of: "--limit", "is NAME=VALUE, like connections=100")
        try limits.set(parts.name, to: parts.value)
    }

    /// Takes over those that can change while the daemon runs.
    mutating func takeLimits(of new: Options) {
        for limit in Limit.all where !limit.isSetAtStart { limits[keyPath: limit.path] = new.limits[keyPath: limit.path] }
    }

    // MARK: `--allow-user` and `--allow-group`

    mutating func allow(_ value: String, _ kind: LocalAccess.Name.Kind) throws(UsageError) {
        allowed.append(try LocalAccess.Name(value, kind))
    }

    /// Users and groups are one list, from two options.
    mutating func takeAllowed(of new: Options) { (allowed, localAccess) = (new.allowed, new.localAccess) }

    /// Finds the users and groups. May ask a directory service. Calls `fail` for each one that the system does not know, with its setting.
    mutating func lookUpAllowed(_ fail: (_ key: String, _ value: String, AccessError) -> Void) {
        localAccess = LocalAccess(allowed) { fail("allow-\($0.kind)", $0.text, $1) }
    }

    private static func pair(_ text: String, of option: String, _ rule: String) throws(UsageError) -> (
        name: String, value: String
    ) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw UsageError(of: option, "\(rule), not '\(text.shortened)'") }
        return (parts[0], parts[1])
    }
}

enum ManualPage: String, Sendable, CaseIterable {
    /// gamed(8): the program.
    case gamed
    /// gamed-commands(7): the commands.
    case commands = "gamed-commands"
    /// gamed-flow(5): flow files.
    case flow = "gamed-flow"
    /// The configuration file, with every setting commented out at its default.
    case configuration = "gamed.json5"

    init(named name: String) throws(UsageError) {
        guard let page = Self(rawValue: name) else {
            throw UsageError("there is no page '\(name)'; \(Self.allCases.map(\.rawValue).available)")
        }
        self = page
    }
}
