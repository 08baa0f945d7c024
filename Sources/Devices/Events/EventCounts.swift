/// How often something came of what devices did, and what.
struct Tally: Equatable {
    /// Events that sessions took.
    var accepted = 0
    /// Events that sessions refused, or let pass because they are not valid where they are; the session's history tells more.
    var refused = 0
    /// Events for sessions that there are not.
    var noSession = 0
    /// Advertisements that said what had just been said.
    var repeats = 0
    /// What devices said and nothing is bound to.
    var unbound = 0

    static func += (left: inout Tally, right: Tally) {
        left.accepted += right.accepted
        left.refused += right.refused
        left.noSession += right.noSession
        left.repeats += right.repeats
        left.unbound += right.unbound
    }
}
