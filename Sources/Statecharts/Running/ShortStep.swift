// Steps that are nothing but a leaf, a timer and simple values, worked out once. They need no `Macrostep`, whose references take longer to count
// than such a step takes. It is what most events of most flows are.

import GameFlow
import Memory
import Timers

/// What an event does in a leaf, where it is that simple. It stands in plain memory: to look it up counts no reference.
struct ShortStep {
    enum Kind: UInt8 {
        /// Not looked at yet.
        case unknown
        /// Not that simple.
        case none
        /// It leads to a leaf in any case, and begins the leaf's timer if it has one.
        case fixed
        /// Guards decide, or variables get values.
        case computed
    }

    var kind = Kind.none
    /// The index of the leaf that it leads to.
    var leafPlace: UInt16 = 0
    var timerNumber: UInt16 = 0
    var timer: Borrowed<TimerPlan>?
    var choices: Borrowed<ShortChoices>?
}

/// The transitions of a computed step, in the order in which they are tried; nil for one that is not so simple.
final class ShortChoices {
    let transitions: ContiguousArray<ShortTransition?>

    init(_ transitions: ContiguousArray<ShortTransition?>) {
        self.transitions = transitions
    }
}

/// A transition whose guard and actions are simple, and which changes no timer, or leaves one at most.
struct ShortTransition {
    let condition: SimpleExpression?
    let assignments: ContiguousArray<ShortAssignment>
    let leafPlace: UInt16
    let timerNumber: Int
    let timer: TimerPlan?
    /// Whether the session's timer goes on.
    let keepsTimer: Bool

    init?(_ candidate: Candidate, _ engine: ChartEngine) {
        let chart = engine.chart
        guard let plan = candidate.plan, plan.isQuiet, !chart.asksForStates, plan.changesNoTimer || !plan.keepsTimers,
            plan.timers.count <= 1, plan.timers.allSatisfy({ !chart.hasComputedLength($0) })
        else { return nil }
        condition = candidate.condition.flatMap { engine.expressions.simple($0) }
        guard (condition == nil) == (candidate.condition == nil) else { return nil }
        let actions =
            plan.exitsWithActions.flatMap { chart.exits[$0] } + chart.transitions[plan.transition].actions
            + plan.entries.flatMap { chart.entries[$0] }
        var found = ContiguousArray<ShortAssignment>()
        for action in actions {
            guard let assignment = ShortAssignment(action, engine.expressions) else { return nil }
            found.append(assignment)
        }
        assignments = found
        keepsTimer = plan.changesNoTimer
        leafPlace = UInt16(truncatingIfNeeded: chart.leafPlaces[plan.leaf])
        timerNumber = plan.timers.first ?? 0
        timer = plan.timers.first.map { engine.plans.plans[$0] }
    }
}

/// Gives a variable a simple value.
struct ShortAssignment {
    let variable: Int
    let value: SimpleExpression

    init?(_ action: ChartAction, _ expressions: ExpressionEngine) {
        guard case .assign(let variable, let formula) = action, let value = formula.simple(expressions) else { return nil }
        (self.variable, self.value) = (variable, value)
    }
}

extension Formula {
    fileprivate func simple(_ expressions: ExpressionEngine) -> SimpleExpression? {
        switch self {
        case .constant(let value): SimpleExpression(constant: value)
        case .expression(let expression): expressions.simple(expression)
        case .object, .array: nil
        }
    }
}

// MARK: - The short steps of a chart, by leaf and event

/// Large charts do without.
final class ShortStepTable {
    private static let largestTable = 1 << 14

    private let width: Int
    private let count: Int
    @exclusivity(unchecked) private var steps: ContiguousArray<ShortStep>
    /// Holds what the steps refer to.
    private var choices: [ShortChoices] = []

    init(_ chart: Chart) {
        width = chart.events.specs.count
        let wanted = chart.leaves.count * width
        count = wanted <= Self.largestTable ? wanted : 0
        steps = ContiguousArray(repeating: ShortStep(kind: .unknown), count: count)
    }

