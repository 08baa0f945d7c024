// Appendix D: which states are entered.

import Statecharts

/// The specification's parameters `statesToEnter`, `statesForDefaultEntry` and `defaultHistoryContent`.
struct EntrySet {
    var statesToEnter = OrderedSet()
    var statesForDefaultEntry = OrderedSet()
    var defaultHistoryContent: [Int: [ChartAction]] = [:]
}

extension AppendixD {
    /// `procedure computeEntrySet(transitions, statesToEnter, statesForDefaultEntry, defaultHistoryContent)`
    func computeEntrySet(_ transitions: List<Int>, _ domains: List<Int?>, _ entries: inout EntrySet) {
        for (t, domain) in zip(transitions, domains) {
            let ofOthers = entries.statesToEnter
            for s in doc.transitions[t].targets {
                addDescendantStatesToEnter(s, &entries)
            }
            guard let ancestor = domain else { continue }
            for s in getEffectiveTargetStates(t).toList() {
                addAncestorStatesToEnter(s, ancestor, &entries)
            }
            addOtherRegionsOfRoot(ancestor, &entries)
            removeWhatIsNotLeft(ancestor, ofOthers, &entries)
        }
    }

    /// Not SCXML: where a transition leads from inside of a history state's parent to that history state, its domain may be inside of that
    /// parent too. The algorithm then enters states between the two, and regions beside them, that are active and have not been left.
    private func removeWhatIsNotLeft(_ domain: Int, _ ofOthers: OrderedSet, _ entries: inout EntrySet) {
        for s in entries.statesToEnter.toList() where !ofOthers.isMember(s) && !isDescendant(s, domain) {
            entries.statesToEnter.delete(s)
        }
    }

    /// `procedure addDescendantStatesToEnter(state, statesToEnter, statesForDefaultEntry, defaultHistoryContent)`
    func addDescendantStatesToEnter(_ state: Int, _ entries: inout EntrySet) {
        if isHistoryState(state) {
            addHistory(state, &entries)
        } else {
            entries.statesToEnter.add(state)
            if isCompoundState(state) {
                entries.statesForDefaultEntry.add(state)
                for s in initialTargets(state) {
                    addDescendantStatesToEnter(s, &entries)
                }
                for s in initialTargets(state) {
                    addAncestorStatesToEnter(s, state, &entries)
                }
            } else if isParallelState(state) {
                addRegions(state, &entries)
            }
        }
    }

    /// The first branch of `addDescendantStatesToEnter`: "if isHistoryState(state)"
    private func addHistory(_ state: Int, _ entries: inout EntrySet) {
        guard let parent = parents[state] else { return }
        if let remembered = historyValue[state] {
            for s in remembered {
                addDescendantStatesToEnter(s, &entries)
            }
            for s in remembered {
                addAncestorStatesToEnter(s, parent, &entries)
            }
        } else {
            if let transition = doc.states[state].initial {
                entries.defaultHistoryContent[parent] = doc.transitions[transition].actions
            }
            for s in initialTargets(state) {
                addDescendantStatesToEnter(s, &entries)
            }
            for s in initialTargets(state) {
                addAncestorStatesToEnter(s, parent, &entries)
            }
        }
    }

    /// `procedure addAncestorStatesToEnter(state, ancestor, statesToEnter, statesForDefaultEntry, defaultHistoryContent)`
    func addAncestorStatesToEnter(_ state: Int, _ ancestor: Int, _ entries: inout EntrySet) {
        for anc in getProperAncestors(state, ancestor) {
            entries.statesToEnter.add(anc)
            if isParallelState(anc) {
                addRegions(anc, &entries)
            }
        }
    }

    /// The part of both procedures that handles a parallel state.
    private func addRegions(_ state: Int, _ entries: inout EntrySet) {
        for child in getChildStates(state) {
            if !entries.statesToEnter.some({ isDescendant($0, child) }) {
                addDescendantStatesToEnter(child, &entries)
            }
        }
    }

    /// Not SCXML: the `<scxml>` element is never parallel. Here it may be, and is not entered again with the targets.
    private func addOtherRegionsOfRoot(_ ancestor: Int, _ entries: inout EntrySet) {
        if isSCXMLElement(ancestor) && isParallelState(ancestor) { addRegions(ancestor, &entries) }
    }

    /// `state.initial.transition.target`, and `state.transition.target` of a history state.
    private func initialTargets(_ state: Int) -> List<Int> {
        doc.states[state].initial.map { doc.transitions[$0].targets } ?? []
    }
}
