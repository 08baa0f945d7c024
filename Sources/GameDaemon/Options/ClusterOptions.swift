// The options for a store that several nodes share.

import Client
import Cluster
import Commands
import Posix
import Sessions
import Simulation
import Store
import Texts
import Timers

struct ClusterOptions: Equatable, Sendable {
    /// A URI, as libpq takes it; nil where sessions are in a directory.
    var store: String?
    /// The node's address for clients, which may know it by a name.
    var advertised: HostAndPort?
    /// The address of this node's page for other nodes, which may know it by a name.
    var advertisedPage: HostAndPort?
    /// With `--init`; nil for the usual number.
    var shards: Int?

    /// An address at which others find this node.
    static func reachable(_ text: String, option: String, example: String) throws(UsageError) -> HostAndPort {
        let address = try HostAndPort(text, option: option, examples: example)
        guard address.port > 0 else {
            throw UsageError(
                of: option, "is where others find this node, like \(example): its port is one from 1 to 65535, and not 0")
        }
        return address
    }
}

extension Options {
    mutating func setStore(_ value: String) throws(UsageError) {
        let schemes = ["postgres://", "postgresql://"]
        guard schemes.contains(where: value.hasPrefix) else {
            throw UsageError(
                of: "--store", "is an address like postgres://gamed@db/gamed, not '\(Self.hidden(value).shortened)'")
        }
        cluster.store = value
    }

    mutating func setShards(_ value: String) throws(UsageError) {
        guard let count = Int(value), let map = ShardMap(count: count) else {
            let most = ShardMap.allowedCounts
            throw UsageError(
                of: "--shards", "is a number from \(most.lowerBound) to \(most.upperBound), not '\(value.shortened)'")
        }
        cluster.shards = map.count
    }

    /// Throws where options contradict each other.
    func checkCluster() throws {
        guard let (key, rest) = clusterContradiction else { return }
        throw located(UsageError(of: "--\(key)", rest), key)
    }

    /// The setting that contradicts others, and how.
    private var clusterContradiction: (key: String, rest: String)? {
        guard cluster.store != nil else {
            if cluster.advertised != nil { return ("advertise", "requires --store") }
            if cluster.advertisedPage != nil { return ("advertise-http", "requires --store") }
            return cluster.shards.map { _ in ("shards", "requires --store; it applies when --init creates the tables") }
        }
        if time == .virtual { return ("store", "and --time virtual exclude each other: all nodes use the database's clock") }
        if case .directory = persistence.location {
            return ("store", "and --data exclude each other: sessions are in the database, or in a directory")
        }
        return persistence.durability == .none ? ("store", "requires --durability always or everysec") : nil
    }

    /// With a database, no acknowledged change is lost, unless the operator asks for `everysec`.
    var sharedDurability: Durability {
        origins.settings["durability"] != nil && persistence.durability == .everysec ? .everysec : .always
    }

    /// Where clients find this node: as the options say, or where it listens first. `port` is the one that it listens at there. People tell nodes
    /// without a TCP listener apart by their UNIX sockets.
    func advertised(port: UInt16?) -> NodeAddress {
        if let address = cluster.advertised { return NodeAddress(host: address.host, port: Int(address.port)) }
        guard let first = addresses.first else { return NodeAddress(host: "\(MachineName.own):\(socketPath)", port: 0) }
        return NodeAddress(host: first.isEverywhere ? MachineName.own : first.host, port: Int(port ?? first.port))
    }

    /// Where other nodes find this one's page, which listens here: as the options say, or there. Nil where only this machine can reach it, and
    /// the node is for others.
    func advertisedPage(listening address: HostAndPort) -> NodeAddress? {
        if let asked = cluster.advertisedPage { return NodeAddress(host: asked.host, port: Int(asked.port)) }
        let node = advertised(port: nil)
        if address.isEverywhere {
            let host = cluster.advertised == nil ? MachineName.own : node.host
            return NodeAddress(host: host, port: Int(address.port))
        }
        let hasPort = cluster.advertised != nil || !addresses.isEmpty
        let isForOthers = hasPort && node.host != "localhost" && !TcpAddress.isLoopback(node.host)
        if isForOthers, TcpAddress.isLoopback(address.host) { return nil }
        return NodeAddress(host: address.host, port: Int(address.port))
    }

