/// Counts what came of the actions of devices.
struct Tally: Equatable {
    /// Events that sessions accepted.
    var accepted = 0
    /// Events that sessions refused or ignored; the session's history says why.
    var refused = 0
    /// Events for sessions that do not exist.
    var noSession = 0
    /// Repeated advertisements.
    var repeats = 0
    /// Packets that no event is bound to.
    var unbound = 0

    static func += (left: inout Tally, right: Tally) {
        left.accepted += right.accepted
        left.refused += right.refused
        left.noSession += right.noSession
        left.repeats += right.repeats
        left.unbound += right.unbound
    }
}
