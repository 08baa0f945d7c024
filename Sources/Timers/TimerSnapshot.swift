// How a timer was before a step paused, resumed or extended it, for a step that fails.

import Memory

/// A timer's record in the wheel, and whether the timer was paused. It does not keep the timer alive.
package struct TimerSnapshot {
    private let id: TimerID
    private let place: TimerPlace
    private let time: Int64
    private let end: MilestoneEnds.End?
    private let isPaused: Bool
    private let toCome: UInt16

    /// Nil if the timer has been stopped.
    package init?(of timer: StateTimer) {
        guard let keeper = timer.host?.timekeeper, let id = timer.id else { return nil }
        let record = keeper.wheel.slab.records[id.slot]
        (self.id, place, time, end) = (id, record.place, record.time, keeper.wheel.ends[id.slot])
        (isPaused, toCome) = (timer.isPaused, timer.toCome)
    }

    /// The timer continues as it was. Returns false if it is gone, or was restarted in place since.
    package func restore(on keeper: Timekeeper) -> Bool {
        guard keeper.isAlive(id) else { return false }
        keeper.wheel.restore(slot: id.slot, to: place, at: time)
        if let end { keeper.wheel.ends.set(end, of: id.slot) } else { keeper.wheel.ends.remove(id.slot) }
        Borrowed<StateTimer>(token: keeper.wheel.slab.records[id.slot].token).with { timer in
            (timer.isPaused, timer.toCome) = (isPaused, toCome)
        }
        return true
    }
}
