// Detects flows whose zero timers form a loop, in which time would never pass.

import Timers

/// Counts, by machine, how often in a row a timer fired in the instant in which its state was entered. Few machines have such timers, so
/// the counts are stored here and not in each machine.
@usableFromInline
struct ZeroTimerGuard {
    private var instant = Instant.zero
    private var counts: [ObjectIdentifier: Int] = [:] { didSet { isWatching = !counts.isEmpty } }
    /// Whether there are any counts.
    @usableFromInline private(set) var isWatching = false

    /// What the history says when a machine was stopped.
    static func sentence(_ most: Int) -> String {
        "its timers of no length fire in a circle: more than \(most) fired without time passing, so the session's clock was stopped; RESUME starts it again"
    }

    /// What STATE says as long as it is stopped.
    static let halted =
        "the daemon stopped its clock: timers of no length fire in a circle; HISTORY says which, RESUME starts the clock again"

    /// Counts a firing in a state that was entered at this instant.
    mutating func count(_ machine: AnyMachine, at now: Instant) -> Int {
        if now != instant { (instant, counts) = (now, [:]) }
        counts[ObjectIdentifier(machine), default: 0] += 1
        return counts[ObjectIdentifier(machine)] ?? 0
    }

    /// Forgets a machine's count: an event from outside has come in between, or the machine is gone.
    @usableFromInline
    mutating func forget(_ machine: AnyMachine) {
        guard isWatching else { return }
        counts[ObjectIdentifier(machine)] = nil
    }
}
