// Timers in saved states, by name and with their remaining times.

import Timers

extension TimerPlan {
    /// The name of the event that the timer sends, if it sends one.
    public var messageName: String? { message.map { caseName(of: $0) } }
}

extension Milestone {
    /// The name of the event that it sends, if it sends one.
    public var messageName: String? { message.map { caseName(of: $0) } }
}

extension StateTimer {
    /// The timer as it is saved, to the nanosecond, or as it is shown.
    func json(_ circumstances: StateEncoder.Circumstances) -> JSON {
        var members = [JSON.Member("timer", .string(plan.name)), left(for: circumstances.purpose)]
        members.append(JSON.Member("paused", .bool(isPaused)))
        if circumstances.purpose == .saving, milestonesDue > 0 {
            members.append(JSON.Member("milestones_due", .integer(milestonesDue)))
        }
        if let name = circumstances.eventName(plan) { members.append(JSON.Member("event", .string(name))) }
        return .object(members)
    }

    private func left(for purpose: StateEncoder.Purpose) -> JSON.Member {
        switch purpose {
        case .saving: JSON.Member("remaining_ns", remaining.map { .integer(Int($0.wholeNanoseconds)) } ?? .null)
        case .showing: JSON.Member("remaining_ms", remaining.map { .integer($0.milliseconds) } ?? .null)
        }
    }

    /// With any other encoder than ours, as it is saved.
    fileprivate func encode(_ encoder: any Encoder) throws {
        let ours = (encoder as? StateEncoder)?.circumstances
        try json(ours ?? .init(purpose: .saving, eventName: \.messageName)).encode(to: encoder)
    }
}

/// The saved data of one timer, read back.
private struct SavedTimer {
    let plan: TimerPlan
    /// Nil for a countdown that has fired.
    let left: Duration?
    let isPaused: Bool
    /// The remaining time when it was saved; nil if it starts over.
    let leftWhenSaved: Duration?
    /// How many milestones were due when it was saved.
    let milestonesDue: Int
    /// Whether nothing was saved, so that the timer starts afresh.
    let isFresh: Bool

    init(_ kind: TimerPlan.Kind, _ json: JSON?, label: String, _ restoring: RestorationContext) throws {
        let plan = try restoring.plan(kind, savedAs: json, label: label)
        if let image = try restoring.image(of: plan) ?? TimerImage(json, plan) {
            try self.init(image, plan, on: restoring.clock, away: restoring.away)
        } else {
            self.init(fresh: plan)
        }
    }

    private init(fresh plan: TimerPlan) {
        (self.plan, isFresh, isPaused, left, leftWhenSaved, milestonesDue) = (plan, true, false, nil, nil, 0)
    }

    init(_ image: TimerImage, _ plan: TimerPlan, on clock: FlowClock, away: Duration?) throws {
        (self.plan, isFresh, isPaused) = (plan, false, image.isPaused)
        if let left = image.left { try Self.check(left, plan, on: clock) }
        left = image.left.map { plan.left(of: $0, away: away, isPaused: image.isPaused) }
        let startsOver = plan.startsOver(after: away)
        (leftWhenSaved, milestonesDue) = startsOver ? (nil, 0) : (image.left, image.milestonesDue)
    }

    /// Checks a timer's remaining time. The flow's own checks do not see it, since it is not one of the state's values.
    private static func check(_ left: Duration, _ plan: TimerPlan, on clock: FlowClock) throws {
        guard left >= .zero else {
            throw RestorationError("the timer '\(plan.name)' cannot have \(left) left; it is zero or more")
        }
        do throws(TimerError) { try clock.check(left, of: plan) } catch { throw RestorationError(error.description) }
    }
}

extension TimerImage {
    /// From a state's data; nil if it has no timer. If the data does not give the remaining time, the timer has its full length.
    fileprivate init?(_ json: JSON?, _ plan: TimerPlan) throws {
        guard let json, case .object = json else { return nil }
        let (left, paused) = (try Self.left(json, plan), json["paused"] ?? .bool(false))
        guard let isPaused = paused.boolean else {
            throw RestorationError("'paused' of the timer '\(plan.name)' is true or false")
        }
        self.init(
            name: plan.name, kind: plan.kind, left: left, isPaused: isPaused,
            milestonesDue: min(max(0, json["milestones_due"]?.integer ?? 0), plan.milestones.count))
    }

