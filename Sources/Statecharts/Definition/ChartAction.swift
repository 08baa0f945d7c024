// What a transition does on its way, and a state when it is entered or left.

import Timers

package indirect enum ChartAction: Sendable {
    /// Gives a variable of the context a value.
    case assign(variable: Int, Formula)
    /// Raises an event of the chart's own; with a delay, a timer of the session does.
    case raise(EventToSend)
    /// Tells subscribers.
    case emit(EventToSend)
    /// Sends an event to another session.
    case send(EventToSend, to: Template)
    /// Takes back what was to be raised or sent later.
    case cancel(id: String)
    case log(Formula)
    case extend(timer: Int, by: Length)
    case pause(timer: Int)
    case resume(timer: Int)
    case choose(if: Expression, then: [ChartAction], otherwise: [ChartAction])
}

/// An event that an action raises, emits or sends.
package struct EventToSend: Sendable {
    package var event: String
    package var data: Formula?
    package var delay: Length?
    /// Names it for `cancel`, while it waits.
    package var id: String?

    package init(_ event: String, data: Formula? = nil, delay: Length? = nil, id: String? = nil) {
        self.event = event
        self.data = data
        self.delay = delay
        self.id = id
    }
}
