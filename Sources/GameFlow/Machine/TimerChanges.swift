// A step that fails has changed no timer: what its code has paused, resumed and extended continues as before.

/// A session's timers and clock before the code of the step that is under way has changed them.
struct TimerChanges {
    private var timers: [TimerSnapshot] = []
    private var clock: (isFrozen: Bool, isHalted: Bool)?

    var isEmpty: Bool { clock == nil }

    mutating func record(_ timer: StateTimer?, of machine: AnyMachine) {
        if isEmpty { clock = (machine.isFrozen, machine.clock.isHalted) }
        if let timer, let snapshot = TimerSnapshot(of: timer) { timers.append(snapshot) }
    }

    /// Undoes the changes, the last one first, and then the restart of a countdown in place.
    consuming func undo(of machine: AnyMachine) {
        restoreTimers(of: machine)
        machine.timekeeper.undoRenewing(machine)
        // Those from before the restart.
        restoreTimers(of: machine)
        guard let clock, clock.isFrozen != machine.isFrozen else { return }
        if clock.isHalted {
            machine.clock.halt()
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
