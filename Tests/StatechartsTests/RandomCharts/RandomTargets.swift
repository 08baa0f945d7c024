// Where transitions of a random chart lead. Several targets are always in different regions of one parallel state, as SCXML asks
// ("a legal state specification").

import Statecharts
import Seeds

extension RandomTree {
    /// Targets of a transition that leaves `source`, mostly near it.
    func targets(from source: Int, _ random: inout SeededGenerator) -> [Int] {
        let all = Array(nodes.indices.dropFirst())
        let parallels = parallels(in: Array(nodes.indices))
        if !parallels.isEmpty, random.decides(0.2) { return spread(over: random.one(of: parallels), &random) }
        let near = nodes[source].parent.map { nodes[$0].children } ?? nodes[source].children
        return [random.one(of: random.decides(0.5) ? near : all)]
    }

    /// The initial states of a compound state.
    func initialTargets(of state: Int, _ random: inout SeededGenerator) -> [Int] {
        let parallels = parallels(in: descendants(of: state))
        if !parallels.isEmpty, random.decides(0.15) { return spread(over: random.one(of: parallels), &random) }
        if random.decides(0.1) { return [random.one(of: descendants(of: state))] }
        return [random.one(of: regularChildren(of: state))]
    }

    /// The default targets of a history state: none of them another history state, so that they do not
    /// refer to each other endlessly.
    func defaultTargets(of history: Int, isDeep: Bool, _ random: inout SeededGenerator) -> [Int] {
        guard let parent = nodes[history].parent else { return [] }
        let children = regularChildren(of: parent)
        guard isDeep else {
            guard nodes[parent].sketch.kind == .parallel else { return [random.one(of: children)] }
            return random.decides(0.5) ? children : [random.one(of: children)]
        }
        return [random.one(of: descendants(of: parent).filter { nodes[$0].sketch.kind.isRegular })]
    }

    /// One target in each of several regions.
    private func spread(over parallel: Int, _ random: inout SeededGenerator) -> [Int] {
        let regions = regularChildren(of: parallel).shuffled(using: &random)
        let chosen = regions.prefix(Int.random(in: min(2, regions.count)...regions.count, using: &random))
        return chosen.map { region in
            random.one(of: [region] + descendants(of: region))
        }
    }

    func paths(_ states: [Int]) -> [String] { states.map { nodes[$0].path } }
}
