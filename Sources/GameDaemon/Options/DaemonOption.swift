// The options of the daemon: one list for command line, configuration file, environment, errors, `--help` and the manual.

import Client
import Cluster
import Logging
import Posix

struct DaemonOption: Sendable {
    enum Kind: Sendable {
        typealias Setter = @Sendable (inout Options, String) throws(UsageError) -> Void

        case flag(@Sendable (inout Options) -> Void)
        /// Takes an optional value: the next word, unless that is an option. In a file it is true, false, or a text.
        case optional(String, @Sendable (inout Options, String?) -> Void)
        case value(String, Setter)
        /// The same; it may be given several times. In a file it is a text, or a list of texts.
        case list(String, Setter)
        /// NAME=VALUE, several times. In a file it is an object, too.
        case pairs(String, Setter)
    }

    /// Sections of the help.
    enum Group: String, Sendable, CaseIterable {
        case listening = "Listening and access"
        case hosting = "Flows and sessions"
        case persistence = "Persistence"
        case cluster = "Cluster"
        case bluetooth = "Simulated Bluetooth"
        case service = "Service"
        case other = "Tasks, instead of running the daemon"
        /// For the build.
        case hidden = ""
    }

    let name: String
    let group: Group
    let kind: Kind
    let help: String
    /// The default value, written as on the command line; nil without a default.
    var standard: String?
    /// Puts the value of new options in force, on SIGHUP and RELOAD; nil if a change of it needs a restart.
    var live: (@Sendable (_ inForce: inout Options, _ new: Options) -> Void)?
    /// Whether it is for one start alone, and has no place in the configuration file.
    var isForOneStart = false

    /// Whether SIGHUP and RELOAD apply a change of it.
    var changesLive: Bool { live != nil }

    /// Its name and its value, as the command line of every program is read.
    var syntax: Option { Option(name, isFlag ? nil : label, help, isValueOptional: isValueOptional) }
    var usage: String { syntax.usage }

