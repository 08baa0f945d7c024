/// What a caller asked of a timer that no timer can do.
public enum TimerError: Error, Equatable, CustomStringConvertible {
    case negativeLength(timer: String, Duration)
    case periodNotPositive(timer: String, Duration)
    case finished(timer: String)

    public var description: String {
        switch self {
        case .negativeLength(let timer, let length):
            "the countdown '\(timer)' cannot last \(length); it takes zero or more"
        case .periodNotPositive(let timer, let period):
            "the pendulum '\(timer)' cannot swing every \(period); it takes more than zero"
        case .finished(let timer):
            "the timer '\(timer)' has fired already and has no time left to change"
        }
    }
}
