// What a flow file, and the sessions that it runs, may use at most.

package enum ChartBounds {
    package static let fileBytes = 1 << 20
    package static let states = 10_000
    package static let transitions = 10_000
    package static let timers = 1_000
    package static let variables = 256
    package static let expressionBytes = 4_096
    package static let nameBytes = 128
    /// Steps without an event from outside, until nothing more happens.
    package static let microsteps = 1_000
    /// Of one event, its microsteps included: instructions of Lua, and what counts as such. So many take some 20 ms at most.
    package static let steps = 500_000
    package static let raisedEvents = 1_000
    package static let actions = 10_000
    /// Bytes of a value: of a variable, of what an event carries, of a line of the log.
    package static let valueBytes = 16 << 10
    /// Of all values that one event makes.
    package static let stepBytes = 1 << 20
    /// Events to others and lines of the log, of one event.
    package static let outgoing = 1_000
    /// Of a text that a view shows.
    package static let textBytes = 16 << 10
    /// Sessions that invoke sessions that invoke sessions.
    package static let childDepth = 8
    package static let children = 32
    package static let delayedEvents = 64
    /// What sessions send each other within one instant.
    package static let messages = 4_096
}
