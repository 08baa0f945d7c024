// The algorithm of W3C SCXML (https://www.w3.org/TR/scxml, appendix D), function for function, with its names and its data types.
// The functions are in the files beside this one, each comparable with its pseudocode. Parts that the algorithm leaves to the platform, and
// the exceptions of flow files, are marked "Not SCXML".

import Statecharts

/// The functions of appendix D. The engine must agree with them, event by event.
///
/// A protocol, so that tests can break one function and check that the comparison detects it.
protocol AppendixD: OracleSession {
    func mainEventLoop() throws
    func exitInterpreter() throws
    func selectEventlessTransitions() throws -> OrderedSet
    func selectTransitions(_ event: OracleEvent) throws -> OrderedSet
    func removeConflictingTransitions(_ enabledTransitions: OrderedSet) -> OrderedSet
    func microstep(_ enabledTransitions: List<Int>) throws
    func exitStates(_ enabledTransitions: List<Int>) throws
    func computeExitSet(_ transitions: List<Int>) -> OrderedSet
    func executeTransitionContent(_ enabledTransitions: List<Int>) throws
    func enterStates(_ entries: EntrySet) throws
    func computeEntrySet(_ transitions: List<Int>, _ domains: List<Int?>, _ entries: inout EntrySet)
    func addDescendantStatesToEnter(_ state: Int, _ entries: inout EntrySet)
    func addAncestorStatesToEnter(_ state: Int, _ ancestor: Int, _ entries: inout EntrySet)
    func isInFinalState(_ s: Int) -> Bool
    func getTransitionDomain(_ t: Int) -> Int?
    func findLCCA(_ stateList: List<Int>) -> Int
    func getEffectiveTargetStates(_ transition: Int) -> OrderedSet
    func getProperAncestors(_ state1: Int, _ state2: Int?) -> List<Int>
    func isDescendant(_ state1: Int, _ state2: Int) -> Bool
    func getChildStates(_ state1: Int) -> List<Int>

    // The orders that the specification speaks of.
    func documentOrder(_ s1: Int, _ s2: Int) -> Bool
    func entryOrder(_ s1: Int, _ s2: Int) -> Bool
    func exitOrder(_ s1: Int, _ s2: Int) -> Bool

    // Which of the history's states a deep or shallow history state of `s` remembers.
    func isRemembered(_ s0: Int, of s: Int, isDeep: Bool) -> Bool

    // Not SCXML: a state's timers run from its entry to its exit.
    func startTimers(of state: Int) throws
    func cancelTimers(of state: Int)
}

/// The unmodified port.
final class Oracle: OracleSession, AppendixD {}

/// The root stands for the `<scxml>` element: it is entered once, and never left. Not SCXML: here it can have actions, transitions and
/// timers, and be parallel.
let scxml = 0

extension AppendixD {
    func documentOrder(_ s1: Int, _ s2: Int) -> Bool { s1 < s2 }

    /// "Ancestors precede descendants, with document order being used to break ties." States are numbered so.
    func entryOrder(_ s1: Int, _ s2: Int) -> Bool { s1 < s2 }

    /// "Descendants precede ancestors, with reverse document order being used to break ties."
    func exitOrder(_ s1: Int, _ s2: Int) -> Bool { s1 > s2 }
}
