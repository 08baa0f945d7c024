// Checks of a whole chart: what its sessions can never use, or would never come out of.

extension ChartDefinition {
    // MARK: States that nothing leads to

    /// The outermost ones. Guards are not asked: a state is reached if some transition could lead there. Unreached history states are reported too: they have no effect.
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

    // MARK: Transitions that need no event and no guard, and lead back to where they came from: they would go on for ever

    var alwaysLoops: [Int] {
        let firsts = states.map { state in state.transitions.first { transitions[$0].trigger == .always } }
        return firsts.compactMap(\.self).filter { transitions[$0].isUnconditional && goesRound(from: $0, firsts) }
    }

    /// Transitions of zero-length countdowns that form a cycle without time, with an 'always' in it or none.
    var zeroTimerLoops: [Int] {
        let firsts = states.map { state in
            state.transitions.first { transitions[$0].trigger == .always || isOfZeroTimer(transitions[$0]) }
        }
        return firsts.compactMap(\.self).filter {
            isOfZeroTimer(transitions[$0]) && transitions[$0].isUnconditional && goesRound(from: $0, firsts)
        }
    }

    /// Only of states without child states: a timer of a state around them does not begin again with each.
    private func isOfZeroTimer(_ transition: ChartTransition) -> Bool {
        guard case .timer(let timer) = transition.trigger, case .fixed(let length) = timers[timer].length, length == .zero,
            states[transition.source].kind == .atomic, let target = transition.targets.first
        else { return false }
        return transition.reenters || target != transition.source
    }

    /// Follows transitions that are taken in any case; true if the first one comes again, false if the chain ends. `firsts` are the
    /// states' first 'always'.
    private func goesRound(from start: Int, _ firsts: [Int?]) -> Bool {
        var number = start
        for _ in 0..<100 {
            guard let next = next(after: number, firsts) else { return false }
            if next == start { return true }
            // Another one goes round by itself.
            if next == number { return false }
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

    // MARK: Transitions that are never taken, since one before them has the same trigger and no guard

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

    // MARK: Several targets of one transition must be states that can be active at the same time

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
