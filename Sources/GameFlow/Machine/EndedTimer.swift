// Running timers that a session loses when its flow changes.

import Texts

/// A running timer that ended because the changed definition of its flow lacks it.
package struct EndedTimer: Equatable {
    package let name: String
    /// Its session's state.
    package let state: String
    /// The remaining time.
    package let left: Duration

    /// The warning about it; `isPlanned` if it has not ended yet.
    package func sentence(in session: String, isPlanned: Bool = false) -> String {
        let time = Duration.milliseconds(left.milliseconds).written
        return "session '\(session.shortened)' in state '\(state.shortened)': its timer '\(name.shortened)' has no counterpart "
            + "in the new file and \(isPlanned ? "would end" : "ends"), with \(time) left"
    }
}

/// A session's machine made from its image, and the running timers of the image that it lacks.
package typealias RestoredMachine = (machine: AnyMachine, ended: [EndedTimer])

extension SessionImage {
    /// The running timers of the image, the oldest first, that a machine made from it lacks.
    package func endedTimers(in machine: AnyMachine) -> [EndedTimer] {
        timers.reversed().compactMap { timer in
            guard let left = timer.left, !machine.hasTimer(like: timer) else { return nil }
            let passed: Duration = timer.isPaused ? .zero : away ?? .zero
            return EndedTimer(name: timer.name, state: state, left: max(.zero, left - passed))
        }
    }
}

extension AnyMachine {
    fileprivate final func hasTimer(like image: TimerImage) -> Bool {
        var isFound = false
        forEachTimer { timer in
            if timer.plan.name == image.name, timer.plan.kind == image.kind { isFound = true }
        }
        return isFound
    }
}
