// Bounds of the chart as a whole: what its sessions number, and how long the names of their states can become.

import Texts

extension ChartReader {
    func checkSizes() {
        checkNumberedEvents()
        checkStateNames()
    }

    /// A session's machine numbers all of these in two bytes.
    private func checkNumberedEvents() {
        let milestones = timers.all.reduce(0) { $0 + $1.milestones.count }
        let others = timers.all.count + milestones + 2 * invocations.all.count + delayed.events.count + 1
        let count = events.entries.count + others
        guard count > ChartBounds.numberedEvents else { return }
        problems.error(
            tree.drafts[0].offset,
            "a flow has at most \(ChartBounds.numberedEvents) events with those of its timers, milestones, invoked flows and delayed sends, and these are \(count)"
        )
    }

    /// The name of a session's state has the paths of all its active leaves, and history states remember as much.
    private func checkStateNames() {
        let longest = longestNames()
        if let tooLong = tree.states.indices.last(where: { longest[$0] > ChartBounds.stateNameBytes }) {
            problems.error(
                tree.drafts[tooLong].offset,
                "the names of all states that are active together in \(tree.name(of: tooLong).quoted) have \(longest[tooLong]) bytes, and \(ChartBounds.stateNameBytes) are the most; give them shorter names, or make fewer regions"
            )
        }
        let histories = tree.states.indices.filter { tree.states[$0].kind.isHistory }
        let remembered = histories.reduce(0) { $0 + longest[tree.states[$1].parent ?? 0] }
        guard remembered > ChartBounds.rememberedBytes, let last = histories.last else { return }
        problems.error(
            tree.drafts[last].offset,
            "the history states of a flow remember at most \(ChartBounds.rememberedBytes) bytes of names together, and these can become \(remembered)"
        )
    }

    /// The length of the longest name that each state can have with the states in it.
    private func longestNames() -> [Int] {
        var longest = tree.states.map { $0.kind.isLeaf ? $0.path.utf8.count : 0 }
        for (number, state) in tree.states.enumerated().reversed() where !state.children.isEmpty {
            let inner = state.children.lazy.filter { !self.tree.states[$0].kind.isHistory }.map { longest[$0] }
            longest[number] = state.kind == .parallel ? inner.reduce(-1) { $0 + $1 + 1 } : inner.max() ?? 0
        }
        return longest
    }
}
