// States that nothing leads to. Guards are not asked: a state is reached if some transition could lead there.

extension ChartDefinition {
    /// The outermost ones. Unreached history states are reported too: they have no effect.
    var unreachedStates: [Int] {
        var isReached = [Bool](repeating: false, count: states.count)
        var waiting: [Int] = []
        // Entering a state enters those around it, and what these enter with them.
        func enter(_ state: Int) {
            for reached in states.ancestors(of: state) {
                if isReached[reached] { return }
                isReached[reached] = true
                waiting.append(reached)
            }
        }
        enter(0)
        while let state = waiting.popLast() {
            let node = states[state]
            for number in node.transitions { transitions[number].targets.forEach(enter) }
            if case .state(let fallback) = node.back { enter(fallback) }
            if let initial = node.initial { transitions[initial].targets.forEach(enter) }
            if node.kind == .parallel { states.lastingChildren(of: state).forEach(enter) }
        }
        return states.indices.filter { state in !isReached[state] && states[state].parent.map { isReached[$0] } ?? false }
    }
}

// MARK: - Transitions that need no event and no guard, and lead back to where they came from: they would go on for ever.

extension ChartDefinition {
    var alwaysLoops: [Int] {
        let firsts = states.map { state in state.transitions.first { transitions[$0].trigger == .always } }
        return firsts.compactMap(\.self).filter { transitions[$0].isUnconditional && goesRound(from: $0, firsts) }
    }

    /// Follows transitions that are taken in any case; true if the first one comes again, false if the chain ends. `firsts` are the
    /// states' first 'always'.
    private func goesRound(from start: Int, _ firsts: [Int?]) -> Bool {
        var number = start
        for _ in 0..<100 {
            guard let next = next(after: number, firsts) else { return false }
            if next == start { return true }
            number = next
        }
        return false
    }

    /// The innermost one, if it has no guard: one with a guard may lead on to a state in which the flow comes to rest.
    private func next(after number: Int, _ firsts: [Int?]) -> Int? {
        let transition = transitions[number]
        guard let target = transition.targets.first else {
            let hasInner = firsts.indices.contains { firsts[$0] != nil && states.isDescendant($0, of: transition.source) }
            return hasInner ? nil : number
        }
        guard transition.targets.count == 1, let next = entered(with: target).lazy.compactMap({ firsts[$0] }).first else {
            return nil
        }
        return transitions[next].isUnconditional ? next : nil
    }

    /// The innermost state that is entered for sure, and those around it; none where regions are entered.
    private func entered(with target: Int) -> [Int] {
        var innermost = target
        while states[innermost].kind == .compound, let initial = states[innermost].initial,
            let first = transitions[initial].targets.first, states.isDescendant(first, of: innermost)
        {
            innermost = first
        }
        return states[innermost].kind == .atomic ? Array(states.ancestors(of: innermost)) : []
    }
}
