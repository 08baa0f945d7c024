// A session as it was last read, and how its timers have run down since.

import RESP
import ReplyJSON
import Timers

/// A timer that runs down without asking the daemon again.
package struct WatchedTimer: Equatable, Sendable {
    package let name: String
    /// The time left when it was read.
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

    /// The time left when `passed` has gone by since it was read.
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

    /// From the replies to STATE and TIMERS. Nil if the session is gone.
    package init?(_ name: String, state: Reply, timers: Reply, length: (_ flow: String, _ timer: String) -> Duration?) {
        guard let flow = state["flow"]?.text, let stateName = state["state"]?.text, case .array(let timers) = timers else {
            return nil
        }
        self.init(
            name: name, flow: flow, state: stateName, isPaused: state["paused"] == .boolean(true),
            isFinal: state["final"] == .boolean(true),
            timers: timers.compactMap { timer in
                guard let name = timer["name"]?.text, let left = timer["remaining_ms"]?.milliseconds else { return nil }
                let period = timer["period_ms"]?.milliseconds
                return WatchedTimer(
                    name: name, left: left, period: period, length: period ?? length(flow, name) ?? left,
                    isPaused: timer["paused"] == .boolean(true))
            })
    }

    /// The lines that it takes.
    package var height: Int { max(1, timers.count) }
}
