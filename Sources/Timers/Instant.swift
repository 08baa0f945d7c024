// A point on a monotonic clock, in whole nanoseconds. It says nothing about the date.

/// A point in time, counted in nanoseconds from the origin of the clock that it was read from.
public struct Instant: BitwiseCopyable, Hashable, Sendable, InstantProtocol {
    /// Nanoseconds since the clock's origin.
    public let nanoseconds: Int64

    /// The instant this many nanoseconds after the clock's origin.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The start of a virtual clock.
    public static let zero = Instant(nanoseconds: 0)
    /// The end of time, some 292 years off: no clock reaches it, and a timer armed for it never fires.
    public static let never = Instant(nanoseconds: .max)
    /// The last instant that a clock can show.
    public static let last = Instant(nanoseconds: .max - 1)

    /// Whether `left` comes before `right`.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant that lies `duration` later; sums past the end of time stay at its end.
    public func advanced(by duration: Duration) -> Instant {
        advanced(byNanoseconds: duration.wholeNanoseconds)
    }

    /// How long it is from here to `other`; negative if that lies before.
    public func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds(since: self))
    }

    func advanced(byNanoseconds length: Int64) -> Instant {
        Instant(nanoseconds: nanoseconds.addingSaturated(length))
    }

    package func nanoseconds(since earlier: Instant) -> Int64 {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return overflow ? (nanoseconds < 0 ? .min : .max) : difference
    }

    /// Whether a clock can show the instant this many nanoseconds later.
    func reaches(_ length: Int64) -> Bool {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(length)
        return !overflow && sum < Self.never.nanoseconds
    }
}

extension Duration {
    /// The duration in nanoseconds, a fraction rounded up so that no timer is early, and held within ±292 years.
    public var wholeNanoseconds: Int64 {
        let all = attoseconds
        // Nearly all durations need one division of 128 bits by 64, which is far cheaper than one of 128 by 128.
        if let high = UInt64(exactly: all >> 64), high < Self.perNanosecond {
            let (whole, rest) = Self.perNanosecond.dividingFullWidth((high, UInt64(truncatingIfNeeded: all)))
            return Int64(clamping: whole).addingSaturated(rest > 0 ? 1 : 0)
        }
        let (whole, rest) = all.quotientAndRemainder(dividingBy: Int128(Self.perNanosecond))
        return Int64(clamping: whole).addingSaturated(rest > 0 ? 1 : 0)
    }

    /// Attoseconds in a nanosecond.
    private static var perNanosecond: UInt64 { 1_000_000_000 }
}

extension Int64 {
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
