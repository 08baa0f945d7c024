// Timers in saved states: by name, with what is left of them.

import Timers

/// What a state needs to come back to life: the clock its timers run on, the plans they follow, and how long it was away.
public final class Restoring {
    public static let key = CodingUserInfoKey(rawValue: "gamed.restoring").unsafelyUnwrapped

    let clock: FlowClock
    let plans: [TimerPlan]
    let stateName: String
    /// How much time has passed since the state was saved; nothing, if its clock stood still.
    let away: Duration
    /// Timers that were saved apart from the state, and have not come back yet.
    private var timers: [TimerImage]

    public init(
        on clock: FlowClock, plans: [TimerPlan], stateName: String, away: Duration = .zero, timers: [TimerImage] = []
    ) {
        self.timers = timers
        self.clock = clock
        self.plans = plans
        self.stateName = stateName
        self.away = away
    }

    /// The plan of a timer that a state carries under `label`: the one saved with it, the one called like the label, or the one
    /// called like the state.
    fileprivate func plan(_ kind: TimerPlan.Kind, savedAs saved: JSON?, label: String) throws -> TimerPlan {
        let said = saved?["timer"]?.text
        if let plan = said.flatMap({ plan(kind, named: $0) }) ?? plan(kind, named: label) ?? plan(kind, named: stateName) {
            return plan
        }
        let name = [said, label, stateName].compactMap { $0 }.first { !$0.hasPrefix("_") } ?? label
        throw RestoringError(
            "the flow has no \(kind.rawValue) '\(name)' for '\(stateName)': label the value with the timer's name")
    }

    private func plan(_ kind: TimerPlan.Kind, named name: String) -> TimerPlan? {
        plans.first { $0.kind == kind && $0.name == name }
    }

    /// How a timer of this plan stood, if it was saved apart.
    fileprivate func image(of plan: TimerPlan) -> TimerImage? {
        guard let index = timers.firstIndex(where: { $0.name == plan.name && $0.kind == plan.kind }) else { return nil }
        return timers.remove(at: index)
    }

    /// What is left of a timer by its restart policy, saved with `remaining` left.
    fileprivate func left(_ remaining: Duration, _ plan: TimerPlan, isPaused: Bool) -> Duration {
        switch plan.restart {
        case .keep: isPaused ? remaining : remaining - away
        case .freeze: remaining
        case .restart: plan.length
        }
    }
}

/// Why a saved state cannot be restored, in a sentence.
public struct RestoringError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

extension TimerPlan {
    /// The name of the event that the timer sends, if it sends one.
    public var messageName: String? { message.map { caseName(of: $0) } }
}

extension StateTimer {
    /// The timer as it is saved.
    var saved: JSON {
        var members = [JSON.Member("timer", .string(plan.name))]
        members.append(JSON.Member("remaining_ns", remaining.map { .integer(Int($0.wholeNanoseconds)) } ?? .null))
        members.append(JSON.Member("paused", .bool(isPaused)))
        if let message = plan.message { members.append(JSON.Member("event", .string(caseName(of: message)))) }
        return .object(members)
    }
}

/// What is saved of one timer, read back.
private struct SavedTimer {
    let plan: TimerPlan
    /// Nil for a countdown that had fired.
    let left: Duration?
    let isPaused: Bool
    let clock: FlowClock

    /// Nil if nothing was saved: then the timer starts afresh.
    init?(_ kind: TimerPlan.Kind, from decoder: any Decoder, fresh: inout (TimerPlan, FlowClock)?) throws {
        guard let decoder = decoder as? StateDecoder else {
            throw RestoringError("a timer can only be restored by a machine, which knows its clock")
        }
        let restoring = decoder.restoring
        plan = try restoring.plan(kind, savedAs: decoder.json, label: decoder.label)
        clock = restoring.clock
        let plan = plan
        if let image = restoring.image(of: plan) {
            isPaused = image.isPaused
            left = image.left.map { restoring.left($0, plan, isPaused: image.isPaused) }
            return
        }
        guard case .object? = decoder.json else {
            fresh = (plan, clock)
            return nil
        }
        let paused = decoder.json?["paused"]?.boolean ?? false
        isPaused = paused
        left = decoder.json?["remaining_ns"]?.integer.map { restoring.left(.nanoseconds($0), plan, isPaused: paused) }
    }
}

extension Countdown: Codable {
    public func encode(to encoder: any Encoder) throws {
        try saved.encode(to: encoder)
    }

    public convenience init(from decoder: any Decoder) throws {
        var fresh: (TimerPlan, FlowClock)?
        if let saved = try SavedTimer(.countdown, from: decoder, fresh: &fresh) {
            self.init(saved.plan, on: saved.clock, remaining: saved.left, isPaused: saved.isPaused)
        } else if let (plan, clock) = fresh {
            try self.init(plan, on: clock)
        } else {
            throw RestoringError("a timer was saved in no form that can be read")
        }
    }
}

extension Pendulum: Codable {
    public func encode(to encoder: any Encoder) throws {
        try saved.encode(to: encoder)
    }

    public convenience init(from decoder: any Decoder) throws {
        var fresh: (TimerPlan, FlowClock)?
        if let saved = try SavedTimer(.pendulum, from: decoder, fresh: &fresh) {
            try self.init(saved.plan, on: saved.clock, remaining: saved.left ?? saved.plan.length, isPaused: saved.isPaused)
        } else if let (plan, clock) = fresh {
            try self.init(plan, on: clock)
        } else {
            throw RestoringError("a timer was saved in no form that can be read")
        }
    }
}
