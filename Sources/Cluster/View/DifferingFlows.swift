// Flows whose definitions are not the same on all nodes, for people.

package struct DifferingFlow: Equatable, Sendable {
    /// A definition, and the nodes that have it.
    package struct Version: Equatable, Sendable {
        /// Nil where the nodes do not have the flow.
        package let definition: String?
        package fileprivate(set) var nodes: [Incarnation]
    }

    package let flow: String
    /// In the order in which their first nodes have joined.
    package fileprivate(set) var versions: [Version] = []
}

extension ClusterView {
    /// In order of names. Nodes that say nothing of their flows are left out.
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
                differing.versions[known].nodes.append(node.incarnation)
            } else {
                differing.versions.append(DifferingFlow.Version(definition: definition, nodes: [node.incarnation]))
            }
        }
        return differing
    }
}
