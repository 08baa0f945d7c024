// The options for a store that several nodes share.

import Client
import Cluster
import Posix
import Store
import Texts

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
}