    static let all = [
        DaemonOption(
            name: "--socket", group: .listening, kind: .value("PATH") { $0.socketPath = $1 },
            help: "path of the UNIX socket (default \(DefaultPaths.socket))", standard: DefaultPaths.socket),
        DaemonOption(
            name: "--listen", group: .listening,
            kind: .list("HOST:PORT") { options, value throws(UsageError) in options.addresses.append(try TcpAddress(value)) },
            help: "also listen on TCP; repeatable; port 0 takes a free port; prefix tls:// or tcp:// to choose "
                + "(default: TLS if --tls-cert is set)"),
        DaemonOption(
            name: "--http", group: .listening,
            kind: .value("HOST:PORT|none") { options, value throws(UsageError) in
                options.web.place = try .init(value, option: "--http")
            },
            help: "address of the page (default 127.0.0.1:7650, if free); prefix as with --listen, https:// or http://",
            standard: "127.0.0.1:7650"),
        DaemonOption(
            name: "--http-open", group: .listening, kind: .flag { $0.web.isOpen = true },
            help: "serve the page on loopback without a login: clients are guests, who may do all but administer the daemon"),
        DaemonOption(
            name: "--http-name", group: .listening,
            kind: .list("NAME") { options, value throws(UsageError) in try options.web.addName(value) },
            help: "host name by which browsers reach this machine, besides its addresses; repeatable"),
        DaemonOption(
            name: "--http-open-metrics", group: .listening, kind: .flag { $0.web.hasOpenMetrics = true },
            help: "serve /metrics without a login"),
        DaemonOption(
            name: "--token-file", group: .listening, kind: .value("FILE") { $0.tokenFile = $1 },
            help:
                "tokens for TCP and HTTP clients, created by gamectl token, or a file with one secret (GAMED_TOKEN)",
            live: { $0.tokenFile = $1.tokenFile }),
        DaemonOption(
            name: "--trust-loopback", group: .listening, kind: .flag { $0.trustsLoopback = true },
            help: "accept local TCP and HTTP clients without a token"),
        DaemonOption(
            name: "--allow-user", group: .listening,
            kind: .list("NAME[:ROLE]") { options, value throws(UsageError) in try options.allow(value, .user) },
            help: "admit a user to the socket, besides the daemon's user and root; ROLE is read, play, orchestrator or "
                + "master (default master); repeatable",
            live: { $0.takeAllowed(of: $1) }),
        DaemonOption(
            name: "--allow-group", group: .listening,
            kind: .list("NAME[:ROLE]") { options, value throws(UsageError) in try options.allow(value, .group) },
            help: "admit a group to the socket; roles as above; repeatable",
            live: { $0.takeAllowed(of: $1) }),
        DaemonOption(
            name: "--tls-cert", group: .listening, kind: .value("FILE") { $0.tls.certificate = $1 },
            help: "certificate chain (PEM) for TLS on TCP and the page (docs/TLS.md)",
            live: { $0.tls.certificate = $1.tls.certificate }),
        DaemonOption(
            name: "--tls-key", group: .listening, kind: .value("FILE") { $0.tls.key = $1 },
            help: "private key of the certificate (PEM)",
            live: { $0.tls.key = $1.tls.key }),
        DaemonOption(
            name: "--tls-client-ca", group: .listening, kind: .value("FILE") { $0.tls.authority = $1 },
            help: "require client certificates signed by one of these authorities (PEM)",
            live: { $0.tls.authority = $1.tls.authority }),
        DaemonOption(
            name: "--flows", group: .hosting, kind: .list("DIR|FILE") { $0.flowFiles.append($1) },
            help: "flow file, or directory with *.json5 and *.json files; repeatable (docs/FLOWS.md)",
            live: { $0.flowFiles = $1.flowFiles }),
        DaemonOption(
            name: "--session", group: .hosting,
            kind: .pairs("NAME=FLOW[:STATE]") { options, value throws(UsageError) in try options.addSession(value) },
            help: "create this session if it does not exist; JSON as for NEW may follow after a space; repeatable"),
        DaemonOption(
            name: "--expire", group: .hosting,
            kind: .pairs("FLOW=DURATION[:drop|restart]") { options, value throws(UsageError) in try options.addExpiry(value) },
            help: "drop (default) or restart sessions of this flow that were idle or final for this time, such as 1h30m; "
                + "repeatable"),
        DaemonOption(
            name: "--accounts", group: .hosting, kind: .value("FILE") { $0.accounts = $1 },
            help: "accounts of the flow onboarding: a JSON file with an entry per session (docs/FLOWS-GALLERY.md)"),
        DaemonOption(
            name: "--time", group: .hosting,
            kind: .value("system|virtual") { options, value throws(UsageError) in
                options.time = try .init(named: value, option: "--time")
            },
            help: "clock: system, or virtual, which only ADVANCE moves (default system)", standard: "system"),
        DaemonOption(
            name: "--console", group: .hosting,
            kind: .optional("SESSION") { options, name in
                options.hasConsole = true
                options.consoleSession = name
            },
            help: "play on this terminal; from a pipe, each line is an event with its payload"),
        DaemonOption(
            name: "--data", group: .persistence,
            kind: .value("DIR|none") { $0.persistence.location = $1 == "none" ? .none : .directory($1) },
            help: "directory for sessions, or none to store nothing (default \(DefaultPaths.data); none in virtual time)",
            standard: DefaultPaths.data),
        DaemonOption(
            name: "--durability", group: .persistence,
            kind: .value("always|everysec|none") { options, value throws(UsageError) in
                options.persistence.durability = try .init(named: value, option: "--durability")
            },
            help: "a crash may lose: nothing, 1 s, everything (default everysec; with --store always)",
            standard: "everysec"),
        DaemonOption(
            name: "--accept-loss", group: .persistence, kind: .flag { $0.persistence.acceptsLoss = true },
            help: "for one start: continue without damaged or missing data; copies the files aside first",
            isForOneStart: true),
        DaemonOption(
            name: "--store", group: .cluster,
            kind: .value("ADDRESS") { options, value throws(UsageError) in try options.setStore(value) },
            help: "store sessions in PostgreSQL instead of --data, for one node or several, such as "
                + "postgres://gamed@db/gamed (docs/SCALE.md)"),
        DaemonOption(
            name: "--advertise", group: .cluster,
            kind: .value("HOST:PORT") { options, value throws(UsageError) in
                options.cluster.advertised = try ClusterOptions.reachable(value, option: "--advertise", example: "venue-a:7654")
            },
            help: "address of this node for clients of other nodes (default: the first --listen)"),
        DaemonOption(
            name: "--advertise-http", group: .cluster,
            kind: .value("HOST:PORT") { options, value throws(UsageError) in
                options.cluster.advertisedPage = try ClusterOptions.reachable(
                    value, option: "--advertise-http", example: "venue-a:7650")
            },
            help:
                "address of this node's page for the other nodes (default: from --http and --advertise)"
        ),
        DaemonOption(
            name: "--bluetooth", group: .bluetooth, kind: .value("FILE") { $0.bluetooth.devices = $1 },
            help: "device file: simulated devices, and the event for each signal (docs/BLUETOOTH.md)",
            live: { $0.bluetooth.devices = $1.bluetooth.devices }),
        DaemonOption(
            name: "--bluetooth-replay", group: .bluetooth, kind: .value("FILE") { $0.bluetooth.replay = $1 },
            help: "replay a btsnoop capture at its own speed"),
        DaemonOption(
            name: "--bluetooth-record", group: .bluetooth, kind: .value("FILE") { $0.bluetooth.record = $1 },
            help: "record the simulated devices as btsnoop"),
        DaemonOption(
            name: "--limit", group: .service,
            kind: .pairs("NAME=VALUE") { options, value throws(UsageError) in try options.setLimit(value) },
            help: "set one of the limits below; repeatable",
            live: { $0.takeLimits(of: $1) }),
        DaemonOption(
            name: "--log", group: .service,
            kind: .value(Log.Level.words) { options, value throws(UsageError) in
                options.logLevel = try Log.Level(reading: value)
            },
            help: "lowest level to log on standard error (default notice)", standard: "notice",
            live: { $0.logLevel = $1.logLevel }),
        DaemonOption(
            name: "--log-time", group: .service,
            kind: .value("local|utc") { options, value throws(UsageError) in
                options.logTime = try .init(named: value, option: "--log-time")
            },
            help: "time zone of log dates (default utc; gamectl reads GAMED_LOG_TIME, default local)",
            standard: "utc",
            live: { $0.logTime = $1.logTime }),
        DaemonOption(
            name: "--config", group: .service, kind: .value("FILE|none") { $0.configuration = $1 },
            help: "configuration file with a key per option (default \(Options.usualConfiguration), if it exists)",
            standard: Options.usualConfiguration, isForOneStart: true),
        DaemonOption(
            name: "--check", group: .other, kind: .flag { $0.task = .check },
            help: "check options, files and flows, print what a start would do, and exit"),
        DaemonOption(
            name: "--init", group: .other, kind: .flag { $0.task = .initialize },
            help: "create gamed's tables in the database of --store, if they do not exist"),
        DaemonOption(
            name: "--shards", group: .other,
            kind: .value("NUMBER") { options, value throws(UsageError) in try options.setShards(value) },
            help: "with --init: number of shards; cannot be changed later "
                + "(default \(ShardMap.usualCount))"),
        DaemonOption(
            name: "--import", group: .other, kind: .value("DIRECTORY") { $0.task = .importDirectory($1) },
            help: "move everything from a stopped daemon's data directory into the database of --store"),
        DaemonOption(
            name: "--export", group: .other, kind: .value("DIRECTORY") { $0.task = .exportDirectory($1) },
            help: "move everything from the database of --store, which no node uses, into a new data directory"),
        DaemonOption(name: "--version", group: .other, kind: .flag { $0.task = .showVersion }, help: "print the version"),
        DaemonOption(name: "--help", group: .other, kind: .flag { $0.task = .showHelp }, help: "print this text"),
        DaemonOption(
            name: "--manual", group: .hidden,
            kind: .value("PAGE") { options, value throws(UsageError) in options.task = .showManual(try ManualPage(named: value))
            },
            help: "print a manual page as roff"),
        DaemonOption(
            name: "--completions", group: .hidden,
            kind: .value("SHELL") { options, value throws(UsageError) in
                options.task = .showCompletions(try Shell(named: value))
            },
            help: "print the completion script for bash, zsh or fish"),
    ]

    static let shown = all.filter { $0.group != .hidden }
}
