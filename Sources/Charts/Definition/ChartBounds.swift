// What a flow file, and the sessions that it runs, may use at most.

package enum ChartBounds {
    package static let fileBytes = 1 << 20
    package static let states = 10_000
    package static let transitions = 10_000
    package static let timers = 1_000
    package static let variables = 256
    /// Of one, as JSON.
    package static let valueBytes = 16 << 10
    package static let expressionBytes = 4_096
    package static let nameBytes = 128
    /// Steps without an event from outside, until nothing more happens.
    package static let microsteps = 1_000
    /// Sessions that invoke sessions that invoke sessions.
    package static let childDepth = 8
    package static let children = 32
    package static let delayedEvents = 64
    /// What sessions send each other within one instant.
    package static let messages = 4_096
}