    /// An address without its passwords: one may follow the user's name, and others be among the parameters.
    static func hidden(_ address: String) -> String {
        guard let scheme = address.firstRange(of: "://") else { return hiddenKeywords(address) }
        // A password may have a question mark: parameters begin behind the host.
        let authority = address[scheme.upperBound...].prefix { $0 != "/" }
        let hasPassword = authority.prefix { $0 != "?" }.contains(":")
        let host = (hasPassword ? authority.lastIndex(of: "@") : nil) ?? authority.startIndex
        guard let question = address[host...].firstIndex(of: "?") else { return hiddenInPlace(address[...]) }
        let parameters = address[question...].dropFirst().split(separator: "&").map { parameter in
            let name = ["password", "sslpassword"].first { parameter.lowercased().hasPrefix("\($0)=") }
            return name.map { "\($0)=…" } ?? String(parameter)
        }
        return hiddenInPlace(address[..<question]) + "?" + parameters.joined(separator: "&")
    }

    /// libpq's other form, which --store refuses. What follows a password is hidden, too: in quotes it may have blanks.
    private static func hiddenKeywords(_ words: String) -> String {
        words.firstRange(of: "password").map { words[..<$0.upperBound] + "=…" } ?? words
    }

    private static func hiddenInPlace(_ address: Substring) -> String {
        let words = address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, let at = words[2].lastIndex(of: "@"), let colon = words[2][..<at].firstIndex(of: ":") else {
            return String(address)
        }
        return "\(words[0])//\(words[2][...colon])…\(words[2][at...])"
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

    // MARK: Output of `--help`

    var help: String {
        let width = (DaemonOption.shown.map(\.usage) + Self.subcommands.map(\.syntax)).map(\.count).max() ?? 0
        let groups = DaemonOption.Group.allCases.filter { $0 != .hidden }.map { group in
            let options = DaemonOption.shown.filter { $0.group == group }.map { ($0.usage, $0.help) }
            let tasks = group == .other ? Self.subcommands.map { ($0.syntax, $0.summary) } : []
            return Self.section(group.rawValue, options + tasks, width)
        }
        let limits = Limit.all.map { limit in ("\(limit.name)=\(limit.standard)", limit.sentence) }
        return """
            usage: \(program) [options]

            Runs game flows: processes made of states, events and timers.

            \(groups.joined(separator: "\n\n"))

            \(Self.section("Limits", limits, limits.map(\.0.count).max() ?? 0))

            Each option is also a key of the configuration file (JSON5, --config) and an environment variable: --http-open is
            "http-open" and GAMED_HTTP_OPEN. Options override the environment, and the environment overrides the file.
            The tasks above have neither; --config and --accept-loss, which is for one start, are no keys of the file.

            SIGTERM and SIGINT stop gamed once it has answered pending requests; SIGHUP reloads the configuration and the flow, token and
            device files. Commands: man gamed-commands, gamectl help, or redis-cli -s \(DefaultPaths.socket) COMMAND DOCS.
            The package installs documents (docs/…) in share/doc/gamed, alerts and a dashboard in share/gamed/monitoring.
            """
    }

    /// Subcommands: the first word of the command line, instead of options.
    static var subcommands: [Subcommand] { .rehearsals(of: .builtIn) }

    private static func section(_ title: String, _ entries: [(String, String)], _ width: Int) -> String {
        let lines = entries.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)" }
        return "\(title):\n\(lines.joined(separator: "\n"))"
    }

    // MARK: `--expire FLOW=DURATION[:drop|restart]`

    mutating func addExpiry(_ value: String) throws(UsageError) {
        let rule = try ExpiryRule(option: value)
        guard !expiries.contains(where: { $0.flow == rule.flow }) else {
            throw UsageError(of: "--expire", "names the flow '\(rule.flow.shortened)' twice; its sessions expire by one rule")
        }
        expiries.append(rule)
    }
}

extension ExpiryRule {
    /// Drops the session, unless the option restarts it.
    init(option text: String) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw UsageError(
                of: "--expire",
                "is FLOW=DURATION, FLOW=DURATION:drop or FLOW=DURATION:restart, like kiosk=10m:restart, not '\(text.shortened)'"
            )
        }
        let words = parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let length = Duration(text: words[0]) else {
            throw UsageError(of: "--expire", "\(parts[0].shortened): \(Duration.complaint(about: words[0].shortened))")
        }
        guard length >= Self.minLength else {
            throw UsageError(
                of: "--expire",
                "\(parts[0].shortened): '\(words[0].shortened)' is \(length.written); a session lives for \(Self.minLength.written) at least"
            )
        }
        let subject = "\(parts[0].shortened): the action "
        let action: Action = words.count == 1 ? .drop : try Action(named: words[1], option: "--expire", subject: subject)
        self.init(flow: parts[0], length: length, action: action)
    }

    /// For the start's lines.
    var sentence: String { "\(flow) (\(action == .drop ? "dropped" : "restarted") after \(length.written))" }
}
