// Nodes that have missed a renewal, and when their leases run out, in the clock of the node that was told.

import Timers

struct LapsingLeases: Equatable, Sendable {
    /// In order of incarnation.
    private var ends: [(node: Incarnation, at: Instant)] = []

    init() {}

    /// An answer's age is not known: leases are taken to end later than they do, by that.
    init(_ lapsing: [LapsingLease], at now: Instant) {
        ends = lapsing.map { ($0.incarnation, now.advanced(by: $0.remaining)) }.sorted { $0.node < $1.node }
    }

    var isEmpty: Bool { ends.isEmpty }

    var nodes: Set<Incarnation> { Set(ends.map(\.node)) }

    /// The nodes that this one should end now, and when it should look again. The survivors take precedence in turns, so that they
    /// need not all ask at once: the first of them ends it, and should it fail to, the next.
    func due(for me: Incarnation, among nodes: [Incarnation], at now: Instant, _ times: MemberTimes) -> (
        now: Set<Incarnation>, next: Instant
    ) {
        let survivors = nodes.filter { node in !ends.contains { $0.node == node } }
        guard let mine = survivors.firstIndex(of: me) else { return ([], .never) }
        var (due, next): (Set<Incarnation>, Instant) = ([], .never)
        for (node, end) in ends {
            let first = Int(truncatingIfNeeded: node.number) % survivors.count
            let turn = min(mine - first + (mine < first ? survivors.count : 0), Self.maxTurns)
            let time = end.advanced(by: times.precedence * turn)
            if time <= now { due.insert(node) } else { next = min(next, time) }
        }
        return (due, next)
    }

    private static let maxTurns = 8

    static func == (left: LapsingLeases, right: LapsingLeases) -> Bool {
        left.ends.elementsEqual(right.ends) { $0.node == $1.node && $0.at == $1.at }
    }
}
