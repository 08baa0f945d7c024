// Who should have what: the same for everybody who sees the same, so that nobody has to be asked.

/// What follows for one node.
package struct SharePlan: Equatable, Sendable {
    /// Which of its shards others should have.
    package enum Handovers: Equatable, Sendable {
        /// As many as there are takers here, whichever it would rather give.
        case any([Incarnation])
        /// These; nobody can have one without a taker.
        case these([Int: Incarnation?])
        /// All, to nobody: it leaves as the last.
        case all
    }

    package var gifts = Handovers.any([])
    /// The shards without owner, and those of the nodes that are to end, with who takes them. Those that nobody can have are left out.
    package var adoptions: [Assignment] = []

    package var hasGifts: Bool { gifts != .any([]) && gifts != .these([:]) }

    /// The gifts in the order in which shards are offered.
    package func gifts(of offered: [Int]) -> [Assignment] {
        switch gifts {
        case .any(let takers): zip(offered, takers).map { Assignment(shard: $0, taker: $1) }
        case .these(let takers): offered.compactMap { shard in takers[shard].map { Assignment(shard: shard, taker: $0) } }
        case .all: offered.map { Assignment(shard: $0, taker: nil) }
        }
    }
}

package struct Assignment: Equatable, Sendable {
    package let shard: Int
    package let taker: Incarnation?
}

extension SharePlan {
    /// Shares differ by at most one among the nodes that are there, with as few moves as that takes. Where nodes have declined shards, they are as
    /// even as any sequence of moves could make them.
    package static func make(_ view: ClusterView, _ ground: PlanContext) -> SharePlan {
        let input = PlanInput(view, ground)
        let isEven = ground.standing.declined.isEmpty && input.takers.allSatisfy { input.declined(by: $0).isEmpty }
        return isEven ? EvenShares.plan(input) : ConstrainedShares.plan(input)
    }
}
