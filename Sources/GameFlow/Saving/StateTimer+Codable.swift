// Timers in saved states, by name and with their remaining times.

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
}

extension StateTimer: Encodable {
    /// With any other encoder than ours, as it is saved.
    public func encode(to encoder: any Encoder) throws {
        let ours = (encoder as? StateEncoder)?.circumstances
        try json(ours ?? .init(purpose: .saving, eventName: \.messageName)).encode(to: encoder)
    }
}

extension RestorationContext {
    /// The plan of a timer that a state carries, and its image; nil if it was not saved, and so starts afresh. `json` is the timer in the
    /// state's data, if it is there.
    fileprivate func saved(
        _ kind: TimerPlan.Kind, _ json: JSON?, label: String
    ) throws -> (plan: TimerPlan, image: TimerImage?) {
        let plan = try plan(kind, savedAs: json, label: label)
        if refusesUnknown, let json { try TimerImage.check(json, plan) }
        return (plan, try image(of: plan, savedAs: json) ?? TimerImage(json, plan))
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

    /// The names of a timer's parts in a state's data.
    static let members = ["timer", "remaining_ns", "remaining_ms", "paused", "milestones_due", "event"]

    /// Throws if a part of a client's timer would be ignored.
    fileprivate static func check(_ json: JSON, _ plan: TimerPlan) throws(RestorationError) {
        if json == .null { return }
        guard case .object(let given) = json else {
            throw RestorationError(
                "the timer '\(plan.name)' is an object such as {\"remaining_ms\":30000}, and not \(json.description.shortened)")
        }
        if let unknown = given.first(where: { !members.contains($0.name) }) {
            throw RestorationError(
                "the timer '\(plan.name)' has no '\(unknown.name.shortened)'; \(members.available)")
        }
        guard json["timer"].map({ $0.text != nil }) ?? true else {
            throw RestorationError("'timer' of the timer '\(plan.name)' is its name")
        }
        guard json["milestones_due"].map({ $0.integer != nil }) ?? true else {
            throw RestorationError("'milestones_due' of the timer '\(plan.name)' is a whole number")
        }
    }

    /// The remaining time after a downtime of `away`; nil for a countdown that has fired. Checks the saved time: the flow's own checks do not
    /// see it, since it is not one of the state's values.
    fileprivate func left(by plan: TimerPlan, on clock: FlowClock, away: Duration?) throws -> Duration? {
        guard let left else { return nil }
        guard left >= .zero else {
            throw RestorationError("the timer '\(plan.name)' cannot have \(left.written) left; it is zero or more")
        }
        do throws(TimerError) { try StateTimer.check(left, plan, at: clock.now) } catch {
            throw RestorationError(error.description)
        }
        return plan.left(of: left, away: away, isPaused: isPaused)
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

extension Countdown: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        let decoder = try StateDecoder.ofMachine(decoder)
        try self.init(decoder.readAll(), label: decoder.label, decoder.restoring)
    }

    /// `json` is the timer in the state's saved data, if it is there.
    convenience init(_ json: JSON?, label: String, _ restoring: RestorationContext) throws {
        let (plan, image) = try restoring.saved(.countdown, json, label: label)
        if let image {
            try self.init(image, plan, on: restoring.clock, away: restoring.away)
        } else {
            try self.init(plan, on: restoring.clock)
        }
    }

    /// Restores a countdown from its image, which was saved `away` ago; nil if its session has run on.
    convenience init(_ image: TimerImage, _ plan: TimerPlan, on clock: FlowClock, away: Duration?) throws {
        let (left, startsOver) = (try image.left(by: plan, on: clock, away: away), plan.startsOver(after: away))
        self.init(
            plan, on: clock, remaining: left, isPaused: image.isPaused, remainingWhenSaved: startsOver ? nil : image.left,
            milestonesDue: startsOver ? 0 : image.milestonesDue)
    }
}

extension Pendulum: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        let decoder = try StateDecoder.ofMachine(decoder)
        try self.init(decoder.readAll(), label: decoder.label, decoder.restoring)
    }

    /// `json` is the timer in the state's saved data, if it is there.
    convenience init(_ json: JSON?, label: String, _ restoring: RestorationContext) throws {
        let (plan, image) = try restoring.saved(.pendulum, json, label: label)
        if let image {
            let left = try image.left(by: plan, on: restoring.clock, away: restoring.away) ?? plan.length
            try self.init(plan, on: restoring.clock, remaining: left, isPaused: image.isPaused)
        } else {
            try self.init(plan, on: restoring.clock)
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
