// The nodes that take part in a plan, by their indices in the view.

struct PlanInput {
    let view: ClusterView
    let context: PlanContext
    /// The nodes that may be given something, in order of incarnation.
    private(set) var takers: [Int] = []
    /// Those that give everything they have, in order of incarnation.
    private(set) var leavers: [Int] = []
    /// By taker's index in the view: shards of which other takers can restore more sessions.
    private var unfit: [Int: ShardSet] = [:]

    /// With a shard, `declined(by:)` leaves out what nodes should leave to others of all other shards: those can be thousands.
    init(_ view: ClusterView, _ context: PlanContext, of shard: Int? = nil) {
        (self.view, self.context) = (view, context)
        for (index, node) in view.incarnations.enumerated()
        where !context.absent.contains(node) && !context.ending.contains(node) {
            if standing(index).isLeaving { leavers.append(index) } else { takers.append(index) }
        }
        let standings = view.nodes.indices.map(standing)
        if standings.contains(where: { !$0.misfits.isEmpty }) {
            let sets = UnfitShards(standings, of: shard).sets(takers.map { standings[$0] })
            for (index, shards) in zip(takers, sets) { unfit[index] = shards }
        }
    }

    private func standing(_ index: Int) -> NodeStatus {
        view.incarnations[index] == context.me ? context.standing : view.nodes[index].standing
    }

    /// Shards that a node cannot have, or should leave to others. An unproven node is given nothing that a proven one could have, and keeps its
    /// shards.
    func declined(by index: Int) -> ShardSet {
        let own = unsuited(to: index)
        guard standing(index).isUnproven, let proven = declinedByProven else { return own }
        var declined = own
        declined.formUnion(all.subtracting(proven).subtracting(view.parts[index]))
        return declined
    }

    /// Shards that a node cannot have, or should leave to others with better fitting definitions.
    private func unsuited(to index: Int) -> ShardSet {
        var shards = standing(index).declinedShards
        if let others = unfit[index] { shards.formUnion(others) }
        return shards
    }

    /// The shards that no proven taker can have; nil if no taker is proven.
    private var declinedByProven: ShardSet? {
        let proven = takers.filter { !standing($0).isUnproven }.map(unsuited)
        guard let first = proven.first else { return nil }
        return proven.dropFirst().reduce(first) { $0.intersection($1) }
    }

    private var all: ShardSet { (0..<view.map.count).reduce(into: ShardSet()) { $0.insert($1) } }

    /// Shards that have no owner, or soon will have none.
    var adoptable: ShardSet {
        var adoptable = view.free
        for node in context.ending {
            if let index = view.incarnations.sortedIndex(of: node) { adoptable.formUnion(view.parts[index]) }
        }
        return adoptable
    }
}

// MARK: - Context of a plan

package struct PlanContext: Equatable, Sendable {
    /// The node that plans.
    package let me: Incarnation
    /// Its standing, which the view may not know yet.
    package let standing: NodeStatus
    /// Nodes that have missed a renewal: they keep their shards, and are given nothing.
    package let absent: Set<Incarnation>
    /// Nodes that are about to be ended.
    package let ending: Set<Incarnation>
}

// MARK: - Which nodes should not have a shard

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

    /// The different definitions, and the index of each taker's definitions.
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
