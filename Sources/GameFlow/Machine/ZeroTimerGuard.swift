// Flows whose zero timers lead in a circle: time would never pass.

import Timers

/// Counts, machine by machine, how often in a row a timer fired in a state that it had just been armed in. Hardly any machine ever has
/// such a timer, so the numbers lie here and not in each of a million.
@usableFromInline
struct ZeroTimerGuard {
    private var instant = Instant.zero
    private var counts: [ObjectIdentifier: Int] = [:] { didSet { isWatching = !counts.isEmpty } }
    /// Whether there is anything to forget.
    @usableFromInline private(set) var isWatching = false

    /// One more firing, in a state that was entered at this instant.
    mutating func count(_ machine: AnyMachine, at now: Instant) -> Int {
        if now != instant { (instant, counts) = (now, [:]) }
        counts[ObjectIdentifier(machine), default: 0] += 1
        return counts[ObjectIdentifier(machine)] ?? 0
    }

    /// Something from outside has come in between, or the machine is gone.
    @usableFromInline
    mutating func forget(_ machine: AnyMachine) {
        guard isWatching else { return }
        counts[ObjectIdentifier(machine)] = nil
    }
}
