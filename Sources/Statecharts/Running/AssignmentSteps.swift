// Steps that only assign simple values, as nearly all guards and actions of flows do. They need no `Macrostep`: counting its many references takes
// longer than such a step takes. Any other step is left to `Macrostep`; nothing has happened then.

import GameFlow
import Memory
import Timers

/// A plan's actions, all of them, where each gives a variable a simple value.
final class AssignmentPlan {
    struct Assignment {
        let variable: Int
        let value: SimpleExpression
        let isInteger: Bool
    }

    let assignments: ContiguousArray<Assignment>
    let leafPlace: UInt16
    let timerNumber: Int
    let timer: TimerPlan?

    init?(_ plan: StepPlan, _ chart: Chart, _ expressions: ExpressionEngine, _ plans: ChartPlans) {
        guard plan.isQuiet, !chart.asksForStates, !plan.keepsTimers, plan.timers.count <= 1,
            plan.timers.allSatisfy(chart.isOfFixedLength)
        else { return nil }
        let actions =
            plan.exitsWithActions.flatMap { chart.exits[$0] } + chart.transitions[plan.transition].actions
            + plan.entries.flatMap { chart.entries[$0] }
        var found = ContiguousArray<Assignment>()
        for action in actions {
            guard let assignment = Assignment(action, chart, expressions) else { return nil }
            found.append(assignment)
        }
        assignments = found
        leafPlace = UInt16(truncatingIfNeeded: chart.leafPlaces[plan.leaf])
        timerNumber = plan.timers.first ?? 0
        timer = plan.timers.first.map { plans.plans[$0] }
    }
}

extension AssignmentPlan.Assignment {
    fileprivate init?(_ action: ChartAction, _ chart: Chart, _ expressions: ExpressionEngine) {
        guard case .assign(let variable, let formula) = action, let simple = formula.simple(expressions) else { return nil }
        switch chart.types[variable] {
        case .integer: self.init(variable: variable, value: simple, isInteger: true)
        case .anything: self.init(variable: variable, value: simple, isInteger: false)
        case .array, .object, .bounded: return nil
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

extension ChartEngine {
    /// Nil where the step is not of that kind.
    func briskStep(
        _ chain: Chain, _ memory: ChartMemory, _ state: ChartState, _ event: ChartEvent, _ clock: FlowClock
    ) throws(FlowError) -> ChartState? {
        guard memory.hasOnlyVariables else { return nil }
        var scope = Scope(variables: memory.variables, world: NoSessionWorld.instance)
        if chart.asksForEvent {
            scope.event = event.data
            scope.eventName = event.spec.name
        }
        guard let plan = selectBriskly(chain, scope), assign(plan, &scope) else { return nil }
        let more = plan.assignments.isEmpty ? memory : ChartMemory(scope.variables, of: chart, nil, [], nil)
        guard let timer = plan.timer else { return ChartState(leafPlace: plan.leafPlace, timer: nil, 0, more: more) }
        return ChartState(
            leafPlace: plan.leafPlace, timer: try Macrostep.makeTimer(timer, after: state.timer, on: clock), plan.timerNumber,
            more: more)
    }

    private func selectBriskly(_ chain: Chain, _ scope: borrowing Scope) -> AssignmentPlan? {
        for candidate in chain.candidates {
            guard candidate.condition != nil else { return candidate.brisk }
            guard let isTrue = candidate.simpleCondition?.evaluate(in: scope)?.isTrue else { return nil }
            if isTrue { return candidate.brisk }
        }
        return nil
    }

    private func assign(_ plan: AssignmentPlan, _ scope: inout Scope) -> Bool {
        for assignment in plan.assignments {
            guard let value = assignment.value.evaluate(in: scope) else { return false }
            if assignment.isInteger, value.kind != .integer { return false }
            scope.variables[assignment.variable] = value.json
        }
        return true
    }
}