    /// In the unit that a store keeps, or in the one that is shown.
    private static func left(_ json: JSON, _ plan: TimerPlan) throws -> Duration? {
        switch (json["remaining_ns"], json["remaining_ms"]) {
        case (nil, nil): plan.length
        case (let left?, nil): try number(left, "remaining_ns", plan).map { .nanoseconds($0) }
        case (nil, let left?): try number(left, "remaining_ms", plan).map { .milliseconds($0) }
        case (_?, _?):
            throw RestorationError("the timer '\(plan.name)' has 'remaining_ns' and 'remaining_ms'; one of them is enough")
        }
    }

    private static func number(_ left: JSON, _ name: String, _ plan: TimerPlan) throws -> Int? {
        guard left == .null || left.integer != nil else {
            throw RestorationError("'\(name)' of the timer '\(plan.name)' is a whole number, or null once it has fired")
        }
        return left.integer
    }
}

extension StateDecoder {
    fileprivate static func ofMachine(_ decoder: any Decoder) throws -> StateDecoder {
        guard let decoder = decoder as? StateDecoder else {
            throw RestorationError("a timer can only be restored by a machine, which knows its clock")
        }
        return decoder
    }
}

extension Countdown: Codable {
    public func encode(to encoder: any Encoder) throws {
        try encode(encoder)
    }

    public convenience init(from decoder: any Decoder) throws {
        let decoder = try StateDecoder.ofMachine(decoder)
        try self.init(decoder.json, label: decoder.label, decoder.restoring)
    }

    /// `json` is the timer in the state's saved data, if it is there.
    convenience init(_ json: JSON?, label: String, _ restoring: RestorationContext) throws {
        let saved = try SavedTimer(.countdown, json, label: label, restoring)
        if saved.isFresh {
            try self.init(saved.plan, on: restoring.clock)
        } else {
            self.init(saved, on: restoring.clock)
        }
    }

    /// Restores a countdown from its image, which was saved `away` ago; nil if its session has run on.
    convenience init(_ image: TimerImage, _ plan: TimerPlan, on clock: FlowClock, away: Duration?) throws {
        self.init(try SavedTimer(image, plan, on: clock, away: away), on: clock)
    }

    private convenience init(_ saved: SavedTimer, on clock: FlowClock) {
        self.init(
            saved.plan, on: clock, remaining: saved.left, isPaused: saved.isPaused,
            remainingWhenSaved: saved.leftWhenSaved, milestonesDue: saved.milestonesDue)
    }
}

extension Pendulum: Codable {
    public func encode(to encoder: any Encoder) throws {
        try encode(encoder)
    }

    public convenience init(from decoder: any Decoder) throws {
        let decoder = try StateDecoder.ofMachine(decoder)
        try self.init(decoder.json, label: decoder.label, decoder.restoring)
    }

    /// `json` is the timer in the state's saved data, if it is there.
    convenience init(_ json: JSON?, label: String, _ restoring: RestorationContext) throws {
        let saved = try SavedTimer(.pendulum, json, label: label, restoring)
        if saved.isFresh {
            try self.init(saved.plan, on: restoring.clock)
        } else {
            try self.init(
                saved.plan, on: restoring.clock, remaining: saved.left ?? saved.plan.length, isPaused: saved.isPaused)
        }
    }
}

// MARK: - The name of an enum's case, which clients see, and under which Codable saves a state.

/// An event that is not an enum's case and provides its name.
public protocol NamedEvent {
    /// The name, as clients send it.
    var eventName: String { get }
    /// The payload, as a client would send it; nil for none.
    var carried: JSON? { get }
}

extension NamedEvent {
    /// Nothing.
    public var carried: JSON? { nil }
}

/// The name of an enum's case. Finding it takes a while: see `EnumCases`.
@usableFromInline
package func caseName(of value: some Any) -> String {
    if let named = value as? any NamedEvent { return named.eventName }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum, let label = mirror.children.first?.label else { return "\(value)" }
    return label
}

/// The label of the one value that an enum's case carries: `score` of `completeLevel(score: 100)`.
func onlyLabel(in value: some Any) -> String? {
    guard let payload = Mirror(reflecting: value).children.first?.value else { return nil }
    let parts = Mirror(reflecting: payload)
    guard parts.displayStyle == .tuple, parts.children.count == 1, let label = parts.children.first?.label else { return nil }
    return label.hasPrefix(".") ? nil : label
}

extension String {
    /// `choosingLevel` as people write it: `Choosing level`.
    public var spelledOut: String {
        var words = ""
        for letter in self {
            if letter.isUppercase && !words.isEmpty { words += " " }
            words += words.isEmpty ? letter.uppercased() : letter.lowercased()
        }
        return words
    }
}
