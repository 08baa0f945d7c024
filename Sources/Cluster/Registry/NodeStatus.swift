// State that a node publishes, so that all nodes compute the same plan.

import Memory

package struct NodeStatus: Equatable, Sendable {
    /// It hands everything over, and is given nothing.
    package var isLeaving = false
    /// It has died recently and has not stayed up for long enough since: others are given shards before it.
    package var isUnproven = false
    /// Where its page is; nil where it has none that other nodes could reach.
    package var door: NodeEndpoint?
    /// Correction that it adds to the registry's readings of the time.
    package var clock = ClockCorrection()
    /// The shards that it cannot have, with the first flows that it lacks for each.
    package private(set) var declined: [Int: [String]] = [:]
    /// The same shards.
    package private(set) var declinedShards = ShardSet()
    package private(set) var definitions = FlowDefinitions()
    /// By shard and flow, how many sessions the definitions here do not fit: of shards that it has, and of some that it had.
    package private(set) var misfits: [Int: [String: Int]] = [:]

    /// More flows of one shard are not published.
    private static let maxFlowsOfShard = 16

    package init(
        isLeaving: Bool = false, isUnproven: Bool = false, declined: [Int: [String]] = [:], door: NodeEndpoint? = nil
    ) {
        (self.isLeaving, self.isUnproven, self.door) = (isLeaving, isUnproven, door)
        setDeclined(declined)
    }

    package mutating func setDeclined(_ declined: [Int: [String]]) {
        self.declined = declined.mapValues { Array($0.prefix(Self.maxFlowsOfShard)) }
        declinedShards = ShardSet()
        for shard in declined.keys where shard >= 0 { declinedShards.insert(shard) }
    }

    package mutating func decline(_ shard: Int, lacking flows: [String]) {
        declined[shard] = Array(flows.prefix(Self.maxFlowsOfShard))
        declinedShards.insert(shard)
    }

    /// Sets the definitions, and forgets the misfits: they were found with other definitions.
    package mutating func setDefinitions(_ definitions: FlowDefinitions) {
        self.definitions = definitions
        misfits = [:]
    }

    /// With no flows, its definitions fit all sessions of the shard.
    package mutating func setMisfits(_ flows: [String: Int], of shard: Int) {
        guard flows.count > Self.maxFlowsOfShard else { return misfits[shard] = flows.isEmpty ? nil : flows }
        let first = flows.sorted { $0.key < $1.key }.prefix(Self.maxFlowsOfShard)
        misfits[shard] = Dictionary(uniqueKeysWithValues: first.map { ($0.key, $0.value) })
    }

    package func allows(_ shard: Int) -> Bool {
        !isLeaving && !declinedShards.contains(shard)
    }
}

// MARK: - A node's HTTP endpoint: address, certificate and key

package struct NodeEndpoint: Hashable, Sendable {
    package let address: NodeAddress
    /// The SHA-256 of the certificate that is shown there; nil where it speaks in clear.
    package let certificate: String?
    /// Key that signs requests of other nodes: a holder of it can make requests in any client's name.
    package let key: String

    package init(address: NodeAddress, certificate: String?, key: String) {
        (self.address, self.certificate, self.key) = (address, certificate, key)
    }

    /// As a browser is given it.
    package var url: String {
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        return "\(certificate == nil ? "http" : "https")://\(host):\(address.port)"
    }
}

// MARK: - A node's address for clients

package struct NodeAddress: Hashable, Sendable, CustomStringConvertible {
    /// Of a node without a TCP listener, its machine and the path of its UNIX socket.
    package let host: String
    /// 0 without a TCP listener.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// As MOVED says it: an IPv6 address stands there without brackets.
    package var description: String { port == 0 ? host : "\(host):\(port)" }
}

// MARK: - Correction of jumps of the registry's clock

/// Correction that nodes add to the registry's readings since its clock has jumped. They publish it, so that nodes that join use the same time.
package struct ClockCorrection: Equatable, Sendable {
    /// How many jumps it makes up for.
    package private(set) var jumps = 0
    package private(set) var nanoseconds: Int64 = 0
    /// By how many nanoseconds it may be off.
    package private(set) var error: Int64 = 0

    package init() {}

    /// As another node has published it; nil where no clock can have jumped like that.
    package init?(jumps: Int, nanoseconds: Int64, error: Int64) {
        let most = Int64.max / 16 * 15
        guard jumps > 0, (-most...most).contains(nanoseconds), (0...most).contains(error) else { return nil }
        (self.jumps, self.nanoseconds, self.error) = (jumps, nanoseconds, error)
    }

    /// `error` has that of the jumps before in it.
    mutating func count(_ jump: Int64, error: Int64) {
        jumps += 1
        nanoseconds = Int64(clamping: Int128(nanoseconds) - Int128(jump))
        self.error = error
    }
}

// MARK: - The definitions of a node's flows, by which nodes see whether they would restore the same sessions.

package struct FlowDefinitions: Hashable, Sendable {
    /// A node with more flows publishes one digest of the others: its row has at most about 50 KB of them.
    package static let maxListed = 1_000

    /// A short text for each flow, the same where the definitions are the same.
    package let listed: [String: String]
    /// One digest of all flows that are not listed; nil if all are.
    package let rest: String?

    /// As another node has published it.
    package init(listed: [String: String], rest: String?) { (self.listed, self.rest) = (listed, rest) }

    /// Lists the first flows in order of their names.
    package init(_ all: [String: String] = [:]) {
        guard all.count > Self.maxListed else {
            self.init(listed: all, rest: nil)
            return
        }
        let sorted = all.sorted { $0.key < $1.key }
        self.init(
            listed: Dictionary(uniqueKeysWithValues: sorted.prefix(Self.maxListed).map { ($0.key, $0.value) }),
            rest: Self.digest(sorted.dropFirst(Self.maxListed).map { [$0.key, $0.value] }.joined()))
    }

    /// Returns nil if the node does not have the flow.
    package func definition(of flow: String) -> String? { listed[flow] ?? rest }

    /// 64 bits of FNV-1a over texts, each with its end.
    package static func digest(_ texts: some Sequence<String>) -> String {
        var hash = FNV1a()
        for text in texts {
            hash.add(text.utf8)
            hash.add(0xFF)
        }
        return hash.hexadecimal
    }
}

// MARK: - Looking into an array that is sorted.

extension Array {
    /// The first index at which this holds, if it holds from there to the end; the end, if it holds nowhere.
    package func partitionIndex(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
