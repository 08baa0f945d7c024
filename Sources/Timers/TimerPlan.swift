// What is known of a timer before it runs. A flow declares its plans once; every session's timers share them.

/// What becomes of a running timer when the process that ran it has been away.
public enum RestartPolicy: String, Sendable, Codable, CaseIterable {
    /// The deadline stands: time went on while nobody was there, and what is overdue fires at once.
    case keep
    /// The time away does not count.
    case freeze
    /// It begins anew, with its full length.
    case restart
}

/// A timer's name, length and manners.
public final class TimerPlan: Sendable {
    public enum Kind: String, Sendable, Codable {
        case countdown, pendulum
    }

    public let name: String
    public let kind: Kind
    /// How long the countdown lasts, or the pendulum's period.
    public let length: Duration
    public let restart: RestartPolicy
    /// What to do with a firing: whoever hosts the timer knows what is in here; this module does not.
    public let message: (any Sendable)?
    let nanoseconds: Int64

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

    public static func countdown(
        _ name: String, _ length: Duration, restart: RestartPolicy = .keep, message: (any Sendable)? = nil
    ) -> TimerPlan {
        TimerPlan(.countdown, name, length, restart: restart, message: message)
    }

    public static func pendulum(
        _ name: String, every period: Duration, restart: RestartPolicy = .keep, message: (any Sendable)? = nil
    ) -> TimerPlan {
        TimerPlan(.pendulum, name, period, restart: restart, message: message)
    }
}
