// Transitions that are never taken, since one before them has the same trigger and no guard.

extension ChartDefinition {
    var shadowedTransitions: [Int] {
        states.flatMap { state in
            var taken: Set<Trigger> = []
            return state.transitions.filter { number in
                let transition = transitions[number]
                // Two milestones at one time are an error already.
                if case .milestone = transition.trigger { return false }
                let isShadowed = taken.contains(transition.trigger)
                if transition.isUnconditional { taken.insert(transition.trigger) }
                return isShadowed
            }
        }
    }
}

// MARK: - Several targets of one transition must be states that can be active at the same time.

extension ChartDefinition {
    /// Why they cannot be; nil if they can. Checks the first 64 targets.
    func conflict(among targets: [Int]) -> String? {
        let targets = targets.prefix(64)
        for (index, target) in targets.enumerated() {
            for other in targets.dropFirst(index + 1) {
                if target == other { return "\(states.words(for: target)) is named twice as a target" }
                if let nesting = nesting(of: target, other) { return nesting }
                guard !canBeActive(target, with: other) else { continue }
                return "\(states.words(for: target)) and \(states.words(for: other)) cannot be active together: "
                    + "several targets are in different regions of a parallel state"
            }
        }
        return nil
    }

    /// Entering the outer state as well would enter its initial state beside the inner one. States come before their children.
    private func nesting(of target: Int, _ other: Int) -> String? {
        let (outer, inner) = (min(target, other), max(target, other))
        guard states.isDescendant(inner, of: outer) else { return nil }
        return "\(states.words(for: inner)) is inside of \(states.words(for: outer)), which is entered with it; "
            + "name the inner one alone"
    }

    private func canBeActive(_ state: Int, with other: Int) -> Bool {
        guard let common = states.ancestors(of: state).first(where: { states.isDescendant(other, of: $0) }) else {
            return false
        }
        // A history state brings back all that was below its parent.
        let remembersAll = [state, other].contains { states[$0].kind.isHistory && states[$0].parent == common }
        return states[common].kind == .parallel && !remembersAll
    }
}

// MARK: - Events that no state takes.

struct UnusedEvents {
    private let taken: Set<Trigger>

    init(_ chart: ChartDefinition) { taken = Set(chart.transitions.map(\.trigger)) }

    func contains(_ event: String) -> Bool {
        !taken.contains(.event(.any)) && !taken.contains(.event(.exact(event))) && !isTakenByPrefix(event)
    }

    private func isTakenByPrefix(_ name: String) -> Bool {
        let ends = name.indices.filter { name[$0] == "." } + [name.endIndex]
        return ends.contains { taken.contains(.event(.prefix(String(name[..<$0])))) }
    }
}
