// How a member comes in: it waits while its address is another node's, and for shards if it has died recently.

import Timers

/// Another node that has a member's address, as the member has seen it since.
struct Occupant: Equatable, Sendable {
    let node: Incarnation
    /// When it was first seen.
    let since: Instant
    private(set) var leaseUntil: RegistryTime
    /// When it was last seen to have renewed its lease.
    private(set) var renewedAt: Instant
    /// When the question before was asked.
    private var askedAt: Instant

    init(_ node: Incarnation, leaseUntil: RegistryTime, at now: Instant) {
        (self.node, self.leaseUntil, since, renewedAt, askedAt) = (node, leaseUntil, now, now, now)
    }

    /// Whether it has renewed its lease between two questions, so late that the node must be alive.
    mutating func isAlive(
        _ leaseUntil: RegistryTime, askedAt: Instant, at now: Instant, _ times: MemberTimes
    ) -> Bool {
        let before = self.askedAt
        self.askedAt = askedAt
        guard self.leaseUntil < leaseUntil else { return false }
        (self.leaseUntil, renewedAt) = (leaseUntil, now)
        return before >= since.advanced(by: times.double)
    }

    /// When the registry was away all leases have expired: a node that lives has renewed its lease by then.
    func isSilent(at now: Instant, _ times: MemberTimes) -> Bool { now >= renewedAt.advanced(by: times.grace) }
}

extension Member {
    /// An earlier process at this address may have been killed; then its lease expires. A node that is alive renews its lease.
    func waitForAddress(_ other: Incarnation, _ leaseUntil: RegistryTime, _ askedAt: Instant, _ now: Instant) {
        nextQuestion = now.advanced(by: times.occupied)
        guard occupant?.node == other else {
            occupant = Occupant(other, leaseUntil: leaseUntil, at: now)
            actions.append(.reportOccupied(other))
            return
        }
        guard occupant?.isAlive(leaseUntil, askedAt: askedAt, at: now, times) == true else { return }
        phase = .over
        actions.append(.refuseDouble(other))
    }

    func prove(afterDeaths deaths: Int, _ now: Instant) {
        occupant = nil
        standing.isUnproven = deaths > 0
        provenAt = now.advanced(by: times.proof(afterDeaths: deaths))
    }
}
