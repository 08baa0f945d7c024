// The options of the command line: one list for parsing, errors, `--help` and the manual.

import Cluster
import Installation
import Logging
import Posix

struct Option: Sendable {
    enum Kind: Sendable {
        case flag(@Sendable (inout Options) -> Void)
        /// Takes an optional value: the next word, unless that is an option.
        case optional(String, @Sendable (inout Options, String?) -> Void)
        case value(String, @Sendable (inout Options, String) throws(UsageError) -> Void)
        /// The same; it may be given several times.
        case list(String, @Sendable (inout Options, String) throws(UsageError) -> Void)
    }

    /// Sections of the help.
    enum Group: String, Sendable, CaseIterable {
        case listening = "Where it listens, and to whom"
        case hosting = "What it hosts"
        case persistence = "What it keeps"
        case cluster = "Beyond one machine"
        case bluetooth = "Simulated Bluetooth"
        case service = "The service"
        case other = "Instead of serving"
        /// For the build.
        case hidden = ""
    }

    let name: String
    let group: Group
    let kind: Kind
    let help: String
    /// Its value where nobody gives it one, written as on the command line; nil where it has none.
    var standard: String?
    /// Puts the value of new options in force, on SIGHUP and RELOAD; nil if a change of it needs a restart.
    var live: (@Sendable (_ inForce: inout Options, _ new: Options) -> Void)?
    /// Whether it is for one start alone, and has no place in the configuration file.
    var isForOneStart = false

    /// Whether SIGHUP and RELOAD apply a change of it.
    var changesLive: Bool { live != nil }

    var usage: String {
        switch kind {
        case .flag: name
        case .optional(let label, _): "\(name) [\(label)]"
        case .value(let label, _), .list(let label, _): "\(name) \(label)"
        }
    }

