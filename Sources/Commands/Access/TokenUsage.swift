// Usage of a token's quota, by all of its clients together.

import Memory
import Sessions
import Texts
import Timers

package final class TokenUsage {
    /// Changes that may be made at once.
    private var allowance: Double?
    private var lastRefill = Instant.zero
    /// Sessions that it has begun, with their present lives and their places in `names`. One that ends is forgotten; one that is gone otherwise is
    /// removed when there is no room.
    private var begun: [ByteString: (life: Life, place: Int)] = [:]
    private var names: [ByteString] = []
    /// The place of the next name to look at.
    private var cursor = 0
    private static let maxLookedAt = 1_000

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

    /// Whether there are as many sessions of its as this. Returns how many were looked at, too.
    func pruneAndCheckLimit(_ most: Int, in sessions: Sessions) -> (isFull: Bool, work: Int) {
        var work = 0
        while names.count >= most, work < min(names.count, Self.maxLookedAt) {
            if cursor >= names.count { cursor = 0 }
            let name = names[cursor]
            if isThere(name, in: sessions) { cursor += 1 } else { forget(name) }
            work += 1
        }
        return (names.count >= most, work)
    }

    private func isThere(_ name: ByteString, in sessions: Sessions) -> Bool {
        sessions.find(name).map { $0.life == begun[name]?.life } ?? (sessions.setAsideSessions[name] != nil)
    }

    func countSession(_ session: Session) {
        let name = session.nameBytes
        let known = begun.updateValue((session.life, begun[name]?.place ?? names.count), forKey: name)
        if known == nil { names.append(name) }
    }

    /// A session of this name ends.
    func forget(_ name: ByteString) {
        guard !begun.isEmpty, let place = begun.removeValue(forKey: name)?.place else { return }
        // The last one takes its place.
        let last = names.removeLast()
        guard last != name else { return }
        names[place] = last
        begun[last]?.place = place
    }

    /// A session was restarted: if it counts here, it does so in its new life, too.
    func countRestart(of name: ByteString, from old: Life, to new: Life) {
        if begun[name]?.life == old { begun[name]?.life = new }
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
            throw AccessError("a quota of sessions is a whole number, not \(text.unlessSecret)")
        }
        return number
    }

    /// `50/s`, or `50`.
    package static func rate(_ text: String) throws(AccessError) -> Int {
        let digits = text.hasSuffix("/s") ? text.dropLast(2) : text[...]
        guard let number = Int(digits), (1...maxCount).contains(number) else {
            throw AccessError("a rate is a whole number of events a second, like 50/s, not \(text.unlessSecret)")
        }
        return number
    }
}
