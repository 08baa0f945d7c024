// What a flow file, and the sessions that it runs, may use at most.

import Timers

package enum ChartBounds {
    package static let fileBytes = 1 << 20
    package static let states = 10_000
    package static let transitions = 10_000
    package static let timers = 1_000
    /// Of one countdown.
    package static let milestones = Milestone.maxCount
    /// Of the catalogue, or of those that the file names where it has no catalogue.
    package static let events = 20_000
    /// All that a session's machine numbers: `events`, and those of timers, milestones, invoked flows and delayed sends.
    package static let numberedEvents = 50_000
    package static let invocations = 1_000
    /// Bytes of the name of a state: of the paths of all leaves that can be active together.
    package static let stateNameBytes = 1 << 18
    /// Of the names that all history states of a flow remember together.
    package static let rememberedBytes = 1 << 20
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
