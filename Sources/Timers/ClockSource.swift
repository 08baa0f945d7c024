// Any clock of Swift's as a source of time, and an alarm that sleeps on it.

/// A clock of Swift's, read in instants since the source was made.
public final class ClockSource: TimeSource, Sendable {
    private let elapsed: @Sendable () -> Duration
    fileprivate let sleep: @Sendable (_ until: Instant) async throws -> Void

    /// Counts from now on.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: Instant.zero.duration(to: $0)), tolerance: .zero) }
    }

    /// The time since the source was made.
    public var now: Instant { Instant.zero.advanced(by: elapsed()) }
}

/// Rings at one instant. A new instant takes the place of the earlier one. Only for its owner's isolation.
package final class Alarm {
    private let source: ClockSource
    private let ring: @Sendable () async -> Void
    private var sleeper: Task<Void, Never>?
    private var instant: Instant?

    /// Calls `ring` at the instant that was set last; the owner sets the next one then.
    package init(on source: ClockSource, _ ring: @escaping @Sendable () async -> Void) {
        (self.source, self.ring) = (source, ring)
    }

    deinit { sleeper?.cancel() }

    /// Rings then, or never if that is nil.
    package func set(for instant: Instant?) {
        guard instant != self.instant else { return }
        self.instant = instant
        sleeper?.cancel()
        sleeper = instant.map { instant in
            Task { [sleep = source.sleep, ring] in
                try? await sleep(instant)
                if !Task.isCancelled { await ring() }
            }
        }
    }

    /// It has rung, or something else has done its work: it can be set again for the same instant.
    package func reset() { instant = nil }
}
