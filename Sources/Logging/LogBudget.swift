// A budget of lines for what clients can provoke: ten at once, and one a second.

import Timers

struct LogBudget {
    private static let most = 10
    private static let refill = Duration.seconds(1)

    private var left = Self.most
    private var lastRefill: Instant?
    private var unsaid = 0

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

    private mutating func replenish(at now: Instant) {
        guard let last = lastRefill, left < Self.most else {
            lastRefill = now
            return
        }
        let earned = last.duration(to: now) / Self.refill
        guard earned >= 1 else { return }
        left = min(Self.most, left + Int(min(earned, Double(Self.most))))
        lastRefill = now
    }
}
