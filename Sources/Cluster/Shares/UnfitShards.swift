// Which nodes should not have a shard, since the definitions of others fit more of its sessions.
//
// Nodes publish how many sessions of a shard did not fit when they loaded it. That holds for every node with the same definitions. Of definitions
// under which nobody has loaded the shard it is hoped that they fit all: their nodes are given the shard, and publish what they find. As long as
// nobody serves the shard, its sessions stay what they are, so each definition is tried once at most, and then the best one is known.

struct UnfitShards {
    private struct Version: Hashable {
        let flow: String
        let definition: String?
    }

    /// By shard, how many sessions are known not to fit.
    private var known: [Int: [Version: Int]] = [:]

    /// Of all shards, or of one.
    init(_ standings: some Sequence<NodeStatus>, of shard: Int? = nil) {
        for standing in standings {
            if let shard {
                record(standing.misfits[shard] ?? [:], of: shard, standing.definitions)
                continue
            }
            for (shard, flows) in standing.misfits { record(flows, of: shard, standing.definitions) }
        }
    }

    private mutating func record(_ flows: [String: Int], of shard: Int, _ definitions: FlowDefinitions) {
        for (flow, count) in flows {
            let version = Version(flow: flow, definition: definitions.definition(of: flow))
            known[shard, default: [:]][version] = max(count, known[shard]?[version] ?? 0)
        }
    }

    /// For each of the takers the shards of which another taker can restore more sessions.
    func sets(_ takers: [NodeStatus]) -> [ShardSet] {
        var sets = Array(repeating: ShardSet(), count: takers.count)
        guard !known.isEmpty else { return sets }
        let (kinds, kindOfTaker) = Self.grouped(takers)
        guard kinds.count > 1 else { return sets }
        for (shard, known) in known {
            let counts = kinds.map { Self.count(known, under: $0) }
            let able = takers.indices.filter { !takers[$0].declinedShards.contains(shard) }
            guard let least = able.lazy.map({ counts[kindOfTaker[$0]] }).min() else { continue }
            for taker in able where counts[kindOfTaker[taker]] > least { sets[taker].insert(shard) }
        }
        return sets
    }

    /// The different definitions, and by taker the index of its own.
    private static func grouped(_ takers: [NodeStatus]) -> (kinds: [FlowDefinitions], ofTaker: [Int]) {
        var kinds: [FlowDefinitions] = []
        let ofTaker = takers.map { taker in
            if let kind = kinds.firstIndex(of: taker.definitions) { return kind }
            kinds.append(taker.definitions)
            return kinds.count - 1
        }
        return (kinds, ofTaker)
    }

    /// A node without the flow can restore none of its sessions.
    private static func count(_ known: [Version: Int], under definitions: FlowDefinitions) -> Int {
        var sum = 0
        for flow in Set(known.keys.lazy.map(\.flow)) {
            guard let definition = definitions.definition(of: flow) else { return .max }
            sum += known[Version(flow: flow, definition: definition)] ?? 0
        }
        return sum
    }
}
