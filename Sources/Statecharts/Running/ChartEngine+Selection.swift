// Which transitions an event takes. Nothing changes by it.

import GameFlow

/// The result of selecting transitions for an event.
enum Selection {
    /// The one transition of a session with one leaf.
    case one(Candidate)
    /// Transitions that do not conflict, in the order in which they are taken.
    case several([Int])
}

extension ChartEngine {
    /// The transitions that the event takes; throws if there are none, or if a guard fails. `isEnabled` is asked about those that
    /// have a guard or go back.
    func select(
        _ event: ChartEvent, in state: ChartState, _ isEnabled: Chart.ConditionMatch
    ) throws(FlowError) -> Selection {
        if state.leafIndex != ChartState.several {
            let chain = chains.chain(ofLeaf: Int(state.leafIndex), event.spec)
            for candidate in chain {
                if candidate.isUnconditional { return .one(candidate) }
                if try isEnabled(candidate.transition) { return .one(candidate) }
            }
            throw withoutTransition(event, in: state)
        }
        guard !chart.isDone(state) else { throw .transitionNotFound }
        let asked = chart.leaves(state.leaves(of: chart), asking: event.spec)
        try expressions.charge(asked.count * stepsOfLeaf, of: chart.definition.name)
        let enabled = try chart.selectTransitions(asked, event.spec, expressions, isEnabled)
        try expressions.charge(0, of: chart.definition.name)
        guard !enabled.isEmpty else { throw withoutTransition(event, in: state) }
        return .several(enabled)
    }

    /// The error for an event that no active state takes: it waits if one of them postpones it, unless the flow is over.
    func withoutTransition(_ event: ChartEvent, in state: ChartState) -> FlowError {
        guard hasPostponed, event.delayed == 0, !chart.isDone(state) else { return .transitionNotFound }
        return chart.postpones(event.spec, state.leaves(of: chart)) ? .postpone : .transitionNotFound
    }

    /// Steps for the trial of one event. An event with guards that take longer is offered untried.
    private var stepsToTry: Int { max(1_000, ChartBounds.steps / chart.events.specs.count) }

    /// The cost of asking a leaf, in steps.
    private var stepsOfLeaf: Int { 4 }

    /// The cost of a trial beside its guards, in steps.
    private var stepsOfTrial: Int { 20 }

    /// Trials and texts of a view that take more steps together, some 0.1 ms, count as work that may be long.
    static var maxShortSteps: Int { 2_000 }

    /// Resets the steps for trials: all events of a chart are tried for one view, and share these steps.
    func beginTrials() { stepsForTrials = ChartBounds.steps }

    /// Whether people should be offered the event: a guard that fails without its payload and its source, or is not true then, may be true
    /// with them.
    func mayTake(_ event: ChartEvent, in state: ChartState, on clock: FlowClock) -> Bool {
        guard stepsForTrials > 0 else { return true }
        let before = expressions.spent
        defer {
            stepsForTrials -= expressions.spent - before + stepsOfTrial
            if ChartBounds.steps - stepsForTrials > Self.maxShortSteps { clock.requestTimeCheck() }
        }
        // Only a guard needs the session.
        var isViewed = false
        defer { if isViewed { step.reset() } }
        do throws(FlowError) {
            expressions.allow(min(stepsToTry, stepsForTrials))
            if state.leafIndex != ChartState.several {
                expressions.charge(chains.chain(ofLeaf: Int(state.leafIndex), event.spec).count)
            }
            _ = try select(event, in: state) { transition throws(FlowError) in
                if !isViewed { step.view(state, event, on: clock) }
                isViewed = true
                return try mayBeEnabled(transition, event)
            }
            return true
        } catch {
            switch error {
            case .refused, .badPayload, .postpone: return true
            case .transitionNotFound: return false
            }
        }
    }

    /// Throws if the guard depends on the source or the payload, which a tried event does not have.
    private func mayBeEnabled(_ transition: Int, _ event: ChartEvent) throws(FlowError) -> Bool {
        guard step.canTake(transition) else { return false }
        guard let condition = chart.transitions[transition].guardExpression else { return true }
        if try step.isTrue(condition) { return true }
        let readsPayload = expressions.reads(condition, .event) || expressions.reads(condition, .eventField)
        guard expressions.reads(condition, .source) || event.spec.mayCarry && readsPayload else { return false }
        throw .refused("that depends on the source or the payload")
    }
}

extension Chart {
    /// Decides whether a transition is enabled that is not so in any case.
    typealias ConditionMatch = (Int) throws(FlowError) -> Bool

    // The names and the order are those of the algorithm of SCXML, appendix D.

    /// For each leaf the first transition that the event enables, from the leaf outwards; without those that conflict.
    func selectTransitions(
        _ leaves: [Int], _ event: ChartEventSpec, _ expressions: ExpressionEngine, _ conditionMatch: ConditionMatch
    ) throws(FlowError) -> [Int] {
        try select(leaves, expressions, conditionMatch) { handlers[$0].transitions(for: event) }
    }

    /// The same for transitions that need no event.
    func selectEventlessTransitions(
        _ leaves: [Int], _ expressions: ExpressionEngine, _ conditionMatch: ConditionMatch
    ) throws(FlowError) -> [Int] {
        try select(leaves, expressions, conditionMatch) { handlers[$0].always }
    }

    /// The result from a state outwards is the same for all leaves in it, and is computed once.
    private func select(
        _ leaves: [Int], _ expressions: ExpressionEngine, _ conditionMatch: ConditionMatch, _ candidates: (Int) -> [Int]
    ) throws(FlowError) -> [Int] {
        var enabled: [Int] = []
        var asked: [Int] = []
        for leaf in leaves {
            var next: Int? = leaf
            while let state = next, leaves.count == 1 || state == leaf || asked.add(state) {
                let numbers = candidates(state)
                expressions.charge(numbers.count)
                if let first = try firstEnabled(numbers, conditionMatch) {
                    // A forbidden transition ends the search: its event is not for the states around.
                    if !transitions[first].isForbidden { enabled.append(first) }
                    break
                }
                next = states[state].parent
            }
        }
        return enabled
    }

    /// Whether an event that none of them takes waits: asked from each leaf outwards, up to a state that forbids it.
    func postpones(_ event: ChartEventSpec, _ leaves: [Int]) -> Bool {
        var asked: [Int] = []
        for leaf in leaves {
            for state in states.ancestors(of: leaf) {
                guard asked.add(state) else { break }
                if handlers[state].transitions(for: event).contains(where: { transitions[$0].isForbidden }) { break }
                if handlers[state].postponed.contains(event.number) { return true }
            }
        }
        return false
    }

    private func firstEnabled(_ numbers: [Int], _ conditionMatch: ConditionMatch) throws(FlowError) -> Int? {
        for number in numbers {
            if transitions[number].isUnconditional { return number }
            if try conditionMatch(number) { return number }
        }
        return nil
    }
}
