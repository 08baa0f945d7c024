// Until when something may take. Time goes on while the machine sleeps, as a lease does.

package struct Deadline: Comparable, Sendable {
    private let end: ContinuousClock.Instant

    package init(in duration: Duration) { end = .now + duration }

    private init(_ end: ContinuousClock.Instant) { self.end = end }

    package var isOver: Bool { end <= .now }

    /// The remaining time, as poll(2) wants it: 0 only once the deadline has passed.
    package var milliseconds: Int32 {
        let left = (end - .now) / .milliseconds(1)
        return left <= 0 ? 0 : Int32(min(left.rounded(.up), 60_000))
    }

    /// An equal part of the remaining time.
    func share(among count: Int) -> Deadline {
        let now = ContinuousClock.now
        return end <= now ? self : Deadline(now + (end - now) / count)
    }

    package static func < (left: Deadline, right: Deadline) -> Bool { left.end < right.end }
}
