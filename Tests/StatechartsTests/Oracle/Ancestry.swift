// Appendix D: domains, ancestors and kinds of states.

import Statecharts

extension AppendixD {
    /// `function isInFinalState(s)`
    func isInFinalState(_ s: Int) -> Bool {
        if isCompoundState(s) {
            getChildStates(s).some { isFinalState($0) && configuration.isMember($0) }
        } else if isParallelState(s) {
            getChildStates(s).every(isInFinalState)
        } else {
            false
        }
    }

    /// `function getTransitionDomain(transition)`
    func getTransitionDomain(_ t: Int) -> Int? {
        let tstates = getEffectiveTargetStates(t)
        let source = doc.transitions[t].source
        if tstates.isEmpty() {
            return nil
        } else if !doc.transitions[t].reenters && isCompoundState(source) && tstates.every({ isDescendant($0, source) }) {
            return source
        } else {
            return findLCCA([source] + tstates.toList())
        }
    }

    /// `function findLCCA(stateList)`
    func findLCCA(_ stateList: List<Int>) -> Int {
        guard let head = stateList.head() else { return scxml }
        for anc in getProperAncestors(head, nil).filter({ isCompoundState($0) || isSCXMLElement($0) }) {
            if stateList.tail().every({ isDescendant($0, anc) }) {
                return anc
            }
        }
        // Not SCXML: the root itself has transitions.
        return scxml
    }

    /// `function getEffectiveTargetStates(transition)`
    func getEffectiveTargetStates(_ transition: Int) -> OrderedSet {
        var targets = OrderedSet()
        for s in doc.transitions[transition].targets {
            if isHistoryState(s) {
                if let remembered = historyValue[s] {
                    for state in remembered { targets.add(state) }
                } else if let initial = doc.states[s].initial {
                    targets.union(getEffectiveTargetStates(initial))
                }
            } else {
                targets.add(s)
            }
        }
        return targets
    }

    /// `function getProperAncestors(state1, state2)`
    func getProperAncestors(_ state1: Int, _ state2: Int?) -> List<Int> {
        var ancestors = List<Int>()
        var next = parents[state1]
        while let ancestor = next, ancestor != state2 {
            ancestors.append(ancestor)
            next = parents[ancestor]
        }
        // "If state2 is state1's parent, or equal to state1, or a descendant of state1, this returns the empty set."
        if let state2, state1 == state2 || isDescendant(state2, state1) { return [] }
        return ancestors
    }

    /// `function isDescendant(state1, state2)`
    func isDescendant(_ state1: Int, _ state2: Int) -> Bool {
        var next = parents[state1]
        while let ancestor = next {
            if ancestor == state2 { return true }
            next = parents[ancestor]
        }
        return false
    }

    /// `function getChildStates(state1)`: "all <state>, <final>, and <parallel> children".
    func getChildStates(_ state1: Int) -> List<Int> {
        doc.states[state1].children.filter { !isHistoryState($0) }
    }
}

extension OracleSession {
    /// "A <state> without child states, or a <final>."
    func isAtomicState(_ s: Int) -> Bool { kinds[s] == .atomic || kinds[s] == .final }

    func isCompoundState(_ s: Int) -> Bool { kinds[s] == .compound }

    func isParallelState(_ s: Int) -> Bool { kinds[s] == .parallel }

    func isFinalState(_ s: Int) -> Bool { kinds[s] == .final }

    func isSCXMLElement(_ s: Int) -> Bool { s == scxml }

    func isHistoryState(_ s: Int) -> Bool {
        if case .history = kinds[s] { true } else { false }
    }
}
