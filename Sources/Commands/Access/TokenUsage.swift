// Usage of a token's quota, by all of its clients together.

import Memory
import Sessions
import Texts
import Timers

package final class TokenUsage {
    /// Changes that may be made at once.
    private var allowance: Double?
    private var lastRefill = Instant.zero
    /// Sessions that it has begun, with their present lives. Those that are gone are removed when there is no room.
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

    /// A session was restarted: if it counts here, it does so in its new life, too.
    func countRestart(of name: ByteString, from old: Life, to new: Life) {
        if begun[name] == old { begun[name] = new }
    }
}

// MARK: - How much a token may take: sessions that it has begun, and events a second.

package struct Quota: Equatable, Sendable {
    /// Sessions of its NEWs that there may be at once.
    package var sessions: Int?
    /// Changes a second.
    package var rate: Int?

    private static let maxCount = 1_000_000_000

    package init() {}

    package var isSet: Bool { sessions != nil || rate != nil }

    package static func sessions(_ text: String) throws(AccessError) -> Int {
        guard let number = Int(text), (0...maxCount).contains(number) else {
            throw AccessError("a quota of sessions is a whole number, not '\(text.shortened)'")
        }
        return number
    }

    /// `50/s`, or `50`.
    package static func rate(_ text: String) throws(AccessError) -> Int {
        let digits = text.hasSuffix("/s") ? text.dropLast(2) : text[...]
        guard let number = Int(digits), (1...maxCount).contains(number) else {
            throw AccessError("a rate is a whole number of events a second, like 50/s, not '\(text.shortened)'")
        }
        return number
    }
}
