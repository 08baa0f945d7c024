// Who should have what: the same for everybody who sees the same, so that nobody has to be asked.

/// What follows for one node.
package struct SharePlan: Equatable, Sendable {
    /// Its own shards that others should have, in the order in which it offered them; nobody can have one without a taker.
    package var gifts: [Assignment] = []
    /// The shards without owner, and those of the nodes that are to end, with who takes them. Those that nobody can have are left out.
    package var adoptions: [Assignment] = []
}

package struct Assignment: Equatable, Sendable {
    package let shard: Int
    package let taker: Incarnation?
}

/// What a plan is made from, beside the view.
package struct PlanInput {
    package let view: ClusterView
    /// Who plans.
    package let me: Incarnation
    /// Its standing, which the view may not know yet.
    package let standing: Standing
    /// Its shards, those first that it would rather give. They are only asked for where it has something to give.
    package let mine: () -> [Int]
    /// Nodes that have missed a renewal: they keep what they have, and are given nothing.
    package let absent: Set<Incarnation>
    /// Nodes that are about to be ended.
    package let ending: Set<Incarnation>
}

extension SharePlan {
    /// Shares differ by at most one among the nodes that are there, with as few moves as that takes. Where nodes have declined shards, they are as
    /// even as any sequence of moves could make them.
    package static func make(_ input: PlanInput) -> SharePlan {
        let takers = input.takers
        let isEven = input.standing.declined.isEmpty && takers.allSatisfy { $0.declined.isEmpty }
        return isEven ? EvenShares.plan(input, takers) : ConstrainedShares.plan(input, takers)
    }
}

extension PlanInput {
    /// The nodes that may be given something, in order of incarnation.
    var takers: [Taker] {
        view.nodes.compactMap { node in
            let standing = node.incarnation == me ? standing : node.standing
            guard !standing.isLeaving, !isOut(node.incarnation) else { return nil }
            return Taker(incarnation: node.incarnation, declined: standing.declinedShards)
        }
    }

    /// Those that give everything they have.
    var leavers: [Incarnation] {
        view.nodes.compactMap { node in
            let isLeaving = node.incarnation == me ? standing.isLeaving : node.standing.isLeaving
            return isLeaving && !isOut(node.incarnation) ? node.incarnation : nil
        }
    }

    /// In order of shards.
    var adoptable: [Int] {
        var adoptable = view.free
        for node in ending { adoptable.formUnion(view.parts[node] ?? ShardSet()) }
        return Array(adoptable)
    }

    private func isOut(_ node: Incarnation) -> Bool {
        absent.contains(node) || ending.contains(node)
    }
}

struct Taker {
    let incarnation: Incarnation
    /// What it cannot have.
    let declined: ShardSet
}
