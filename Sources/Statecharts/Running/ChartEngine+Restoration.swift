// A session's state from its saved image, as it was: nothing is entered, and no action runs.

import GameFlow
import Texts

extension ChartEngine {
    /// A saved state as it was; one that is given by an operator is completed and entered.
    func restore(_ image: SessionImage, from current: ChartState?, on clock: FlowClock) throws -> ChartState {
        defer { given = nil }
        guard image.isSaved else { return try force(image, from: current, on: clock) }
        let memory = image.data[SavedMemory.member]
        let leaves = try savedLeaves(memory?["active"]?.text ?? image.state)
        let variables = try variables(image.data, areSaved: true)
        let restoring = RestorationContext(
            on: clock, plans: [], stateName: image.state, away: image.awayOnClock)
        step.begin(variables: variables, on: clock)
        return try step.complete { step throws(FlowError) in
            step.configuration = chart.configuration(of: leaves)
            // A changed definition may have made its state final.
            step.running = !chart.isInFinalState(Chart.root, step.configuration)
            if let memory { try step.restore(memory, away: (image.away ?? .zero) - image.dropped) }
            guard step.running else { return }
            if !chart.timedStates.isEmpty { step.measureStates(since: image.since) }
            try step.restoreTimers(image.timers, memory, restoring)
        }
    }

    private func savedLeaves(_ name: String) throws -> [Int] {
        let leaves = try states(named: name)
        guard leaves.allSatisfy({ chart.leafIndices[$0] >= 0 }), chart.isComplete(leaves) else {
            throw RestorationError("'\(name.shortened)' is no longer a complete state of '\(chart.definition.name)'")
        }
        return leaves
    }

    /// The states that a name lists, in document order.
    func states(named name: String) throws -> [Int] {
        try name.split(separator: ",", omittingEmptySubsequences: false).map { part in
            guard let state = chart.state(named: String(part)), !chart.states[state].kind.isHistory else {
                throw RestorationError(
                    "'\(chart.definition.name)' has no state '\(String(part).shortened)'; \(flowDefinition.states.available)")
            }
            return state
        }
        .sorted()
    }
}

extension Chart {
    /// Whether these leaves make a whole configuration: one active child in each compound state, all regions in each parallel one.
    func isComplete(_ leaves: [Int]) -> Bool {
        let active = Set(configuration(of: leaves))
        return !leaves.isEmpty
            && active.allSatisfy { state in
                let children = states.lastingChildren(of: state)
                switch states[state].kind {
                case .compound: return children.count(where: active.contains) == 1
                case .parallel: return children.allSatisfy(active.contains)
                case .atomic, .final: return true
                case .history: return false
                }
            }
    }

    /// Whether they can be active together: no compound state has two active children, and no history state is active.
    fileprivate func canBeActive(_ states: [Int]) -> Bool {
        let active = Set(configuration(of: states))
        return active.allSatisfy { state in
            let kind = self.states[state].kind
            return !kind.isHistory && (kind != .compound || self.states[state].children.count(where: active.contains) <= 1)
        }
    }

    /// The leaves of a place on the trail; nil if the definition has changed and they are no whole state any more.
    fileprivate func savedPlace(_ name: String) -> [Int]? {
        let names = name.split(separator: ",")
        let leaves = names.compactMap { state(named: String($0)) }.filter { leafIndices[$0] >= 0 }.sorted()
        return leaves.count == names.count && isComplete(leaves) ? leaves : nil
    }
}

extension Macrostep {
    /// The timers that ran and the events that wait, in the order of their making: of two that are due at one instant, the older one
    /// comes first. A timer that is new in the definition begins with the next entry to its state.
    fileprivate mutating func restoreTimers(
        _ saved: ArraySlice<TimerImage>, _ memory: JSON?, _ restoring: RestorationContext
    ) throws(FlowError) {
        let waiting = (memory?["delayed"]?.elements ?? []).compactMap { event in event["timer"]?.text.map { ($0, event) } }
        var delayed = Dictionary(waiting) { first, _ in first }
        let lengths = memory?[SavedMemory.lengths]
        // The newest one is saved first.
        for image in saved.reversed() {
            guard let left = image.left else { continue }
            // A timer that has its name is newer: it is of a later definition.
            if image.kind == .countdown, let event = delayed.removeValue(forKey: image.name) {
                try restoreDelayed(event, image, left, restoring)
            } else if let number = plans.numbers[image.name], plans.plans[number].kind == image.kind,
                configuration.has(chart.timerStates[number])
            {
                timers.append(CarriedTimer(number: number, timer: try restored(number, image, left, lengths, restoring)))
            }
        }
    }

