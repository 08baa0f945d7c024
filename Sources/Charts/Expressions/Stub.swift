import GameFlow
package final class ExpressionEngine {
    package init(_ expressions: [ExpressionSource], variables: [String]) throws(ExpressionProblems) {}
    package func value(of expression: Expression, in scope: borrowing Scope) throws(ExpressionError) -> JSON { .null }
    package func isTrue(_ expression: Expression, in scope: borrowing Scope) throws(ExpressionError) -> Bool { false }
}
package struct ExpressionError: Error { package let sentence: String }
package struct ExpressionProblems: Error { }
package struct Scope {
    package var variables: [JSON] = []
    package var event: JSON?
    package var eventName: String?
    package var source: EventSource?
    package unowned(unsafe) var world: any ExpressionWorld
    package init(variables: [JSON] = [], event: JSON? = nil, eventName: String? = nil, source: EventSource? = nil, world: any ExpressionWorld) {
        self.variables = variables; self.event = event; self.eventName = eventName; self.source = source; self.world = world
    }
}
package protocol ExpressionWorld: AnyObject {
    func elapsed(inState: Int) -> Int
    func isActive(_ path: String) -> Bool?
    func remaining(_ timer: String) -> (known: Bool, milliseconds: Int?)
    var sessionName: String { get }
    var parentName: String? { get }
}
