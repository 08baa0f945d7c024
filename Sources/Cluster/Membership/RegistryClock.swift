// The registry's clock, as far as a node can tell from its answers: deadlines are kept in its time.

import Timers

/// The registry reads its clock between question and answer, so each answer bounds the clock from both sides. A deadline that is saved with the
/// latest time that it can be, and restored with the earliest, may come late, and never early. The fastest answers narrow the bounds.
package struct RegistryClock: Equatable, Sendable {
    /// Nanoseconds from this node's clock to the registry's, at least and at most; nil before the registry has answered. Sums of times and jumps do not
    /// fit 64 bits.
    private var offsets: ClosedRange<Int128>?
    private var measuredAt = Instant.zero
    package private(set) var correction = ClockCorrection()

    /// Two clocks run apart by a five-hundredth at most, each being off by a thousandth.
    private static let drift: Int64 = 500
    /// Nanoseconds. The clock is followed where it is set by less.
    private static let minJump: Int64 = 1_000_000_000
    /// Microseconds since 1970 that a clock can show: until 2243, some years before the last instant.
    private static let plausible = 0...(Int64.max / 16_000 * 15)

    /// Returns by how much the registry's clock has jumped, if it has: what this node knows of its time goes on as before.
    mutating func update(from time: RegistryTime, askedAt: Instant, answeredAt: Instant) -> Duration? {
        guard Self.plausible.contains(time.microseconds) else { return nil }
        // A reading is rounded down.
        let reading = Int128(time.microseconds * 1_000) + Int128(correction.nanoseconds)
        let error = Int128(correction.error)
        let least = reading - error - Int128(answeredAt.nanoseconds)
        let sample = least...max(least, reading + 999 + error - Int128(askedAt.nanoseconds))
        let former = aged(to: answeredAt)
        // The clocks have run apart since the reading, which was after the question.
        measuredAt = askedAt
        guard let former else {
            offsets = sample
            return nil
        }
        guard !sample.overlaps(former) else {
            offsets = sample.clamped(to: former)
            return nil
        }
        guard Self.gap(from: former, to: sample) > Self.minJump else {
            offsets = sample
            return nil
        }
        offsets = former
        let jump = Int64(clamping: Self.middle(of: sample) - Self.middle(of: former))
        correction.count(jump, error: Int64(clamping: (Self.width(of: sample) + Self.width(of: former)) / 2 + 1))
        return .nanoseconds(jump)
    }

    /// Goes by the time of a node that has seen jumps from before this one was there.
    mutating func adopt(_ other: ClockCorrection) {
        guard other.jumps > correction.jumps else { return }
        let (change, error) = (Int128(other.nanoseconds) - Int128(correction.nanoseconds), Int128(other.error))
        offsets = offsets.map { $0.lowerBound + change - error...$0.upperBound + change + error }
        correction = other
    }

    /// The least and the greatest time that the registry's clock may show, in nanoseconds since 1970; nil before it has answered.
    package func nanoseconds(at now: Instant) -> ClosedRange<Int64>? {
        let here = Int128(now.nanoseconds)
        return aged(to: now).map { Int64(clamping: here + $0.lowerBound)...Int64(clamping: here + $0.upperBound) }
    }

    private func aged(to now: Instant) -> ClosedRange<Int128>? {
        let error = Int128(max(0, now.nanoseconds(since: measuredAt)) / Self.drift)
        return offsets.map { $0.lowerBound - error...$0.upperBound + error }
    }

    private static func gap(from former: ClosedRange<Int128>, to sample: ClosedRange<Int128>) -> Int128 {
        max(sample.lowerBound - former.upperBound, former.lowerBound - sample.upperBound)
    }

    private static func middle(of range: ClosedRange<Int128>) -> Int128 { range.lowerBound + width(of: range) / 2 }

    private static func width(of range: ClosedRange<Int128>) -> Int128 { range.upperBound - range.lowerBound }
}