    static let all = [
        Option(
            name: "--socket", group: .listening, kind: .value("PATH") { $0.socketPath = $1 },
            help: "the UNIX socket (\(DefaultPaths.socket))", standard: DefaultPaths.socket),
        Option(
            name: "--listen", group: .listening,
            kind: .list("HOST:PORT") { options, value throws(UsageError) in options.addresses.append(try TcpAddress(value)) },
            help: "TCP as well; may be given several times; port 0 is any that is free; tls:// or tcp:// before it says "
                + "whether it speaks TLS, as it does where there is a certificate"),
        Option(
            name: "--http", group: .listening,
            kind: .value("HOST:PORT|none") { options, value throws(UsageError) in
                options.web.place = try .init(value, option: "--http")
            },
            help: "the page, for a browser (127.0.0.1:7650, if that is free); https:// or http:// before it as with --listen",
            standard: "127.0.0.1:7650"),
        Option(
            name: "--http-open", group: .listening, kind: .flag { $0.web.isOpen = true },
            help: "on loopback, the page asks nobody to log in"),
        Option(
            name: "--http-name", group: .listening, kind: .list("NAME") { $0.web.names.append($1) },
            help: "a name by which browsers call this machine, besides its addresses; may be given several times"),
        Option(
            name: "--http-open-metrics", group: .listening, kind: .flag { $0.web.hasOpenMetrics = true },
            help: "/metrics needs no login"),
        Option(
            name: "--token-file", group: .listening, kind: .value("FILE") { $0.tokenFile = $1 },
            help:
                "the tokens that TCP and HTTP clients must send, made by gamectl token; or a file with one secret (GAMED_TOKEN)",
            live: { $0.tokenFile = $1.tokenFile }),
        Option(
            name: "--trust-loopback", group: .listening, kind: .flag { $0.trustsLoopback = true },
            help: "ask nobody on this machine for a token, over TCP and HTTP"),
        Option(
            name: "--allow-user", group: .listening,
            kind: .list("NAME[:ROLE]") { options, value throws(UsageError) in try options.allow(value, .user) },
            help: "a user who may use the socket, besides the daemon's own and root: as read, play, orchestrator or master; "
                + "may be given several times",
            live: { $0.takeAllowed(of: $1) }),
        Option(
            name: "--allow-group", group: .listening,
            kind: .list("NAME[:ROLE]") { options, value throws(UsageError) in try options.allow(value, .group) },
            help: "a group whose members may use the socket; the file is given to it; may be given several times",
            live: { $0.takeAllowed(of: $1) }),
        Option(
            name: "--tls-cert", group: .listening, kind: .value("FILE") { $0.tls.certificate = $1 },
            help: "a certificate with its chain, as PEM: TCP and the page speak TLS with it (docs/TLS.md)",
            live: { $0.tls.certificate = $1.tls.certificate }),
        Option(
            name: "--tls-key", group: .listening, kind: .value("FILE") { $0.tls.key = $1 },
            help: "the key of that certificate, as PEM",
            live: { $0.tls.key = $1.tls.key }),
        Option(
            name: "--tls-client-ca", group: .listening, kind: .value("FILE") { $0.tls.authority = $1 },
            help: "over TLS, clients must show a certificate that one of these has signed",
            live: { $0.tls.authority = $1.tls.authority }),
        Option(
            name: "--flows", group: .hosting, kind: .list("DIR|FILE") { $0.flowFiles.append($1) },
            help: "flow files: one, or all *.json5 and *.json of a folder; may be given several times (docs/FLOWS.md)",
            live: { $0.flowFiles = $1.flowFiles }),
        Option(
            name: "--session", group: .hosting,
            kind: .list("NAME=FLOW") { options, value throws(UsageError) in try options.addSession(value) },
            help: "a session to begin with; may be given several times"),
        Option(
            name: "--expire", group: .hosting,
            kind: .list("FLOW=DURATION[:drop|restart]") { options, value throws(UsageError) in try options.addExpiry(value) },
            help: "drop a session of this flow (or begin it anew) once nobody has touched it, or it has been over, "
                + "for so long; may be given several times"),
        Option(
            name: "--time", group: .hosting,
            kind: .value("system|virtual") { options, value throws(UsageError) in try options.setTime(value) },
            help: "the clock: the machine's, or a virtual one that ADVANCE moves (system)", standard: "system"),
        Option(
            name: "--console", group: .hosting,
            kind: .optional("SESSION") { options, name in
                options.hasConsole = true
                options.consoleSession = name
            },
            help: "play on this terminal; from a pipe, each line is an event and its payload"),
        Option(
            name: "--data", group: .persistence, kind: .value("DIR|none") { options, value in options.setData(value) },
            help: "where sessions are kept over a restart, or none (\(DefaultPaths.data); none in virtual time)",
            standard: DefaultPaths.data),
        Option(
            name: "--durability", group: .persistence,
            kind: .value("always|everysec|none") { options, value throws(UsageError) in try options.setDurability(value) },
            help: "what a crash of the machine may lose: nothing, a second, or everything (everysec; with --store always)",
            standard: "everysec"),
        Option(
            name: "--accept-loss", group: .persistence, kind: .flag { $0.persistence.acceptsLoss = true },
            help: "for one start: go on without damaged or missing data; the files are copied aside first",
            isForOneStart: true),
        Option(
            name: "--store", group: .cluster,
            kind: .value("ADDRESS") { options, value throws(UsageError) in try options.setStore(value) },
            help: "PostgreSQL that keeps the sessions, in place of --data, for this daemon alone or for several: "
                + "postgres://gamed@db/gamed (docs/SCALE.md)"),
        Option(
            name: "--advertise", group: .cluster,
            kind: .value("HOST:PORT") { options, value throws(UsageError) in
                options.cluster.advertised = try ClusterOptions.reachable(value, option: "--advertise", example: "venue-a:7654")
            },
            help: "where clients of the other nodes find this one (the first --listen)"),
        Option(
            name: "--advertise-http", group: .cluster,
            kind: .value("HOST:PORT") { options, value throws(UsageError) in
                options.cluster.advertisedPage = try ClusterOptions.reachable(
                    value, option: "--advertise-http", example: "venue-a:7650")
            },
            help:
                "where other nodes find this one's page, through which theirs show its sessions, too (as --http and --advertise say)"
        ),
        Option(
            name: "--bluetooth", group: .bluetooth, kind: .value("FILE") { $0.bluetooth.devices = $1 },
            help: "the device file: devices, and which of their signals is which event (docs/BLUETOOTH.md)",
            live: { $0.bluetooth.devices = $1.bluetooth.devices }),
        Option(
            name: "--bluetooth-replay", group: .bluetooth, kind: .value("FILE") { $0.bluetooth.replay = $1 },
            help: "replay a btsnoop capture with its own timing"),
        Option(
            name: "--bluetooth-record", group: .bluetooth, kind: .value("FILE") { $0.bluetooth.record = $1 },
            help: "record what the simulated devices do, as btsnoop"),
        Option(
            name: "--limit", group: .service,
            kind: .list("NAME=VALUE") { options, value throws(UsageError) in try options.setLimit(value) },
            help: "set one of the limits below; may be given several times",
            live: { $0.takeLimits(of: $1) }),
        Option(
            name: "--log", group: .service,
            kind: .value("LEVEL") { options, value throws(UsageError) in try options.setLogLevel(value) },
            help: "what to log on standard error: \(Log.Level.names) (notice)", standard: "notice",
            live: { $0.logLevel = $1.logLevel }),
        Option(
            name: "--log-time", group: .service,
            kind: .value("local|utc") { options, value throws(UsageError) in try options.setLogTime(value) },
            help: "dates in the log: this machine's time, or UTC (utc); gamectl follows GAMED_LOG_TIME, too (local)",
            standard: "utc",
            live: { $0.logTime = $1.logTime }),
        Option(
            name: "--config", group: .service, kind: .value("FILE|none") { $0.configuration = $1 },
            help: "the configuration file: a key for each of these options (\(Options.usualConfiguration), if it is there)",
            standard: Options.usualConfiguration, isForOneStart: true),
        Option(
            name: "--check", group: .other, kind: .flag { $0.task = .check },
            help: "check options, files and flows without starting, and say what would happen"),
        Option(
            name: "--init", group: .other, kind: .flag { $0.task = .initialize },
            help: "make gamed's tables in the database of --store, if they are not there yet"),
        Option(
            name: "--shards", group: .other,
            kind: .value("NUMBER") { options, value throws(UsageError) in try options.setShards(value) },
            help: "with --init: how many parts of all sessions move between nodes as one, for ever "
                + "(\(ShardMap.usualCount))"),
        Option(name: "--version", group: .other, kind: .flag { $0.task = .showVersion }, help: "print the version"),
        Option(name: "--help", group: .other, kind: .flag { $0.task = .showHelp }, help: "print this text"),
        Option(
            name: "--manual", group: .hidden,
            kind: .value("PAGE") { options, value throws(UsageError) in options.task = .showManual(try ManualPage(named: value))
            },
            help: "print a page of the manual as roff"),
        Option(
            name: "--completions", group: .hidden,
            kind: .value("SHELL") { options, value throws(UsageError) in
                options.task = .showCompletions(try Shell(named: value))
            },
            help: "print a script with which bash, zsh or fish completes these options"),
    ]

    static let shown = all.filter { $0.group != .hidden }
    static let names = shown.map(\.name).joined(separator: ", ")
}
