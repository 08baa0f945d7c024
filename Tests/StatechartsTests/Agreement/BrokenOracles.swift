// Oracles with one mistake each, of kinds that real engines make. The comparison must detect them.

import Statecharts

final class ExitsAncestorsFirst: OracleSession, AppendixD {
    func exitOrder(_ s1: Int, _ s2: Int) -> Bool { s1 < s2 }
}

final class EntersDescendantsFirst: OracleSession, AppendixD {
    func entryOrder(_ s1: Int, _ s2: Int) -> Bool { s1 > s2 }
}

final class SelectsInReverseOrder: OracleSession, AppendixD {
    func documentOrder(_ s1: Int, _ s2: Int) -> Bool { s1 > s2 }
}

/// All transitions that are enabled are taken.
final class SeesNoConflicts: OracleSession, AppendixD {
    func removeConflictingTransitions(_ enabledTransitions: OrderedSet) -> OrderedSet { enabledTransitions }
}

/// The first one wins, wherever its source is.
final class LetsTheFirstWin: OracleSession, AppendixD {
    func removeConflictingTransitions(_ enabledTransitions: OrderedSet) -> OrderedSet {
        var filtered = OrderedSet()
        for t in enabledTransitions.toList()
        where filtered.every({ !computeExitSet([$0]).hasIntersection(computeExitSet([t])) }) {
            filtered.add(t)
        }
        return filtered
    }
}

/// A history state always stands for its default.
final class ForgetsHistory: OracleSession, AppendixD {
    override var historyValue: [Int: List<Int>] {
        get { [:] }
        set {}
    }
}

/// Shallow history remembers as deep history does.
final class TakesHistoryForDeep: OracleSession, AppendixD {
    func isRemembered(_ s0: Int, of s: Int, isDeep: Bool) -> Bool { isAtomicState(s0) && isDescendant(s0, s) }
}

/// Deep history remembers as shallow history does.
final class TakesHistoryForShallow: OracleSession, AppendixD {
    func isRemembered(_ s0: Int, of s: Int, isDeep: Bool) -> Bool { parents[s0] == s }
}

/// The ancestors of default targets are computed without the remembered history.
final class IgnoresHistoryInDomains: OracleSession, AppendixD {
    func getEffectiveTargetStates(_ transition: Int) -> OrderedSet {
        var targets = OrderedSet()
        for s in doc.transitions[transition].targets { targets.add(s) }
        return targets
    }
}

/// XState's habit: a transition to a descendant does not leave its source.
final class TakesTransitionsForInternal: OracleSession, AppendixD {
    func getTransitionDomain(_ t: Int) -> Int? {
        let tstates = getEffectiveTargetStates(t)
        let source = doc.transitions[t].source
        guard !tstates.isEmpty() else { return nil }
        return tstates.every { isDescendant($0, source) } && isCompoundState(source)
            ? source : findLCCA([source] + tstates.toList())
    }
}

final class TakesTransitionsForExternal: OracleSession, AppendixD {
    func getTransitionDomain(_ t: Int) -> Int? {
        let tstates = getEffectiveTargetStates(t)
        return tstates.isEmpty() ? nil : findLCCA([doc.transitions[t].source] + tstates.toList())
    }
}

/// A parallel state counts as the least common ancestor.
final class FindsParallelAncestors: OracleSession, AppendixD {
    func findLCCA(_ stateList: List<Int>) -> Int {
        guard let head = stateList.head() else { return scxml }
        return getProperAncestors(head, nil).first { anc in stateList.tail().every { isDescendant($0, anc) } } ?? scxml
    }
}

/// Internal events are handled before transitions that need no event.
final class TakesInternalEventsFirst: OracleSession, AppendixD {
    func mainEventLoop() throws {
        while running {
            if !internalQueue.isEmpty() {
                let internalEvent = internalQueue.dequeue()
                event = internalEvent
                try microstep(selectTransitions(internalEvent).toList())
            } else {
                let enabledTransitions = try selectEventlessTransitions()
                guard !enabledTransitions.isEmpty() else { break }
                try microstep(enabledTransitions.toList())
            }
        }
        guard running else { return try exitInterpreter() }
        for state in statesToInvoke.toList().sorted(by: entryOrder) { doc.states[state].invocations.forEach(invoke) }
        statesToInvoke.clear()
    }
}

/// A parallel state is done with the first of its regions.
final class IsDoneEarly: OracleSession, AppendixD {
    func isInFinalState(_ s: Int) -> Bool {
        isCompoundState(s)
            ? getChildStates(s).some { isFinalState($0) && configuration.isMember($0) }
            : isParallelState(s) && getChildStates(s).some(isInFinalState)
    }
}

/// The actions of transitions run before states are left.
final class ActsBeforeLeaving: OracleSession, AppendixD {
    func microstep(_ enabledTransitions: List<Int>) throws {
        microsteps += 1
        guard microsteps <= maxRounds else { throw OracleError.endless }
        var entries = EntrySet()
        let domains = enabledTransitions.map(getTransitionDomain)
        try executeTransitionContent(enabledTransitions)
        try exitStates(enabledTransitions)
        computeEntrySet(enabledTransitions, domains, &entries)
        try enterStates(entries)
    }
}

/// A parallel state's other regions stay empty.
final class EntersTargetsAlone: OracleSession, AppendixD {
    func addAncestorStatesToEnter(_ state: Int, _ ancestor: Int, _ entries: inout EntrySet) {
        for anc in getProperAncestors(state, ancestor) { entries.statesToEnter.add(anc) }
    }
}

/// A state that is reentered keeps its timers.
final class KeepsTimers: OracleSession, AppendixD {
    func cancelTimers(of state: Int) {}

    func startTimers(of state: Int) throws {
        for number in doc.states[state].timers where !timers.contains(where: { $0.number == number }) {
            arm(.ofState(number), after: try nanoseconds(doc.timers[number].length))
        }
    }
}
