// A timer of a chart's state.

import Timers

/// A Countdown (`after`) or a Pendulum (`every`) that a state carries from its entry to its exit.
package struct ChartTimer: Sendable {
    package var name: String
    package var kind: TimerPlan.Kind
    package var state: Int
    package var length: Length
    package var restart: RestartPolicy
    /// Of a countdown, the longest first: something happens when so much of it is left.
    package var milestones: [Duration]

    package init(
        name: String, kind: TimerPlan.Kind, state: Int, length: Length, restart: RestartPolicy = .keep,
        milestones: [Duration] = []
    ) {
        self.name = name
        self.kind = kind
        self.state = state
        self.length = length
        self.restart = restart
        self.milestones = milestones
    }
}

/// A length of time: `"30s"`, or an expression that gives milliseconds.
package enum Length: Sendable {
    case fixed(Duration)
    case computed(Expression)
}
