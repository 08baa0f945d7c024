// The registry's clock, as far as a node can tell from its answers: deadlines are kept in its time.

import Timers

package struct RegistryClock: Equatable, Sendable {
    /// Nanoseconds that are added to this node's clock, and how far off that may be.
    private var offset: Int64?
    private var error: Int64 = .max
    private var measuredAt = Instant.zero

    /// Clocks run apart by a thousandth at most; so an older and better measure is worth less with time.
    private static let drift: Int64 = 1_000

    /// The registry read its clock at some time between question and answer.
    mutating func learn(_ time: RegistryTime, askedAt: Instant, answeredAt: Instant) {
        let half = answeredAt.nanoseconds(since: askedAt) / 2
        let aged = error.addingReportingOverflow(answeredAt.nanoseconds(since: measuredAt) / Self.drift)
        guard aged.overflow || half <= aged.partialValue else { return }
        (offset, error, measuredAt) = (time.microseconds * 1_000 - askedAt.nanoseconds - half, half, answeredAt)
    }

    /// What the registry's clock shows; nil before it has answered.
    package func time(at now: Instant) -> RegistryTime? {
        offset.map { RegistryTime(microseconds: (now.nanoseconds + $0) / 1_000) }
    }
}
