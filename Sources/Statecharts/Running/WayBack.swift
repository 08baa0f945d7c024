// `$back`: a session remembers the states that it came through, and a transition to `$back` leads to the last of them.

import GameFlow

/// Where a transition to `$back` leads.
struct WayBack {
    /// The leaves that were active together, as far as they are entered; or the state that a `back` names.
    let targets: [Int]
    /// The states inside of which everything is left: regions that have not changed since stay as they are.
    let domains: [Int]
    /// The state around these.
    let domain: Int
    /// How many places it takes off the trail.
    let count: Int
}

extension Chart {
    /// Nil if nothing is remembered and no `back` says where to go.
    func wayBack(from source: Int, _ leaves: [Int], _ trail: [[Int]]) -> WayBack? {
        // Actions can have led on to a place of the trail, which is passed over then.
        guard let index = trail.lastIndex(where: { $0 != leaves }) else { return fallback(from: source, leaves, trail) }
        let place = trail[index]
        let changed = place.filter { !leaves.has($0) } + leaves.filter { !place.has($0) }
        let domains = domains(ofChanges: changed)
        let targets = place.filter { leaf in domains.contains { isDescendant(leaf, $0) } }
        return WayBack(targets: targets, domains: domains, domain: findLCCA(changed), count: trail.count - index)
    }

    /// One for each region in which leaves have changed.
    private func domains(ofChanges leaves: [Int]) -> [Int] {
        let around = states.ancestors(of: leaves[0]).dropFirst().first { state in leaves.allSatisfy { isDescendant($0, state) }
        }
        guard let around, states[around].kind == .parallel else { return [findLCCA(leaves)] }
        return states[around].children.flatMap { region in
            let changed = leaves.filter { isDescendant($0, region) }
            return changed.isEmpty ? [] : domains(ofChanges: changed)
        }
    }

    /// By the `back` of an active state in the source: the innermost one counts.
    private func fallback(from source: Int, _ leaves: [Int], _ trail: [[Int]]) -> WayBack? {
        let active = configuration(of: leaves)
        for leaf in leaves where leaf == source || isDescendant(leaf, source) {
            let back = states.ancestors(of: leaf).lazy.compactMap { states[$0].back }.first
            guard case .state(let target) = back, !active.has(target) else { continue }
            let domain = findLCCA([leaf, target])
            return WayBack(targets: [target], domains: [domain], domain: domain, count: trail.count)
        }
        return nil
    }
}

extension Macrostep {
    /// The remembered leaves. Within a step, those that it began in are the last.
    private var trail: [[Int]] {
        let trail = rest?.trail ?? []
        guard !hasGoneBack, !isForced, let before = old?.leaves(of: chart) else { return trail }
        return trail + [before]
    }

    /// Whether a transition has somewhere to lead, its guard aside.
    mutating func canTake(_ transition: Int) -> Bool {
        !chart.transitions[transition].goesBack
            || chart.wayBack(from: chart.transitions[transition].source, leaves, trail) != nil
    }

    mutating func isEnabled(_ transition: Int) throws(FlowError) -> Bool {
        guard canTake(transition) else { return false }
        guard let condition = chart.transitions[transition].guardExpression else { return true }
        return try isTrue(condition)
    }

    /// They hold for one microstep.
    mutating func findWaysBack(_ enabled: [Int]) {
        waysBack = [:]
        for transition in enabled where chart.transitions[transition].goesBack {
            waysBack[transition] = chart.wayBack(from: chart.transitions[transition].source, leaves, trail)
        }
    }

    /// A transition that goes back has a domain in each region that has changed.
    func divideWaysBack(_ transitions: inout [Int], _ domains: inout [Int?]) {
        let pairs = zip(transitions, domains)
        (transitions, domains) = ([], [])
        for (transition, domain) in pairs {
            let own: [Int?] = waysBack[transition]?.domains ?? [domain]
            transitions += own.map { _ in transition }
            domains += own
        }
    }

    /// Takes the places off the trail that these transitions lead back to.
    mutating func removeFromTrail(_ transitions: [Int]) {
        guard let count = transitions.compactMap({ waysBack[$0]?.count }).max() else { return }
        let left = Array(trail.dropLast(count))
        hasGoneBack = true
        if left != rest?.trail ?? [] { ownRest().trail = left }
    }

    /// At the end of a step: the leaves that it has left come on the trail.
    mutating func recordTrail() {
        let now = leaves
        if isForced || !running || chart.configuration(of: now).contains(where: { chart.states[$0].back == .nowhere }) {
            if rest?.trail.isEmpty == false { ownRest().trail = [] }
            return
        }
        guard !hasGoneBack, let before = old?.leaves(of: chart), before != now else { return }
        let rest = ownRest()
        rest.trail = rest.trail.suffix(ChartBounds.trail - 1) + [before]
    }
}
