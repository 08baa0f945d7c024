// How long things take in a cluster, and how many at once.

package struct MemberTimes: Equatable, Sendable {
    /// How long the registry lets a lease last.
    package var lease = Duration.seconds(3)
    /// How often it is renewed.
    package var renewal = Duration.seconds(1)
    /// How long before the end of its lease a node stops serving. Clocks that run apart by less than a fifteenth do no harm.
    package var margin = Duration.milliseconds(200)
    /// How long after a failure a node asks again.
    package var retry = Duration.milliseconds(200)
    /// How long a node must have had answers before it ends others: when the registry was away, all leases have run out. A question's answer
    /// or failure must come within a second, so that every node that lives has asked twice again: one lost message costs no lease.
    package var grace = Duration.milliseconds(2_500)
    /// How long after joining a node looks again, and takes shards without owner: nodes that begin at the same time take their part.
    package var settling = Duration.milliseconds(500)
    /// How much later than the one before it each of the other nodes ends a node, should that one fail to.
    package var precedence = Duration.milliseconds(60)
    /// How long after an answer a node asks again because something changed for it.
    package var pause = Duration.milliseconds(5)
    /// How soon it asks because something changed for others.
    package var hearsay = Duration.milliseconds(250)
    /// How many shards may be in transfer to each node that gets some: it reads this many at once.
    package var onTheirWay = 3
    /// Or such a part of all that are to be given, where that is more: it must come to an end.
    package var partOnItsWay = 32
    /// How long a shard counts as in transfer while its new owner says nothing.
    package var transit = Duration.milliseconds(500)
    /// How long a node waits for shards if a node at its address has died once recently. The time doubles with each death.
    package var proof = Duration.seconds(2)
    /// The longest such time.
    package var maxProof = Duration.seconds(30)
    /// How often a node asks whether its address is free.
    package var occupied = Duration.milliseconds(500)
    /// How long after a node found its address occupied a renewal shows that the other node is alive: what a dead node sent has arrived by then.
    package var doubleDetection = Duration.seconds(4)
    /// How much longer than it was given a stopping node stays that may have to write again what the database has lost.
    package var rewriting = Duration.seconds(10)
    package var movesAtOnce = 1_024

    package init() {}

    /// How much longer than it was given leaving takes at most.
    package var maxLeaveTime: Duration { rewriting + renewal }

    /// How long a node must stay up before it is given shards like the others.
    package func proof(afterDeaths deaths: Int) -> Duration {
        guard deaths > 0 else { return .zero }
        return (1..<min(deaths, 16)).reduce(proof) { time, _ in min(time * 2, maxProof) }
    }
}
