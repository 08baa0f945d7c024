// A timer's definition. A flow declares its plans once, and all its sessions share them.

/// How a running timer continues after downtime of its process.
public enum RestartPolicy: String, Sendable, Codable, CaseIterable {
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
    public enum Kind: String, Sendable, Codable {
        /// It fires once.
        case countdown
        /// It fires repeatedly.
        case pendulum
    }

    /// The timer's name.
    public let name: String
    /// Whether it fires once or repeatedly.
    public let kind: Kind
    /// How long the countdown lasts, or the pendulum's period.
    public let length: Duration
    /// How it continues after downtime.
    public let restart: RestartPolicy
    /// The meaning of a firing to the timer's host; opaque to this module.
    public let message: (any Sendable)?
    let nanoseconds: Int64

    /// A plan; the length is checked when a timer starts.
    public init(
        _ kind: Kind, _ name: String, _ length: Duration, restart: RestartPolicy = .keep,
        message: (any Sendable)? = nil
    ) {
        self.kind = kind
        self.name = name
        self.length = length
        self.restart = restart
        self.message = message
        nanoseconds = length.wholeNanoseconds
    }

    /// The plan of a one-shot timer.
    public static func countdown(
        _ name: String, _ length: Duration, restart: RestartPolicy = .keep, message: (any Sendable)? = nil
    ) -> TimerPlan {
        TimerPlan(.countdown, name, length, restart: restart, message: message)
    }

    /// The plan of a repeating timer.
    public static func pendulum(
        _ name: String, every period: Duration, restart: RestartPolicy = .keep, message: (any Sendable)? = nil
    ) -> TimerPlan {
        TimerPlan(.pendulum, name, period, restart: restart, message: message)
    }
}
