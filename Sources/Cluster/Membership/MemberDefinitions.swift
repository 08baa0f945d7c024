// What a member does with a shard whose sessions do not all fit the definitions of its flows: nodes whose definitions fit more of them have it.

extension Member {
    /// Whether the daemon does not serve this shard, since another node may restore more of its sessions. `flows` says how many of each flow this
    /// one cannot restore.
    package func declines(_ shard: Int, unfit flows: [String: Int]) -> Bool {
        guard case .inside(let me) = phase else { return false }
        var standing = standing
        standing.setMisfits(flows, of: shard)
        let input = PlanInput(view, PlanContext(me: me, standing: standing, absent: lapses.nodes, ending: []), of: shard)
        if standing.isLeaving { return !input.takers.isEmpty }
        return view.incarnations.place(of: me).map { input.declined(by: $0).contains(shard) } ?? false
    }

    /// Before it joins: the definitions of the daemon's flows.
    package func define(_ definitions: FlowDefinitions) {
        guard standing.definitions != definitions || !standing.misfits.isEmpty else { return }
        standing.setDefinitions(definitions)
        nextPlan = .zero
    }

    func decline(_ shard: Int, _ epoch: Int64, unfit flows: [String: Int]) {
        standing.setMisfits(flows, of: shard)
        change(shard, epoch, from: .loading, to: .declined)
    }

    func setMisfits(_ misfits: [Int: [String: Int]]) {
        guard !misfits.isEmpty else { return }
        for (shard, flows) in misfits where holdings[shard]?.stage == .serving { standing.setMisfits(flows, of: shard) }
        nextPlan = .zero
    }
}
