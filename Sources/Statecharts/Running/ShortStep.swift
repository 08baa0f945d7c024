// Precomputed steps: one target leaf, one timer, simple assignments. Most events take this path.

import GameFlow
import Memory

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
    var leafIndex: UInt16 = 0
    var timerNumber: UInt16 = 0
    var timer: Borrowed<TimerPlan>?
    /// The first transition that is tried.
    var first: Borrowed<ShortTransition>?
}

/// A transition whose guard and actions are simple, and with which one timer begins at most.
final class ShortTransition {
    let actions: ShortActions
    let leafIndex: UInt16
    let timerNumber: Int
    let timer: TimerPlan?
    /// Whether all timers of before end with it: no state that stays has one.
    let endsTimers: Bool
    /// The transition that is tried after this one; nil if this is the last one, or the next one is not that simple.
    let next: ShortTransition?
    private let condition: SimpleExpression?
    private let plan: StepPlan

    /// Nil for a transition that is not that simple.
    init?(_ candidate: Candidate, _ engine: ChartEngine, before next: ShortTransition?) {
        let chart = engine.chart
        guard let plan = candidate.plan, plan.isQuiet, plan.timers.count <= 1,
            plan.timers.allSatisfy({ !chart.hasComputedLength($0) })
        else { return nil }
        condition = candidate.condition.flatMap { engine.expressions.simple($0) }
        guard (condition == nil) == (candidate.condition == nil) else { return nil }
        let all =
            plan.exits.flatMap { chart.states[$0].exit } + chart.transitions[plan.transition].actions
            + plan.entry.statesToEnter.flatMap { chart.states[$0].entry }
        guard let actions = ShortActions(all, engine.expressions) else { return nil }
        self.actions = actions
        self.next = next
        leafIndex = UInt16(truncatingIfNeeded: chart.leafIndices[plan.leaf])
        timerNumber = plan.timers.first ?? 0
        timer = plan.timers.first.map { engine.plans.plans[$0] }
        endsTimers = plan.remaining.allSatisfy { chart.states[$0].timers.isEmpty }
        self.plan = plan
    }

    /// Whether nothing but the leaf and its one timer is involved, whatever the session's state.
    var isFixed: Bool { condition == nil && actions.isEmpty && endsTimers }

    /// Whether its guard is true; nil if Lua has to evaluate that.
    func isEnabled(in scope: borrowing Scope) -> Bool? {
        guard let condition else { return true }
        return condition.evaluate(in: scope)?.isTrue
    }

    /// Whether a timer goes on: of a state that stays.
    func keeps(_ timer: StateTimer, of state: Int) -> Bool { !timer.isFinished && !plan.leaves(state) }
}

/// Actions that give variables simple values, as a program without calls: an `if` skips the actions that do not apply.
struct ShortActions: ~Copyable {
    private struct Action {
        enum Kind: UInt8 {
            case assign, skipUnless, skip
        }

        var kind = Kind.skip
        /// The variable, or how many actions are skipped.
        var operand = 0
        /// Its value, or the condition; `expressions` holds it.
        var expression: Borrowed<SimpleExpression>?
    }

    private var actions = PlainTable<Action>(blank: Action())
    private var expressions: [SimpleExpression] = []

    /// Up to so many values that are surely short, a step is within its bounds; only longer steps count what they use.
    private static let maxCount = ChartBounds.stepBytes / (ChartBounds.valueBytes / 8 + 2)

    /// Nil if one of them is not that simple, or if they are too many.
    init?(_ actions: [ChartAction], _ engine: ExpressionEngine) {
        for action in actions {
            guard append(action, engine), self.actions.count <= Self.maxCount else { return nil }
        }
    }

    var isEmpty: Bool { actions.count == 0 }

