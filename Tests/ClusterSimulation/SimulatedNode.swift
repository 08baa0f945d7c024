// A node of the simulated world: the real Member, and a daemon that has a count of changes for each shard in place of sessions.

import Cluster
import Timers

final class SimulatedNode {
    /// A shard in the daemon's memory.
    struct Loaded {
        let epoch: Int64
        /// How many changes of it this node knows. The next one is committed as the one after them.
        var count: Int
        var isCommitting = false
        var isLettingGo = false
    }

    let index: Int
    let clock: SkewedClock
    /// The number of the running process. Events for an earlier one are ignored.
    var process = 0
    var isUp = false
    var member: Member
    var loaded: [Int: Loaded] = [:]
    /// The shards in memory, and some former ones; a shard may be there twice.
    var everLoaded: [Int] = []
    var loading: [Int: Int64] = [:]
    /// How many changes of a shard this process has loaded or committed, and under which epoch, as in `RecentRows`.
    var recent: [Int: (epoch: Int64, count: Int)] = [:]
    /// The time until which the process is frozen, and the events that it has missed.
    var frozenUntil: Int64 = 0
    var missed: [World.Event] = []
    var lacks: Set<Int> = []
    /// By shard, how many sessions its definition does not fit.
    var unfit: [Int: Int] = [:]
    /// Shards that it has served although some sessions of theirs did not fit.
    var unfitServed: Set<Int> = []
    var isLeaving = false
    /// Whether its connection to the registry has ended since it asked last: its next question fails.
    var isDisconnected = false
    /// Whether its writer's connection has ended, and the writer has not noticed: it reports shards as released although their logs may lack changes.
    var isStale = false
    /// Whether its writer has compared the logs with what it has committed since the registry last went back in time.
    var hasCompared = true
    /// Until when messages of this node are lost and delayed.
    var troubledUntil: Int64 = 0
    /// When the running process first joined, by its clock; nil before.
    var firstJoinedAt: Instant?
    /// Whether a failure may have cost it its lease.
    var hasBeenTroubled = false
    var timer: Int64 = .max

    init(index: Int, clock: SkewedClock, member: Member) {
        (self.index, self.clock, self.member) = (index, clock, member)
    }

    func boot(_ now: Int64) -> Instant { Instant(nanoseconds: clock.reading(now)) }

    func isFrozen(_ now: Int64) -> Bool { now < frozenUntil }

    func serves(_ shard: Int, _ now: Int64) -> Bool {
        isUp && !isFrozen(now) && member.serves(shard, at: boot(now))
    }
}
