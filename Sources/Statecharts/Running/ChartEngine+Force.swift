// A state that an operator gives, with FORCE or NEW: completed by the algorithm, as if a transition of the root's led there. Actions
// that assign run, and nothing is raised, sent or logged.

import GameFlow
import Texts

extension ChartEngine {
    func force(_ image: SessionImage, from current: ChartState?, on clock: FlowClock) throws -> ChartState {
        let targets = try targets(named: image.state)
        let assigned = try assignments(image.data)
        if let current {
            step.begin(current, nil, on: clock)
        } else {
            step.begin(variables: try variables(given), on: clock)
        }
        return try step.complete { step throws(FlowError) in try step.force(targets, assigning: assigned) }
    }

    /// The states that an operator names. The root has no path: an empty name is a mistake, and never means the root.
    private func targets(named name: String) throws -> [Int] {
        for part in name.split(separator: ",", omittingEmptySubsequences: false) {
            let part = String(part)
            guard !part.isEmpty else {
                let what = name.isEmpty ? "a state has a name" : "'\(name.shortened)' leaves a state's name out"
                throw RestorationError("\(what); \(flowDefinition.states.available)")
            }
            guard let state = chart.state(named: part), chart.states[state].kind.isHistory else { continue }
            throw RestorationError(
                "'\(part.shortened)' is a history state, in which no session ever is; \(flowDefinition.states.available)")
        }
        return try states(named: name)
    }

    /// The given values of the context. A session's saved memory besides them is not adopted.
    private func assignments(_ data: JSON) throws -> [Assignment] {
        guard case .object(let members) = data else {
            throw RestorationError("the data of a state is an object, and not \(data.description.shortened)")
        }
        return try members.filter { $0.name != SavedMemory.member }.map { member in
            let names = chart.definition.context.map(\.name)
            guard let variable = names.firstIndex(of: member.name) else {
                let known = names.isEmpty ? "it has no context" : names.available
                throw RestorationError("'\(chart.definition.name)' has no variable '\(member.name.shortened)'; \(known)")
            }
            return (variable, member.value)
        }
    }
}

/// A value that is given for a variable.
private typealias Assignment = (variable: Int, value: JSON)

extension Macrostep {
    /// The values are there when timers begin that compute their lengths by them, and override what actions assign.
    fileprivate mutating func force(_ targets: [Int], assigning values: [Assignment]) throws(FlowError) {
        isForced = true
        if rest?.trail.isEmpty == false { ownRest().trail = [] }
        var entry = EntrySet()
        chart.addTargets(targets.filter { $0 != Chart.root }, below: Chart.root, &entry, historyValue)
        chart.addRegionsOfRoot(&entry, historyValue)
        if targets.allSatisfy({ $0 == Chart.root }) { chart.addDescendantStatesToEnter(Chart.root, &entry, historyValue) }
        try checkTogether(targets, entry)
        if old.map(chart.isDone) == true {
            // A flow that is over has left its states already, the root too, and only their names stayed.
            configuration = []
            if rest?.output != nil { ownRest().output = nil }
        }
        if configuration.isEmpty { entry.insert(Chart.root, of: chart) } else { entry.remove(Chart.root) }
        try exitStates(configuration.filter { $0 != Chart.root }.reversed())
        try assign(values)
        try enterStates(entry)
        if !running { try exitInterpreter() }
        try assign(values)
        if running { try runToCompletion() }
    }

    private mutating func assign(_ values: [Assignment]) throws(FlowError) {
        for (variable, value) in values { try assign(value, to: variable) }
    }

    private mutating func checkTogether(_ targets: [Int], _ entry: EntrySet) throws(FlowError) {
        let leaves = entry.statesToEnter.filter { chart.leafIndices[$0] >= 0 }
        if chart.isComplete(leaves) { return }
        let names = targets.map { "'\(chart.name(of: $0))'" }.joined(separator: " and ")
        throw .refused("\(names) cannot be active together in '\(chart.definition.name)'")
    }

    /// The state in which a session begins.
    mutating func enterInitially() throws(FlowError) {
        var entry = EntrySet()
        chart.addDescendantStatesToEnter(Chart.root, &entry, .none)
        try enterStates(entry)
        try runToCompletion()
    }

    // MARK: The timers of a step in the making

    /// A timer of a state that is entered.
    mutating func beginTimer(_ number: Int) throws(FlowError) -> StateTimer {
        guard let clock else { throw .transitionNotFound }
        guard chart.hasComputedLength(number) else { return try Self.makeTimer(plans.plans[number], on: clock) }
        let length = try duration(of: chart.definition.timers[number].length)
        return try Self.makeTimer(plans.plans[number].lasting(length), on: clock)
    }

    /// `old` is the newest timer of the state that is left; the step must not keep it.
    static func makeTimer(_ plan: TimerPlan, after old: StateTimer? = nil, on clock: FlowClock) throws(FlowError) -> StateTimer
    {
        do throws(TimerError) {
            switch plan.kind {
            case .countdown: return try Countdown.next(plan, after: old, on: clock)
            case .pendulum: return try Pendulum(plan, on: clock)
            }
        } catch {
            throw .refused(error.description)
        }
    }

    /// Pausing or resuming a timer that does not run does nothing, as cancelling does.
    func runs(_ number: Int) -> Bool { timers.contains { $0.number == number && $0.timer.remaining != nil } }

    mutating func extend(_ timer: Int, by length: Length) throws(FlowError) {
        let duration = try duration(of: length)
        try change(timer) { timer throws(TimerError) in try timer.extend(by: duration) }
    }

    /// Replaces a timer by its like, changed.
    mutating func change(_ number: Int, _ body: (StateTimer) throws(TimerError) -> Void) throws(FlowError) {
        guard let index = timers.firstIndex(where: { $0.number == number }), let clock,
            let remaining = timers[index].timer.remaining
        else { throw .refused("the timer '\(plans.plans[number].name)' does not run now") }
        let timer = timers[index].timer
        let like = try Self.makeTimer(
            timer.plan, on: clock, remaining: remaining, isPaused: timer.isPaused, milestonesDue: timer.milestonesDue)
        do throws(TimerError) { try body(like) } catch { throw .refused(error.description) }
        timers[index] = CarriedTimer(number: number, timer: like)
    }

    /// A timer that continues with its remaining time.
    static func makeTimer(
        _ plan: TimerPlan, on clock: FlowClock, remaining: Duration, isPaused: Bool, remainingWhenSaved: Duration? = nil,
        milestonesDue: Int
    ) throws(FlowError) -> StateTimer {
        do throws(TimerError) {
            switch plan.kind {
            case .countdown:
                return Countdown(
                    plan, on: clock, remaining: remaining, isPaused: isPaused, remainingWhenSaved: remainingWhenSaved,
                    milestonesDue: milestonesDue)
            case .pendulum: return try Pendulum(plan, on: clock, remaining: remaining, isPaused: isPaused)
            }
        } catch {
            throw .refused(error.description)
        }
    }
}
