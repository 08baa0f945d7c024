// Flows that nodes define differently, while an operator changes a flow file node by node.

extension Member {
    /// Publishes the definitions of this node's flows. Those of very many flows are left out: every node reads them.
    package func define(_ definitions: [String: String]) {
        let some = definitions.sorted { $0.key < $1.key }.prefix(Self.mostDefinitions)
        standing.definitions = Dictionary(uniqueKeysWithValues: some.map { ($0.key, $0.value) })
        nextPlan = .zero
    }

    private static var mostDefinitions: Int { 1_000 }

    /// The shards that this node cannot have, with the flows of each.
    package var declined: [Int: [String]] { standing.declined }

    /// Whether another node that stays has another definition of this flow, and has not declined the shard.
    package func mayFitElsewhere(_ flow: String, ofShard shard: Int) -> Bool {
        view.nodes.contains { node in
            guard node.incarnation != incarnation, node.standing.allows(shard), !silentNodes.contains(node.incarnation),
                let definition = node.standing.definitions[flow]
            else { return false }
            return definition != standing.definitions[flow]
        }
    }
}

extension ClusterView {
    /// The flows that nodes define differently.
    package var differingFlows: [String] {
        var seen: [String: String] = [:]
        var differing: Set<String> = []
        for (flow, definition) in nodes.lazy.flatMap(\.standing.definitions)
        where seen.updateValue(definition, forKey: flow) ?? definition != definition {
            differing.insert(flow)
        }
        return differing.sorted()
    }
}
