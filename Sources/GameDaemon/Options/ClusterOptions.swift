// What the options say of a store that several nodes share.

import Cluster
import Posix
import Store
import Texts

struct ClusterOptions: Equatable, Sendable {
    /// A URI, as libpq takes it; nil where sessions are in a directory.
    var store: String?
    /// Where clients find this node, who may know it by a name.
    var advertised: HostAndPort?
    /// Where other nodes find this node's page, who may know it by a name.
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
    func checkCluster() throws(UsageError) {
        guard cluster.store != nil else {
            for (option, value) in [("--advertise", cluster.advertised), ("--advertise-http", cluster.advertisedPage)]
            where value != nil {
                throw UsageError(of: option, "is for a daemon with --store, which may have others beside it")
            }
            if cluster.shards != nil {
                throw UsageError(of: "--shards", "is of a database: it goes with --store, when --init makes its tables")
            }
            return
        }
        if time == .virtual {
            throw UsageError(of: "--store", "and --time virtual exclude each other: the database's time is that of all nodes")
        }
        if case .directory = persistence.location {
            throw UsageError(of: "--store", "and --data exclude each other: sessions are in the database, or in a directory")
        }
        if persistence.durability == .none {
            throw UsageError(of: "--store", "keeps sessions: --durability is always or everysec with it")
        }
    }

    /// With a database, nothing that was answered is lost, unless somebody wants that.
    var sharedDurability: Durability {
        origins.settings["durability"] != nil && persistence.durability == .everysec ? .everysec : .always
    }

    /// Where clients find this node: as the options say, or where it listens first. `port` is the one that it listens at there.
    func advertised(port: UInt16?) -> NodeAddress {
        if let address = cluster.advertised { return NodeAddress(host: address.host, port: Int(address.port)) }
        guard let first = addresses.first else { return NodeAddress(host: "127.0.0.1", port: 0) }
        return NodeAddress(host: first.isEverywhere ? MachineName.own : first.host, port: Int(port ?? first.port))
    }

    /// Where other nodes find this one's page, which listens here: as the options say, or there. Nil where only this machine can reach it, and
    /// the node is for others.
    func advertisedPage(listening address: HostAndPort) -> NodeAddress? {
        if let asked = cluster.advertisedPage { return NodeAddress(host: asked.host, port: Int(asked.port)) }
        let node = advertised(port: nil)
        let isEverywhere = ["0.0.0.0", "::"].contains(address.host)
        if isEverywhere {
            let host = cluster.advertised == nil ? MachineName.own : node.host
            return NodeAddress(host: host, port: Int(address.port))
        }
        let isForOthers = node.host != "localhost" && !TcpAddress.isLoopback(node.host)
        if isForOthers, TcpAddress.isLoopback(address.host) { return nil }
        return NodeAddress(host: address.host, port: Int(address.port))
    }

    /// An address without its password, which may stand behind the user's name or among the parameters.
    static func hidden(_ address: String) -> String {
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return hiddenInPlace(address) }
        let parameters = parts[1].split(separator: "&").map {
            $0.lowercased().hasPrefix("password=") ? "password=…" : String($0)
        }
        return hiddenInPlace(parts[0]) + "?" + parameters.joined(separator: "&")
    }

    private static func hiddenInPlace(_ address: String) -> String {
        let words = address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, let at = words[2].lastIndex(of: "@"), let colon = words[2][..<at].firstIndex(of: ":") else {
            return address
        }
        return "\(words[0])//\(words[2][...colon])…\(words[2][at...])"
    }
}
