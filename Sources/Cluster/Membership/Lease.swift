// How long a node may serve, by its own clock.

import Timers

struct Lease: Equatable, Sendable {
    /// Exclusive.
    private(set) var servesUntil = Instant.zero
    private(set) var askedAt: Instant?
    /// Since when the registry has answered without a gap; nil if it does not.
    private(set) var steadySince: Instant?

    /// A renewal was answered. The lease counts from before it was asked for: no clock but the node's own is needed to know that the registry's
    /// lease ends later.
    mutating func renewed(askedAt: Instant, answeredAt: Instant, _ times: MemberTimes) {
        let hasGap = self.askedAt.map { $0.duration(to: askedAt) > times.renewal * 1.5 } ?? true
        if hasGap || steadySince == nil { steadySince = answeredAt }
        self.askedAt = askedAt
        servesUntil = askedAt.advanced(by: times.lease - times.margin)
    }

    /// The registry has answered without a gap since then, while the node waited to join.
    mutating func recordAnswers(since time: Instant) {
        if let steadySince { self.steadySince = min(steadySince, time) }
    }

    /// An answer failed, or came from a registry that had gone back in time. Other nodes' leases may seem to have expired since.
    mutating func interrupt() { steadySince = nil }

    mutating func end() {
        self = Lease()
    }
}
