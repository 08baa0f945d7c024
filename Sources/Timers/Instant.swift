// A point on a monotonic clock, in whole nanoseconds. It says nothing about the date.

/// A point in time, counted in nanoseconds from the origin of the clock that it was read from.
public struct Instant: Hashable, Sendable, InstantProtocol {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Where a virtual clock begins.
    public static let zero = Instant(nanoseconds: 0)
    /// A point that no clock reaches.
    public static let never = Instant(nanoseconds: .max)

    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant that lies `duration` later; sums past the end of time stay at its end.
    public func advanced(by duration: Duration) -> Instant {
        advanced(byNanoseconds: duration.wholeNanoseconds)
    }

    public func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds(since: self))
    }

    func advanced(byNanoseconds length: Int64) -> Instant {
        Instant(nanoseconds: nanoseconds.addingSaturated(length))
    }

    func nanoseconds(since earlier: Instant) -> Int64 {
        nanoseconds.addingSaturated(earlier.nanoseconds == .min ? .max : -earlier.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, a fraction rounded up so that no timer is early, and held within ±292 years.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let whole = attoseconds / 1_000_000_000
        let fraction: Int64 = attoseconds > whole * 1_000_000_000 ? 1 : 0
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.addingSaturated(whole + fraction)
    }
}

extension Int64 {
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
