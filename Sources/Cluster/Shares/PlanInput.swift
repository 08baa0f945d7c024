// Who takes part in a plan. Nodes go by their places in the view.

struct PlanInput {
    let view: ClusterView
    let ground: PlanGround
    /// The nodes that may be given something, in order of incarnation.
    private(set) var takers: [Int] = []
    /// Those that give everything they have, in order of incarnation.
    private(set) var leavers: [Int] = []

    init(_ view: ClusterView, _ ground: PlanGround) {
        (self.view, self.ground) = (view, ground)
        for place in view.nodes.indices where !isLeftOut(view.incarnations[place]) {
            if isLeaving(place) { leavers.append(place) } else { takers.append(place) }
        }
    }

    private func isLeftOut(_ node: Incarnation) -> Bool {
        ground.absent.contains(node) || ground.ending.contains(node)
    }

    private func isMe(_ place: Int) -> Bool { view.incarnations[place] == ground.me }

    private func isLeaving(_ place: Int) -> Bool {
        isMe(place) ? ground.standing.isLeaving : view.nodes[place].standing.isLeaving
    }

    /// What a node cannot have.
    func declined(by place: Int) -> ShardSet {
        isMe(place) ? ground.standing.declinedShards : view.nodes[place].standing.declinedShards
    }

    /// What has no owner, or soon will have none.
    var adoptable: ShardSet {
        var adoptable = view.free
        for node in ground.ending {
            if let place = view.incarnations.place(of: node) { adoptable.formUnion(view.parts[place]) }
        }
        return adoptable
    }
}
