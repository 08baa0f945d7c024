/// A request that no timer can fulfil.
public enum TimerError: Error, Equatable, CustomStringConvertible {
    /// A countdown of negative length.
    case negativeLength(timer: String, Duration)
    /// A pendulum with a period that is not positive.
    case periodNotPositive(timer: String, Duration)
    /// The timer has fired, or its state has been left.
    case finished(timer: String)
    /// The timer would fire at or after the end of time, which is `end` away.
    case beyondTime(timer: String, left: Duration, end: Duration)

    /// The problem, the timer, and a valid value.
    public var description: String {
        switch self {
        case .negativeLength(let timer, let length):
            "the countdown '\(timer)' cannot last \(length); it takes zero or more"
        case .periodNotPositive(let timer, let period):
            "the pendulum '\(timer)' cannot swing every \(period); it takes more than zero"
        case .finished(let timer):
            "the timer '\(timer)' has fired or ended with its state, and has no time left to change"
        case .beyondTime(let timer, let left, let end):
            "the timer '\(timer)' cannot have \(left) left: time ends in \(end)"
        }
    }
}
