// Reads a chart from its file's values, in passes: the tree of states first, then what names things, then all that refers to them.

import GameFlow
import JSON

final class ChartReader {
    let document: JSON5Document
    let problems: Problems
    /// Compiles expressions as the daemon does; nil until the names that they may use are known.
    private(set) var checker: ExpressionChecker?

    var name = ""
    var tree = StateTree()
    var timers = TimerTable()
    var context = ContextTable()
    var events = EventTable()
    var invocations = InvocationTable()
    /// What is taken back by `cancel`, and what can be.
    var delayed = DelayedEvents()
    var transitions: [ChartTransition] = []
    /// Where each transition stands.
    var transitionPlaces: [Int] = []
    var expressions: [ExpressionSource] = []
    /// What targets probably mean that could not be found: of those it is not said that nothing leads to them.
    var presumedTargets: [Int] = []

    init(_ document: JSON5Document, _ problems: Problems) {
        self.document = document
        self.problems = problems
    }

    /// The chart, however wrong it is; the problems tell whether it can be used.
    func read(_ root: LocatedJSON, fileName: String) -> ChartDefinition? {
        guard root.members != nil else {
            problems.wrong(root, "a flow is an object, { id: \"…\", initial: \"…\", states: { … } }")
            return nil
        }
        let fields = readTree(root, fileName: fileName)
        // What follows would be as long, and say little.
        guard !tree.isTooLarge else { return nil }
        fields.value(.context).map(readContext)
        fields.value(.events).map(readCatalogue)
        readTimers()
        checker = ExpressionChecker(variables: context.names)
        for state in tree.states.indices { readState(state) }
        checkMentions()
        checkSizes()
        let definition = definition(of: root, fields)
        check(definition)
        return definition
    }

    private func definition(of root: LocatedJSON, _ fields: Fields<StateKey>) -> ChartDefinition {
        ChartDefinition(
            name: name, description: fields.value(.description)?.text, states: tree.states, transitions: transitions,
            timers: timers.all, invocations: invocations.all, context: context.all, events: events.entries,
            expressions: expressions, fingerprint: Fingerprint.of(root.json))
    }

    private func checkMentions() {
        checkEventMentions()
        checkCancels()
    }

    /// Adds a transition to those of its state; nil where there are too many.
    @discardableResult
    func add(_ transition: ChartTransition, at offset: Int) -> Int? {
        guard transitions.count < ChartBounds.transitions else {
            if transitions.count == transitionPlaces.count {
                problems.error(offset, "a flow has at most \(ChartBounds.transitions) transitions, and here comes one more")
                // Said once.
                transitionPlaces.append(offset)
            }
            return nil
        }
        transitions.append(transition)
        transitionPlaces.append(offset)
        if transition.trigger != .initial { tree.states[transition.source].transitions.append(transitions.count - 1) }
        return transitions.count - 1
    }
}