    /// The step; `learn` finds out once.
    @inline(__always)
    func step(ofLeaf place: UInt16, event: Int, learn: () -> ContiguousArray<ShortTransition?>) -> ShortStep {
        let index = Int(place) &* width &+ event
        guard index < count else { return ShortStep() }
        if steps[index].kind == .unknown { steps[index] = step(learn()) }
        return steps[index]
    }

    private func step(_ transitions: ContiguousArray<ShortTransition?>) -> ShortStep {
        guard let first = transitions.first, let transition = first else { return ShortStep() }
        guard transition.condition == nil, transition.assignments.isEmpty, !transition.keepsTimer else {
            let made = ShortChoices(transitions)
            choices.append(made)
            return ShortStep(kind: .computed, choices: Borrowed(made))
        }
        return ShortStep(
            kind: .fixed, leafPlace: transition.leafPlace, timerNumber: UInt16(truncatingIfNeeded: transition.timerNumber),
            timer: transition.timer.map { Borrowed($0) })
    }
}

// MARK: - Running them

extension ChartEngine {
    /// Nil where the step is not that simple: nothing has happened then.
    @inline(__always)
    func shortStep(from state: ChartState, on event: ChartEvent, _ clock: FlowClock) throws(FlowError) -> ChartState? {
        guard state.more?.hasOnlyVariables ?? true, event.isPlain || event.delayed == 0 else { return nil }
        let short = shortSteps.step(ofLeaf: state.leafPlace, event: event.number) { shortTransitions(state.leafPlace, event) }
        switch short.kind {
        case .fixed:
            guard let plan = short.timer else {
                return ChartState(leafPlace: short.leafPlace, timer: nil, 0, more: state.more)
            }
            let timer = try Macrostep.makeTimer(plan.object, after: state.timer, on: clock)
            return ChartState(leafPlace: short.leafPlace, timer: timer, Int(short.timerNumber), more: state.more)
        case .computed:
            guard let choices = short.choices else { return nil }
            return try run(choices.object, from: state, on: event, clock)
        case .none, .unknown: return nil
        }
    }

    private func shortTransitions(_ place: UInt16, _ event: ChartEvent) -> ContiguousArray<ShortTransition?> {
        // A session that goes back keeps a trail.
        guard !chart.hasBack, place != ChartState.several else { return [] }
        let candidates = chains.chain(ofLeaf: Int(place), event.spec).candidates
        return ContiguousArray(candidates.map { ShortTransition($0, self) })
    }

    private func run(
        _ choices: ShortChoices, from state: ChartState, on event: ChartEvent, _ clock: FlowClock
    ) throws(FlowError) -> ChartState? {
        var scope = Scope(variables: state.more?.variables ?? [], world: NoSessionWorld.instance)
        if chart.asksForEvent {
            scope.event = event.data
            scope.eventName = event.spec.name
        }
        for choice in choices.transitions {
            guard let transition = choice else { return nil }
            if let condition = transition.condition {
                guard let value = condition.evaluate(in: scope) else { return nil }
                if !value.isTrue { continue }
            }
            guard assign(transition.assignments, &scope) else { return nil }
            let more = transition.assignments.isEmpty ? state.more : ChartMemory(scope.variables, of: chart, nil, [], nil)
            guard let plan = transition.timer else {
                let timer = transition.keepsTimer && state.timer?.remaining != nil ? state.timer : nil
                return ChartState(
                    leafPlace: transition.leafPlace, timer: timer, timer == nil ? 0 : Int(state.timerNumber), more: more)
            }
            let timer = try Macrostep.makeTimer(plan, after: state.timer, on: clock)
            return ChartState(leafPlace: transition.leafPlace, timer: timer, transition.timerNumber, more: more)
        }
        return nil
    }

    /// False where a value is not simple, or is refused.
    private func assign(_ assignments: ContiguousArray<ShortAssignment>, _ scope: inout Scope) -> Bool {
        for assignment in assignments {
            guard let value = assignment.value.json(in: scope), value.isSurelyShort,
                let accepted = chart.types[assignment.variable].accepted(value)
            else { return false }
            scope.variables[assignment.variable] = accepted
        }
        return true
    }
}