    private mutating func append(_ action: ChartAction, _ engine: ExpressionEngine) -> Bool {
        switch action {
        case .assign(let variable, let formula):
            guard let value = formula.simple(engine) else { return false }
            append(.assign, variable, value)
            return true
        case .choose(let condition, let then, let otherwise):
            guard let condition = engine.simple(condition) else { return false }
            let test = append(.skipUnless, 0, condition)
            for action in then where !append(action, engine) { return false }
            let end = append(.skip, 0, nil)
            actions[test].operand = Int(end - test)
            for action in otherwise where !append(action, engine) { return false }
            actions[end].operand = actions.count - 1 - Int(end)
            return true
        case .raise, .emit, .send, .cancel, .log, .extend, .pause, .resume: return false
        }
    }

    @discardableResult
    private mutating func append(_ kind: Action.Kind, _ operand: Int, _ expression: SimpleExpression?) -> UInt32 {
        let number = UInt32(actions.count)
        if let expression { expressions.append(expression) }
        actions.makeRoom(for: number)
        actions[number] = Action(kind: kind, operand: operand, expression: expression.map { Borrowed($0) })
        return number
    }

    /// Calls `assign` with each variable and its value. False if a value is not simple, or `assign` refuses it.
    @inline(__always)
    func perform(_ scope: inout Scope, assign: (inout Scope, _ variable: Int, JSON) -> Bool) -> Bool {
        var next: UInt32 = 0
        while actions.has(next) {
            let action = actions[next]
            next += 1
            switch action.kind {
            case .skip: next += UInt32(action.operand)
            case .skipUnless:
                guard let value = action.expression?.with({ $0.evaluate(in: scope) }) else { return false }
                if !value.isTrue { next += UInt32(action.operand) }
            case .assign:
                guard let value = action.expression?.with({ $0.json(in: scope) }), assign(&scope, action.operand, value) else {
                    return false
                }
            }
        }
        return true
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
    private static let maxTableSize = 1 << 14

    private let width: Int
    private let count: Int
    @exclusivity(unchecked) private var steps: ContiguousArray<ShortStep>
    /// Holds the objects that the steps refer to.
    private var firsts: [ShortTransition] = []

    init(_ chart: Chart) {
        width = chart.events.specs.count
        let wanted = chart.leaves.count * width
        count = wanted <= Self.maxTableSize ? wanted : 0
        steps = ContiguousArray(repeating: ShortStep(kind: .unknown), count: count)
    }

    /// The step; `learn` finds out once.
    @inline(__always)
    func step(ofLeaf leafIndex: UInt16, event: Int, learn: () -> ShortTransition?) -> ShortStep {
        let index = Int(leafIndex) &* width &+ event
        guard index < count else { return ShortStep() }
        if steps[index].kind == .unknown { steps[index] = step(learn()) }
        return steps[index]
    }

    private func step(_ first: ShortTransition?) -> ShortStep {
        guard let transition = first else { return ShortStep() }
        guard transition.isFixed else {
            firsts.append(transition)
            return ShortStep(kind: .computed, first: Borrowed(transition))
        }
        return ShortStep(
            kind: .fixed, leafIndex: transition.leafIndex, timerNumber: UInt16(truncatingIfNeeded: transition.timerNumber),
            timer: transition.timer.map { Borrowed($0) })
    }
}

// MARK: - Running them

extension ChartEngine {
    /// Nil where the step is not that simple: nothing has happened then.
    @inline(__always)
    func shortStep(from state: ChartState, on event: ChartEvent, _ clock: FlowClock) throws(FlowError) -> ChartState? {
        let more = state.more
        guard more?.isShort ?? true, event.isPlain || event.delayed == 0 else { return nil }
        let short = shortSteps.step(ofLeaf: state.leafIndex, event: event.number) { shortTransitions(state.leafIndex, event) }
        switch short.kind {
        case .fixed:
            if more?.hasOlderTimers ?? false { return nil }
            guard let plan = short.timer else {
                return ChartState(leafIndex: short.leafIndex, timer: nil, 0, more: more)
            }
            let timer = try plan.with { plan in
                Result { () throws(FlowError) in try Macrostep.makeTimer(plan, after: state.timer, on: clock) }
            }.get()
            return ChartState(leafIndex: short.leafIndex, timer: timer, Int(short.timerNumber), more: more)
        case .computed:
            guard let first = short.first else { return nil }
            return try computedStep(first, from: state, on: event, clock)
        case .none, .unknown: return nil
        }
    }

