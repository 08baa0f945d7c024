// Appendix D: which transitions are taken.

import Statecharts

extension AppendixD {
    /// `function selectEventlessTransitions()`
    func selectEventlessTransitions() throws -> OrderedSet {
        var enabledTransitions = OrderedSet()
        let atomicStates = configuration.toList().filter(isAtomicState).sorted(by: documentOrder)
        for state in atomicStates {
            loop: for s in [state] + getProperAncestors(state, nil) {
                for t in doc.states[s].transitions.sorted() {
                    if try doc.transitions[t].trigger == .always && conditionMatch(t) {
                        enabledTransitions.add(t)
                        break loop
                    }
                }
            }
        }
        enabledTransitions = removeConflictingTransitions(enabledTransitions)
        return enabledTransitions
    }

    /// `function selectTransitions(event)`
    func selectTransitions(_ event: OracleEvent) throws -> OrderedSet {
        var enabledTransitions = OrderedSet()
        let atomicStates = configuration.toList().filter(isAtomicState).sorted(by: documentOrder)
        for state in atomicStates {
            loop: for s in [state] + getProperAncestors(state, nil) {
                // Not SCXML: not `s.transition.sort(documentOrder)` alone.
                for t in transitionsByDescriptor[s] {
                    if try event.matches(doc.transitions[t].trigger) && conditionMatch(t) {
                        // Not SCXML: a forbidden event is not offered to the states around this one, and enables no transition.
                        if !doc.transitions[t].isForbidden { enabledTransitions.add(t) }
                        break loop
                    }
                }
            }
        }
        enabledTransitions = removeConflictingTransitions(enabledTransitions)
        return enabledTransitions
    }

    /// `function removeConflictingTransitions(enabledTransitions)`
    func removeConflictingTransitions(_ enabledTransitions: OrderedSet) -> OrderedSet {
        var filteredTransitions = OrderedSet()
        for t1 in enabledTransitions.toList() {
            var t1Preempted = false
            var transitionsToRemove = OrderedSet()
            for t2 in filteredTransitions.toList() {
                if computeExitSet([t1]).hasIntersection(computeExitSet([t2])) {
                    guard isDescendant(doc.transitions[t1].source, doc.transitions[t2].source) else {
                        t1Preempted = true
                        break
                    }
                    transitionsToRemove.add(t2)
                }
            }
            if !t1Preempted {
                for t3 in transitionsToRemove.toList() {
                    filteredTransitions.delete(t3)
                }
                filteredTransitions.add(t1)
            }
        }
        return filteredTransitions
    }

    private func conditionMatch(_ t: Int) throws -> Bool {
        guard let condition = doc.transitions[t].guardExpression else { return true }
        return try evaluate(condition).isTrue
    }
}
