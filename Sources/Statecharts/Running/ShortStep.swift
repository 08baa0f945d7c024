// Steps that are nothing but a leaf, a timer and simple values, worked out once. They need no `Macrostep`, whose references take longer to count
// than such a step takes. It is what most events of most flows are.

import GameFlow
import Memory
import Timers

/// The effect of an event in a leaf, where it is that simple. It stands in plain memory: to look it up counts no reference.
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

/// A transition whose guard and actions are simple, and with which one timer begins at most.
final class ShortTransition {
    let condition: SimpleExpression?
    let actions: ContiguousArray<ShortAction>
    let leafPlace: UInt16
    let timerNumber: Int
    let timer: TimerPlan?
    /// Whether all timers of before end with it: no state that stays has one.
    let endsTimers: Bool
    private let plan: StepPlan

    init?(_ candidate: Candidate, _ engine: ChartEngine) {
        let chart = engine.chart
        guard let plan = candidate.plan, plan.isQuiet, plan.timers.count <= 1,
            plan.timers.allSatisfy({ !chart.hasComputedLength($0) })
        else { return nil }
        condition = candidate.condition.flatMap { engine.expressions.simple($0) }
        guard (condition == nil) == (candidate.condition == nil) else { return nil }
        let all =
            plan.exitsWithActions.flatMap { chart.exits[$0] } + chart.transitions[plan.transition].actions
            + plan.entries.flatMap { chart.entries[$0] }
        guard let actions = ShortAction.actions(all, engine.expressions) else { return nil }
        self.actions = actions
        leafPlace = UInt16(truncatingIfNeeded: chart.leafPlaces[plan.leaf])
        timerNumber = plan.timers.first ?? 0
        timer = plan.timers.first.map { engine.plans.plans[$0] }
        endsTimers = plan.remaining.allSatisfy { chart.states[$0].timers.isEmpty }
        self.plan = plan
    }

    /// Whether nothing but the leaf and its one timer is involved, whatever the session's state.
    var isFixed: Bool { condition == nil && actions.isEmpty && endsTimers }

    /// Whether a timer goes on: of a state that stays.
    func keeps(_ timer: StateTimer, of state: Int) -> Bool { !timer.isFinished && !plan.leaves(state) }
}

/// Gives a variable a simple value, or decides between such actions.
enum ShortAction {
    case assign(variable: Int, SimpleExpression)
    indirect case choose(SimpleExpression, then: ContiguousArray<ShortAction>, otherwise: ContiguousArray<ShortAction>)

    /// Nil where one of them is not so simple.
    static func actions(_ actions: [ChartAction], _ expressions: ExpressionEngine) -> ContiguousArray<ShortAction>? {
        var found = ContiguousArray<ShortAction>()
        for action in actions {
            guard let short = ShortAction(action, expressions) else { return nil }
            found.append(short)
        }
        return found
    }

    private init?(_ action: ChartAction, _ expressions: ExpressionEngine) {
        switch action {
        case .assign(let variable, let formula):
            guard let value = formula.simple(expressions) else { return nil }
            self = .assign(variable: variable, value)
        case .choose(let condition, let then, let otherwise):
            guard let condition = expressions.simple(condition), let then = Self.actions(then, expressions),
                let otherwise = Self.actions(otherwise, expressions)
            else { return nil }
            self = .choose(condition, then: then, otherwise: otherwise)
        case .raise, .emit, .send, .cancel, .log, .extend, .pause, .resume: return nil
        }
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
        guard transition.isFixed else {
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
        guard state.more?.isShort ?? true, event.isPlain || event.delayed == 0 else { return nil }
        let short = shortSteps.step(ofLeaf: state.leafPlace, event: event.number) { shortTransitions(state.leafPlace, event) }
        switch short.kind {
        case .fixed:
            if state.more?.hasOlderTimers ?? false { return nil }
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
            guard keepsOlderTimers(transition, state.more), perform(transition.actions, &scope) else { return nil }
            let more =
                transition.actions.isEmpty
                ? state.more : ChartMemory(scope.variables, of: chart, nil, state.more?.timers ?? [], nil)
            return try finish(transition, from: state, more, clock)
        }
        return nil
    }

    private func keepsOlderTimers(_ transition: ShortTransition, _ memory: ChartMemory?) -> Bool {
        guard let memory, memory.hasOlderTimers else { return true }
        return memory.timers.allSatisfy { transition.keeps($0.timer, of: chart.timerStates[$0.number]) }
    }

    /// The newest timer goes on, ends with its state, or is followed by another; nil where it would have to change places with older ones.
    private func finish(
        _ transition: ShortTransition, from state: ChartState, _ more: ChartMemory?, _ clock: FlowClock
    ) throws(FlowError) -> ChartState? {
        let isKept =
            !transition.endsTimers
            && state.timer.map { transition.keeps($0, of: chart.timerStates[Int(state.timerNumber)]) } ?? false
        guard let plan = transition.timer else {
            if isKept {
                return ChartState(
                    leafPlace: transition.leafPlace, timer: state.timer, Int(state.timerNumber), more: more)
            }
            if more?.hasOlderTimers ?? false { return nil }
            return ChartState(leafPlace: transition.leafPlace, timer: nil, 0, more: more)
        }
        if isKept { return nil }
        let timer = try Macrostep.makeTimer(plan, after: state.timer, on: clock)
        return ChartState(leafPlace: transition.leafPlace, timer: timer, transition.timerNumber, more: more)
    }

    /// False where a value is not simple, or is refused.
    private func perform(_ actions: ContiguousArray<ShortAction>, _ scope: inout Scope) -> Bool {
        for action in actions {
            switch action {
            case .assign(let variable, let formula):
                guard let value = formula.json(in: scope), value.isSurelyShort,
                    let accepted = chart.types[variable].accepted(value)
                else { return false }
                scope.variables[variable] = accepted
            case .choose(let condition, let then, let otherwise):
                guard let value = condition.evaluate(in: scope), perform(value.isTrue ? then : otherwise, &scope) else {
                    return false
                }
            }
        }
        return true
    }
}
