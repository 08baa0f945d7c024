// Usage of a token's quota, by all of its clients together.

import Memory
import Sessions
import Timers

package final class TokenUsage {
    /// Changes that may be made at once.
    private var allowance: Double?
    private var lastRefill = Instant.zero
    /// Sessions that it has begun, in the lives that they had then. Those that are gone are found out when there is no room.
    private var begun: [ByteString: Life] = [:]

    /// Takes one change from the allowance, which holds at most a second's worth. Returns false if it is used up.
    func consumeAllowance(_ rate: Int, at now: Instant) -> Bool {
        let most = Double(rate)
        let earned = allowance == nil ? most : lastRefill.duration(to: now) / .seconds(1) * most
        let left = min(most, (allowance ?? 0) + earned)
        lastRefill = now
        guard left >= 1 else {
            allowance = left
            return false
        }
        allowance = left - 1
        return true
    }

    /// Whether there are as many sessions of its as this. Returns how much was looked at, too.
    func pruneAndCheckLimit(_ most: Int, in sessions: Sessions) -> (isFull: Bool, work: Int) {
        guard begun.count >= most else { return (false, 0) }
        let work = begun.count
        begun = begun.filter { name, life in
            sessions.find(name).map { $0.life == life } ?? (sessions.setAsideSessions[name] != nil)
        }
        return (begun.count >= most, work)
    }

    func countSession(_ session: Session) { begun[session.nameBytes] = session.life }
}