    private mutating func restored(
        _ number: Int, _ image: TimerImage, _ left: Duration, _ lengths: JSON?, _ restoring: RestorationContext
    ) throws(FlowError) -> StateTimer {
        guard let clock else { throw .transitionNotFound }
        let plan = planToRestore(number, lengths, left)
        let remaining = plan.left(of: left, away: restoring.away, isPaused: image.isPaused)
        let startsOver = plan.startsOver(after: restoring.away)
        return try Self.makeTimer(
            plan, on: clock, remaining: remaining, isPaused: image.isPaused, remainingWhenSaved: startsOver ? nil : left,
            milestonesDue: startsOver ? 0 : image.milestonesDue)
    }

    /// A computed length is restored from the store: its inputs have changed since. One that an earlier definition had fixed was not saved, and is
    /// computed now. Where that fails, such as without the event that entered the state, the remaining time is used.
    private mutating func planToRestore(_ number: Int, _ lengths: JSON?, _ left: Duration) -> TimerPlan {
        let plan = plans.plans[number]
        guard chart.hasComputedLength(number) else { return plan }
        if let saved = lengths?[plan.name]?.integer { return plan.lasting(.nanoseconds(saved)) }
        let computed = try? duration(of: chart.definition.timers[number].length)
        return plan.lasting(computed.flatMap { $0 > .zero ? $0 : nil } ?? max(left, plan.length))
    }

    // MARK: The session's memory

    fileprivate mutating func restore(_ memory: JSON, away: Duration) throws(FlowError) {
        let rest = ownRest()
        for history in memory["history"]?.members ?? [] {
            guard let number = chart.state(named: history.name) else { continue }
            rest.history[number] = remembered(history.value, by: number)
        }
        rest.trail = (memory["trail"]?.elements ?? []).suffix(ChartBounds.trail).compactMap { [chart] in
            $0.text.flatMap(chart.savedPlace)
        }
        for elapsed in memory["elapsed"]?.members ?? [] where running {
            guard let clock, let number = chart.state(named: elapsed.name), let saved = elapsed.value.integer else { continue }
            rest.enter(number, .nanoseconds(saved) + away, on: clock)
        }
        var effects = (memory["errands"]?.elements ?? []).compactMap { try? Effect(json: $0) }
        let invoked = running ? configuration.flatMap { chart.states[$0].invocations } : []
        for child in memory["children"]?.members ?? [] {
            if let number = invoked.first(where: { chart.definition.invocations[$0].id == child.name }) {
                let stage = child.value.text.flatMap(ChildSession.Stage.init)
                rest.children.append(RunningChild(number: number, stage: stage))
            } else {
                // The definition has changed: no invocation waits for this child, or the session is over.
                effects.append(.drop(child: child.name))
            }
        }
        if !effects.isEmpty { rest.outgoing = Outbox(effects: effects) }
        rest.output = memory["output"]
    }

    /// `elapsed` of a state that an earlier definition did not measure counts from the session's last change of state.
    fileprivate mutating func measureStates(since: Instant?) {
        let active = configuration
        guard let clock else { return }
        for state in active where chart.timedStates.contains(state) && rest?.entered[state] == nil {
            ownRest().enter(state, since.map { $0.duration(to: clock.now) } ?? .zero, on: clock)
        }
    }

    /// Nil if the definition has changed and some remembered states no longer exist, or not together: then the default applies again.
    private func remembered(_ states: JSON, by history: Int) -> [Int]? {
        guard chart.states[history].kind.isHistory, let parent = chart.states[history].parent else { return nil }
        let numbers = states.elements.compactMap { $0.text.flatMap(chart.state) }
        let isWhole = numbers.count == states.elements.count && numbers.allSatisfy { chart.isDescendant($0, parent) }
        return isWhole && !numbers.isEmpty && chart.canBeActive(numbers) ? numbers : nil
    }

    private mutating func restoreDelayed(
        _ saved: JSON, _ image: TimerImage, _ left: Duration, _ restoring: RestorationContext
    ) throws(FlowError) {
        guard let name = saved["timer"]?.text, let event = saved["event"]?.text, let clock,
            let number = saved["number"]?.integer.flatMap({ UInt32(exactly: $0) })
        else { return }
        let length = Duration.nanoseconds(saved["length"]?.integer ?? 0)
        let plan = chart.planOfDelayed(name, event, saved["data"], length, number, isSent: saved["to"] != nil)
        guard plan.message != nil else {
            let verb = saved["to"] == nil ? "raises" : "sends"
            throw .refused(
                "the event '\(event.shortened)' waits in it, and nothing in '\(chart.definition.name)' \(verb) it now")
        }
        let remaining = plan.left(of: left, away: restoring.away, isPaused: image.isPaused)
        let rest = ownRest()
        rest.lastDelayed = max(rest.lastDelayed, number)
        rest.delayed.append(
            DelayedEvent(
                number: number, id: saved["id"]?.text ?? event, event: event, data: saved["data"],
                recipient: saved["to"]?.text,
                countdown: Countdown(plan, on: clock, remaining: remaining, isPaused: image.isPaused)))
    }
}
