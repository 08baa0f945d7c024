// A budget of lines for what clients can provoke: ten at once, and one a second.

import Timers

struct LogBudget {
    private let maxCount: Int
    private let refill: Duration

    private var left: Int
    private var lastRefill: Instant?
    private(set) var unsaid = 0

    init(most: Int = 10, refill: Duration = .seconds(1)) {
        (self.maxCount, self.refill, left) = (most, refill, most)
    }

    /// Nil if the budget is spent; else the number of lines suppressed since the last one.
    mutating func spend(at now: Instant) -> Int? {
        replenish(at: now)
        guard left > 0 else {
            unsaid += 1
            return nil
        }
        left -= 1
        defer { unsaid = 0 }
        return unsaid
    }

    /// The number of lines suppressed since the last one, if there is a line left to say it; nil if there is not, or nothing to say.
    mutating func takeSuppressedCount(at now: Instant) -> Int? {
        guard unsaid > 0 else { return nil }
        replenish(at: now)
        return left > 0 ? spend(at: now) : nil
    }

    private mutating func replenish(at now: Instant) {
        guard let last = lastRefill, left < maxCount else {
            lastRefill = now
            return
        }
        let earned = last.duration(to: now) / refill
        guard earned >= 1 else { return }
        left = min(maxCount, left + Int(min(earned, Double(maxCount))))
        lastRefill = now
    }
}
