// A step that fails has changed no timer: what its code has paused, resumed and extended continues as before.

/// A session's timers and clock before the code of the step that is under way has changed them.
struct TimerChanges {
    private var timers: [TimerSnapshot] = []
    private var clock: (isFrozen: Bool, isHalted: Bool)?

    var isEmpty: Bool { clock == nil }

    /// The code is about to change a timer, or the clock, which all timers follow.
    mutating func record(_ timer: StateTimer?, of machine: AnyMachine) {
        if isEmpty { clock = (machine.isFrozen, machine.isHalted) }
        if let timer { record(timer) } else { machine.forEachTimer { record($0) } }
    }

    private mutating func record(_ timer: StateTimer) {
        if let snapshot = TimerSnapshot(of: timer) { timers.append(snapshot) }
    }

    /// Undoes the changes, the last one first, and then the restart of a countdown in place.
    consuming func undo(of machine: AnyMachine) {
        restoreTimers(of: machine)
        machine.timekeeper.undoRenewing(machine)
        // Those from before the restart.
        restoreTimers(of: machine)
        guard let clock, clock != (machine.isFrozen, machine.isHalted) else { return }
        if clock.isHalted {
            machine.halt()
        } else if clock.isFrozen {
            machine.clock.freeze()
        } else {
            machine.clock.resume()
        }
    }

    private mutating func restoreTimers(of machine: AnyMachine) {
        timers = timers.reversed().filter { !$0.restore(on: machine.timekeeper) }.reversed()
    }
}

extension Machine {
    /// The step has failed.
    @usableFromInline
    func undoTimerChanges() {
        guard let extras, !extras.timerChanges.isEmpty else { return timekeeper.undoRenewing(self) }
        let changes = extras.timerChanges
        changes.undo(of: self)
        extras.timerChanges = TimerChanges()
    }
}
