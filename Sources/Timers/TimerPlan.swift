// A timer's definition. A flow declares its plans once, and all its sessions share them.

/// How a running timer continues after downtime of its process.
public enum RestartPolicy: String, Sendable, CaseIterable {
    /// The deadline stands: time went on meanwhile, and an overdue timer fires at once.
    case keep
    /// The downtime does not count.
    case freeze
    /// It starts over with its full length.
    case restart
}

/// A timer's name, kind, length, restart policy and message.
public final class TimerPlan: Sendable {
    /// A timer's kind.
    public enum Kind: String, Sendable {
        /// It fires once.
        case countdown
        /// It fires repeatedly.
        case pendulum
    }

    /// The timer's name, which commands use.
    public let name: String
    /// Its name for people: "Time left". Nil for one that is made of the name.
    public let label: String?
    /// Whether it fires once or repeatedly.
    public let kind: Kind
    /// How long the countdown lasts, or the pendulum's period.
    public let length: Duration
    /// How it continues after downtime.
    public let restart: RestartPolicy
    /// The meaning of a firing to the timer's host; opaque to this module.
    public let message: (any Sendable)?
    /// The milestones before a countdown's end, the longest remainder first.
    public let milestones: [Milestone]
    let nanoseconds: Int64
    /// Whether it has milestones, beside what every timer reads when it starts.
    let hasMilestones: Bool

    /// A plan; the length is checked when a timer starts. Only a countdown has milestones.
    public init(
        _ kind: Kind, _ name: String, _ length: Duration, label: String? = nil, restart: RestartPolicy = .keep,
        message: (any Sendable)? = nil, milestones: [Milestone] = []
    ) {
        precondition(kind == .countdown || milestones.isEmpty, "a pendulum has no milestones: it has no end")
        precondition(milestones.count <= Milestone.maxCount, "a countdown has at most \(Milestone.maxCount) milestones")
        self.kind = kind
        self.name = name
        self.label = label
        self.length = length
        self.restart = restart
        self.message = message
        self.milestones = milestones.longestFirst
        nanoseconds = length.wholeNanoseconds
        hasMilestones = !milestones.isEmpty
    }

    /// The plan of a one-shot timer, and of its milestones at given remaining times:
    /// `.countdown("round", .seconds(3600), message: Event.timeIsUp, milestones: [Milestone(.seconds(600), message: Event.hurry)])`.
    public static func countdown(
        _ name: String, _ length: Duration, label: String? = nil, restart: RestartPolicy = .keep,
        message: (any Sendable)? = nil, milestones: [Milestone] = []
    ) -> TimerPlan {
        TimerPlan(.countdown, name, length, label: label, restart: restart, message: message, milestones: milestones)
    }

    /// The plan of a repeating timer.
    public static func pendulum(
        _ name: String, every period: Duration, label: String? = nil, restart: RestartPolicy = .keep,
        message: (any Sendable)? = nil
    ) -> TimerPlan {
        TimerPlan(.pendulum, name, period, label: label, restart: restart, message: message)
    }
}

// MARK: - Milestones

/// Something that happens when so much of a countdown is left. It comes once each time that the countdown runs down to it: a countdown
/// that is lifted above it again comes to it again.
public struct Milestone: Sendable {
    /// How much of the countdown is left when it comes.
    public let remaining: Duration
    /// Its meaning to the timer's host; opaque to this module.
    public let message: (any Sendable)?
    let nanoseconds: Int64

    /// A milestone. More than zero must be left then, or no countdown with it starts. Where a countdown is not longer than that, it comes only
    /// after an extension.
    public init(_ remaining: Duration, message: (any Sendable)? = nil) {
        self.remaining = remaining
        self.message = message
        nanoseconds = remaining.wholeNanoseconds
    }

    /// How many a countdown can have.
    public static let maxCount = 1_000
}

extension TimerPlan {
    /// Throws if a countdown of this plan would come to a milestone at its end, or after it.
    func checkMilestones() throws(TimerError) {
        guard let last = milestones.last, last.nanoseconds <= 0 else { return }
        throw .milestoneNotPositive(timer: name, remaining: last.remaining)
    }
}

extension [Milestone] {
    /// In the order in which they come; equal ones in the order in which they were given.
    var longestFirst: [Milestone] {
        enumerated().sorted { ($1.element.nanoseconds, $0.offset) < ($0.element.nanoseconds, $1.offset) }.map(\.element)
    }

    /// How many a countdown comes to that has this much left. They are the last of the list.
    func count(below left: Int64) -> Int {
        var count = 0
        while count < self.count, self[self.count - 1 - count].nanoseconds < left { count += 1 }
        return count
    }
}
