// The values that expressions see by name.

import GameFlow
import JSON

/// The values that one evaluation sees. They are borrowed: nothing of them is kept.
package final class Scope {
    /// The context's values, in the order of its variables.
    package var variables: [JSON]
    /// The event's payload; nil for none.
    package var event: JSON?
    package var eventName: String?
    package var source: EventSource?
    /// The session that the expression belongs to. The evaluating code holds a reference to it.
    package unowned(unsafe) var world: any ExpressionEnvironment

    package init(
        variables: [JSON] = [], event: JSON? = nil, eventName: String? = nil, source: EventSource? = nil,
        world: any ExpressionEnvironment
    ) {
        self.variables = variables
        self.event = event
        self.eventName = eventName
        self.source = source
        self.world = world
    }
}

/// The session, as its expressions see it.
package protocol ExpressionEnvironment: AnyObject {
    /// Milliseconds since the state was entered.
    func elapsed(inState state: Int) -> Int
    /// Whether the state is active; nil if there is no such state.
    func isActive(_ path: String) -> Bool?
    /// Whether there is such a timer, and how many milliseconds of it are left; nil if it does not run.
    func remaining(_ timer: String) -> (known: Bool, milliseconds: Int?)
    var sessionName: String { get }
    var parentName: String? { get }
}
