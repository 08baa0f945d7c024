// A session as its newest view shows it, and how its timers have run down since.

import GameFlow
import Timers

/// A timer that runs down without asking the daemon again.
package struct WatchedTimer: Equatable, Sendable {
    package let name: String
    /// The time left when its view came.
    package let left: Duration
    /// Set for a pendulum.
    package let period: Duration?
    /// The time that a full bar stands for.
    package let length: Duration
    package let isPaused: Bool

    package init(name: String, left: Duration, period: Duration? = nil, length: Duration, isPaused: Bool = false) {
        self.name = name
        self.left = left
        self.period = period
        self.length = max(length, left)
        self.isPaused = isPaused
    }

    /// From a view. Nil if nothing is left of it.
    init?(_ timer: JSON) {
        guard let name = timer["name"]?.text, let left = timer["remaining_ms"]?.milliseconds else { return nil }
        let period = timer["period_ms"]?.milliseconds
        self.init(
            name: name, left: left, period: period, length: period ?? timer["length_ms"]?.milliseconds ?? left,
            isPaused: timer["paused"]?.boolean ?? false)
    }

    /// The time left when `passed` has gone by since its view came.
    package func left(after passed: Duration) -> Duration {
        guard !isPaused, passed > left else { return isPaused ? left : left - passed }
        guard let period, period > .zero else { return .zero }
        let nanoseconds = (passed - left).wholeNanoseconds % period.wholeNanoseconds
        return period - .nanoseconds(nanoseconds)
    }
}

package struct WatchedSession: Equatable, Sendable {
    package let name: String
    package let flow: String
    package let state: String
    package let isPaused: Bool
    package let isFinal: Bool
    package let timers: [WatchedTimer]

    package init(name: String, flow: String, state: String, isPaused: Bool, isFinal: Bool, timers: [WatchedTimer]) {
        (self.name, self.flow, self.state) = (name, flow, state)
        (self.isPaused, self.isFinal, self.timers) = (isPaused, isFinal, timers)
    }

    /// Nil for `null`, which is the view of a session that is not there.
    package init?(view: JSON) {
        guard let name = view["session"]?.text, let flow = view["flow"]?.text, let state = view["state"]?.text else {
            return nil
        }
        self.init(
            name: name, flow: flow, state: state, isPaused: view["paused"]?.boolean ?? false,
            isFinal: view["final"]?.boolean ?? false, timers: (view["timers"]?.elements ?? []).compactMap(WatchedTimer.init))
    }

    /// The lines that it takes.
    package var height: Int { max(1, timers.count) }
}

extension JSON {
    fileprivate var milliseconds: Duration? { integer.map { .milliseconds($0) } }

    fileprivate var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
}
