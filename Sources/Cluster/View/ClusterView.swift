// The cluster as one node has last seen it: its nodes, and the owner of each shard. All nodes that have seen all of the same version see the same.

package struct ClusterView: Sendable {
    package let map: ShardMap
    /// The registry's version that this is; 0 before anything has been seen.
    package private(set) var version: Int64 = 0
    /// The nodes that have not ended, in order of incarnation; their incarnations, to look them up by; and their shards.
    package private(set) var nodes: [NodeRecord] = []
    package private(set) var incarnations: [Incarnation] = []
    package private(set) var parts: [ShardSet] = []
    /// Shards without owner.
    package private(set) var free = ShardSet()
    /// Shards with an owner that is not among the nodes: the registry's shards are read a moment after its nodes, and may be newer.
    private var strays = ShardSet()
    /// By shard.
    package private(set) var owners: [Incarnation?]
    package private(set) var epochs: [Int64]

    package init(map: ShardMap) {
        self.map = map
        for shard in 0..<map.count { free.insert(shard) }
        owners = Array(repeating: nil, count: map.count)
        epochs = Array(repeating: 0, count: map.count)
    }

    package func owner(ofShard shard: Int) -> Incarnation? { owners[shard] }

    package func epoch(ofShard shard: Int) -> Int64 { epochs[shard] }

    package func node(_ incarnation: Incarnation) -> NodeRecord? {
        incarnations.sortedIndex(of: incarnation).map { nodes[$0] }
    }

    package mutating func apply(_ update: RegistryUpdate) {
        version = update.version
        for node in update.nodes where !node.hasEnded { upsert(node) }
        for shard in update.shards { apply(shard) }
        for node in update.nodes where node.hasEnded { remove(node.incarnation) }
    }

    private mutating func apply(_ record: ShardRecord) {
        guard owners.indices.contains(record.shard) else { return }
        if record.owner != owners[record.shard] { move(record.shard, to: record.owner) }
        owners[record.shard] = record.owner
        epochs[record.shard] = record.epoch
    }

    private mutating func move(_ shard: Int, to owner: Incarnation?) {
        change(partOf: owners[shard]) { $0.remove(shard) }
        change(partOf: owner) { $0.insert(shard) }
    }

    private mutating func change(partOf owner: Incarnation?, _ change: (inout ShardSet) -> Void) {
        guard let owner else { return change(&free) }
        if let index = incarnations.sortedIndex(of: owner) { change(&parts[index]) } else { change(&strays) }
    }

    private mutating func upsert(_ record: NodeRecord) {
        if let index = incarnations.sortedIndex(of: record.incarnation) {
            nodes[index] = record
        } else {
            let index = incarnations.sortedIndex(notBefore: record.incarnation)
            nodes.insert(record, at: index)
            incarnations.insert(record.incarnation, at: index)
            parts.insert(ShardSet(), at: index)
            for shard in strays where owners[shard] == record.incarnation {
                strays.remove(shard)
                parts[index].insert(shard)
            }
        }
    }

    private mutating func remove(_ incarnation: Incarnation) {
        guard let index = incarnations.sortedIndex(of: incarnation) else { return }
        nodes.remove(at: index)
        incarnations.remove(at: index)
        strays.formUnion(parts.remove(at: index))
    }
}

// MARK: - The reason that a shard has no owner, for people

package enum UnownedReason: Equatable, Sendable {
    /// A node will take it within a second or so.
    case soonTaken
    /// No node is there, or all of them are leaving.
    case nobodyThere
    /// No node that is there can have it: these flows are missing, each on at least one of them.
    case flowsMissing([String])
}

extension ClusterView {
    /// Nil if the shard has an owner.
    package func unownedReason(of shard: Int) -> UnownedReason? {
        guard owner(ofShard: shard) == nil else { return nil }
        let staying = nodes.filter { !$0.standing.isLeaving }
        if staying.isEmpty { return .nobodyThere }
        if staying.contains(where: { $0.standing.allows(shard) }) { return .soonTaken }
        return .flowsMissing(Set(staying.flatMap { $0.standing.declined[shard] ?? [] }).sorted())
    }

    // MARK: Redirection of clients

    /// The node that owns a slot; nil if none does.
    package func owner(ofSlot slot: Int) -> NodeRecord? {
        owner(ofShard: map.shard(ofSlot: slot)).flatMap(node)
    }
}

// MARK: - Flows with different definitions on different nodes, for people

package struct DifferingFlow: Equatable, Sendable {
    /// A definition, and the nodes that have it.
    package struct Version: Equatable, Sendable {
        /// Nil where the nodes do not have the flow.
        package let definition: String?
        package fileprivate(set) var nodes: [NodeAddress]
    }

    package let flow: String
    /// In the order in which their first nodes have joined.
    package fileprivate(set) var versions: [Version] = []
}

extension ClusterView {
    /// In order of names. Nodes that publish no flows are left out.
    package var differingFlows: [DifferingFlow] {
        let telling = nodes.filter { $0.standing.definitions != FlowDefinitions() }
        guard let first = telling.first?.standing.definitions, telling.contains(where: { $0.standing.definitions != first })
        else {
            return []
        }
        let flows = Set(telling.flatMap { $0.standing.definitions.listed.keys }).sorted()
        return flows.map { differing($0, telling) }.filter { $0.versions.count > 1 }
    }

    /// A node that has more flows than it lists may have this one.
    private func differing(_ flow: String, _ nodes: [NodeRecord]) -> DifferingFlow {
        var differing = DifferingFlow(flow: flow)
        for node in nodes {
            let definitions = node.standing.definitions
            let definition = definitions.listed[flow]
            if definition == nil, definitions.rest != nil { continue }
            if let known = differing.versions.firstIndex(where: { $0.definition == definition }) {
                differing.versions[known].nodes.append(node.address)
            } else {
                differing.versions.append(DifferingFlow.Version(definition: definition, nodes: [node.address]))
            }
        }
        return differing
    }
}
