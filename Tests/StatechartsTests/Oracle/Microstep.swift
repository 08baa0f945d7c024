// Appendix D: a microstep leaves states, runs the transitions' actions, and enters states.

import Statecharts

extension AppendixD {
    /// `procedure microstep(enabledTransitions)`
    func microstep(_ enabledTransitions: List<Int>) throws {
        // Not SCXML: an endless macrostep is an error.
        microsteps += 1
        guard microsteps <= maxRounds else {
            wasEndless = true
            throw OracleError.endless
        }

        // Not SCXML: the domains stay what they are while history is recorded, which may change the effective targets.
        let domains = enabledTransitions.map(getTransitionDomain)
        try exitStates(enabledTransitions)
        try executeTransitionContent(enabledTransitions)
        // The specification's `enterStates` computes the set itself.
        var entries = EntrySet()
        computeEntrySet(enabledTransitions, domains, &entries)
        try enterStates(entries)
    }

    /// `procedure exitStates(enabledTransitions)`
    func exitStates(_ enabledTransitions: List<Int>) throws {
        let exitSet = computeExitSet(enabledTransitions)
        for s in exitSet.toList() {
            statesToInvoke.delete(s)
        }
        let statesToExit = exitSet.toList().sorted(by: exitOrder)
        for s in statesToExit {
            for h in doc.states[s].children {
                guard case .history(let isDeep) = kinds[h] else { continue }
                historyValue[h] = configuration.toList().filter { isRemembered($0, of: s, isDeep: isDeep) }
            }
        }
        for s in statesToExit {
            try executeContent(doc.states[s].exit)
            cancelTimers(of: s)
            for inv in doc.states[s].invocations {
                cancelInvoke(inv)
            }
            configuration.delete(s)
        }
    }

    func isRemembered(_ s0: Int, of s: Int, isDeep: Bool) -> Bool {
        isDeep ? isAtomicState(s0) && isDescendant(s0, s) : parents[s0] == s
    }

    /// `function computeExitSet(transitions)`
    func computeExitSet(_ transitions: List<Int>) -> OrderedSet {
        var statesToExit = OrderedSet()
        for t in transitions {
            if let domain = getTransitionDomain(t) {
                for s in configuration.toList() {
                    if isDescendant(s, domain) {
                        statesToExit.add(s)
                    }
                }
            }
        }
        return statesToExit
    }

    /// `procedure executeTransitionContent(enabledTransitions)`
    func executeTransitionContent(_ enabledTransitions: List<Int>) throws {
        for t in enabledTransitions {
            try executeContent(doc.transitions[t].actions)
        }
    }

    /// `procedure enterStates(enabledTransitions)`
    func enterStates(_ entries: EntrySet) throws {
        for s in entries.statesToEnter.toList().sorted(by: entryOrder) {
            configuration.add(s)
            statesToInvoke.add(s)
            try executeContent(doc.states[s].entry)
            // Not SCXML: as if a <send> with a delay were the last of the actions.
            try startTimers(of: s)
            if entries.statesForDefaultEntry.isMember(s), let initial = doc.states[s].initial {
                try executeContent(doc.transitions[initial].actions)
            }
            if let content = entries.defaultHistoryContent[s] {
                try executeContent(content)
            }
            if isFinalState(s) {
                try isFinished(s)
            }
        }
    }

    /// The end of `enterStates`: "if isFinalState(s)"
    private func isFinished(_ s: Int) throws {
        guard let parent = parents[s] else { return }
        let output = try output(of: s)
        // Not SCXML: a root can be parallel, and is done as a compound one is.
        if isSCXMLElement(parent) || isInFinalState(scxml) {
            running = false
            return
        }
        internalQueue.enqueue(.named("done.state." + doc.states[parent].path, output))
        // Not SCXML: its pseudocode looks at the grandparent alone, and misses a parallel state around that.
        var done = parent
        while let outer = parents[done], isParallelState(outer), getChildStates(outer).every(isInFinalState) {
            internalQueue.enqueue(.named("done.state." + doc.states[outer].path, nil))
            done = outer
        }
    }
}
