// What is known of a timer before it runs. A flow declares its plans once, and all its sessions share them.

/// What becomes of a running timer when the process that ran it has been away.
public enum RestartPolicy: String, Sendable, Codable, CaseIterable {
    /// The deadline stands: time went on meanwhile, and what is overdue fires at once.
    case keep
    /// The time away does not count.
    case freeze
    /// It begins anew, with its full length.
    case restart
}

/// A timer's name, length and manners.
public final class TimerPlan: Sendable {
    /// What kind of timer it is.
    public enum Kind: String, Sendable, Codable {
        /// It fires once.
        case countdown
        /// It fires again and again.
        case pendulum
    }

    /// What people call the timer.
    public let name: String
    /// Whether it fires once or again and again.
    public let kind: Kind
    /// How long the countdown lasts, or the pendulum's period.
    public let length: Duration
    /// What becomes of it when the process has been away.
    public let restart: RestartPolicy
    /// What a firing means to the timer's host; this module does not look inside.
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
