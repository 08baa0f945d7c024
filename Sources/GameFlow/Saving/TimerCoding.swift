// Timers in saved states: by name, with what is left of them.

import Timers

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
    /// Nothing was saved: the timer starts afresh.
    let isFresh: Bool

    init(_ kind: TimerPlan.Kind, _ json: JSON?, label: String, _ restoring: Restoring) throws {
        let plan = try restoring.plan(kind, savedAs: json, label: label)
        self.plan = plan
        if let image = restoring.image(of: plan) {
            isFresh = false
            isPaused = image.isPaused
            left = image.left.map { restoring.left($0, plan, isPaused: image.isPaused) }
            return
        }
        guard case .object? = json else {
            (isFresh, isPaused, left) = (true, false, nil)
            return
        }
        let paused = json?["paused"]?.boolean ?? false
        isFresh = false
        isPaused = paused
        left = json?["remaining_ns"]?.integer.map { restoring.left(.nanoseconds($0), plan, isPaused: paused) }
    }
}

extension StateDecoder {
    fileprivate static func ofMachine(_ decoder: any Decoder) throws -> StateDecoder {
        guard let decoder = decoder as? StateDecoder else {
            throw RestoringError("a timer can only be restored by a machine, which knows its clock")
        }
        return decoder
    }
}

extension Countdown: Codable {
    public func encode(to encoder: any Encoder) throws {
        try saved.encode(to: encoder)
    }

    public convenience init(from decoder: any Decoder) throws {
        let decoder = try StateDecoder.ofMachine(decoder)
        try self.init(decoder.json, label: decoder.label, decoder.restoring)
    }

    /// `json` is what was saved with the state; nil if that is nothing.
    convenience init(_ json: JSON?, label: String, _ restoring: Restoring) throws {
        let saved = try SavedTimer(.countdown, json, label: label, restoring)
        if saved.isFresh {
            try self.init(saved.plan, on: restoring.clock)
        } else {
            self.init(saved.plan, on: restoring.clock, remaining: saved.left, isPaused: saved.isPaused)
        }
    }
}

extension Pendulum: Codable {
    public func encode(to encoder: any Encoder) throws {
        try saved.encode(to: encoder)
    }

    public convenience init(from decoder: any Decoder) throws {
        let decoder = try StateDecoder.ofMachine(decoder)
        try self.init(decoder.json, label: decoder.label, decoder.restoring)
    }

    /// `json` is what was saved with the state; nil if that is nothing.
    convenience init(_ json: JSON?, label: String, _ restoring: Restoring) throws {
        let saved = try SavedTimer(.pendulum, json, label: label, restoring)
        if saved.isFresh {
            try self.init(saved.plan, on: restoring.clock)
        } else {
            try self.init(
                saved.plan, on: restoring.clock, remaining: saved.left ?? saved.plan.length, isPaused: saved.isPaused)
        }
    }
}