    /// The first of the transitions; nil if it is not that simple.
    private func shortTransitions(_ leafIndex: UInt16, _ event: ChartEvent) -> ShortTransition? {
        // A session that goes back keeps a trail.
        guard !chart.hasBack, leafIndex != ChartState.several else { return nil }
        var first: ShortTransition?
        for candidate in chains.chain(ofLeaf: Int(leafIndex), event.spec).reversed() {
            first = ShortTransition(candidate, self, before: first)
        }
        return first
    }

    /// Nil where the step turns out not to be that simple; nothing has changed then.
    private func computedStep(
        _ first: Borrowed<ShortTransition>, from state: ChartState, on event: ChartEvent, _ clock: FlowClock
    ) throws(FlowError) -> ChartState? {
        // Without an observer that sees both states, the new state uses the old one's memory.
        let reused = clock.mayReuseOldState ? state.more : nil
        var scope = Scope(variables: reused?.takeVariables() ?? state.more?.variables ?? [])
        defer { reused?.returnVariables(&scope.variables) }
        if chart.asksForEvent {
            scope.event = event.data
            scope.eventName = event.spec.name
        }
        var hasSucceeded = false
        defer { endAssignments(&scope, undoing: !hasSucceeded) }
        let next = try firstEnabled(first, from: state, &scope, reused, clock)
        hasSucceeded = next != nil
        return next
    }

    private func firstEnabled(
        _ first: Borrowed<ShortTransition>, from state: ChartState, _ scope: inout Scope, _ reused: ChartMemory?,
        _ clock: FlowClock
    ) throws(FlowError) -> ChartState? {
        var tried: Borrowed<ShortTransition>? = first
        while let choice = tried {
            guard let isEnabled = choice.with({ $0.isEnabled(in: scope) }) else { return nil }
            if isEnabled {
                return try choice.with { transition in
                    Result { () throws(FlowError) in try apply(transition, to: state, &scope, reused, clock) }
                }.get()
            }
            tried = choice.with { $0.next.map { Borrowed($0) } }
        }
        return nil
    }

    private func apply(
        _ transition: ShortTransition, to state: ChartState, _ scope: inout Scope, _ reused: ChartMemory?, _ clock: FlowClock
    ) throws(FlowError) -> ChartState? {
        guard keepsOlderTimers(transition, state.more) else { return nil }
        if transition.actions.isEmpty { return try finish(transition, from: state, state.more, clock) }
        let isReused = reused != nil
        guard transition.actions.perform(&scope, assign: { assign($2, to: $1, &$0, isReused) }) else { return nil }
        let memory = reused ?? ChartMemory(scope.variables, of: chart, nil, state.more?.timers ?? [], nil)
        return try finish(transition, from: state, memory, clock)
    }

    /// False if the value is refused.
    @inline(__always)
    private func assign(_ value: JSON, to variable: Int, _ scope: inout Scope, _ isReused: Bool) -> Bool {
        guard value.isSurelyShort, let accepted = chart.types[variable].accepted(value) else { return false }
        if isReused { oldValues.append((variable, scope.variables[variable])) }
        scope.variables[variable] = accepted
        return true
    }

    /// Forgets the old values. Of a step that has failed, the variables get them back.
    private func endAssignments(_ scope: inout Scope, undoing: Bool) {
        while let (variable, value) = oldValues.popLast() {
            if undoing { scope.variables[variable] = value }
        }
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
                    leafIndex: transition.leafIndex, timer: state.timer, Int(state.timerNumber), more: more)
            }
            if more?.hasOlderTimers ?? false { return nil }
            return ChartState(leafIndex: transition.leafIndex, timer: nil, 0, more: more)
        }
        if isKept { return nil }
        let timer = try Macrostep.makeTimer(plan, after: state.timer, on: clock)
        return ChartState(leafIndex: transition.leafIndex, timer: timer, transition.timerNumber, more: more)
    }
}
