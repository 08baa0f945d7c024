// What a plan is made from, beside the view.

package struct PlanContext: Equatable, Sendable {
    /// Who plans.
    package let me: Incarnation
    /// Its standing, which the view may not know yet.
    package let standing: NodeStatus
    /// Nodes that have missed a renewal: they keep what they have, and are given nothing.
    package let absent: Set<Incarnation>
    /// Nodes that are about to be ended.
    package let ending: Set<Incarnation>
}
