// How a countdown comes to its milestones. The wheel is armed for the next of them, and the countdown's end stands beside it.

import Memory

extension MilestoneEnds.End {
    func left(at now: Instant) -> Int64 {
        switch self {
        case .at(let instant): max(0, instant.nanoseconds(since: now))
        case .left(let left): left
        }
    }
}

extension StateTimer {
    /// The milestones that are still to come, in order.
    package final var milestonesToCome: ArraySlice<Milestone> { plan.milestones.suffix(Int(toCome)) }

    package final var hasMilestonesToCome: Bool { toCome > 0 }

    /// The next milestone; nil if no milestone is pending.
    package final var nextMilestone: Milestone? {
        toCome > 0 ? plan.milestones[plan.milestones.count - Int(toCome)] : nil
    }

    /// How many milestones are due and have not fired yet: zero, except between two firings, or if the timer was stopped just then.
    package final var milestonesDue: Int {
        guard toCome > 0, let left else { return 0 }
        return Int(toCome) - min(Int(toCome), plan.milestones.count(below: left))
    }

    /// How long it is until the timer fires next: for a milestone, or in the end.
    package final var leftUntilNextFiring: Duration? {
        remaining.map { left in max(.zero, nextMilestone.map { left - $0.remaining } ?? left) }
    }

    /// When a countdown ends that is armed for a milestone; nil while it is paused.
    final var end: Instant? {
        guard case .at(let end) = host?.timekeeper.wheel.ends[slot] else { return nil }
        return end
    }

    /// Runs with this much left towards its next milestone, or keeps it if the timer is paused or its flow's clock is frozen.
    final func set(left: Int64, on host: TimerHost, notBefore earliest: Instant) {
        guard !isPaused, !host.isFrozen else {
            host.timekeeper.wheel.ends.remove(slot)
            return host.timekeeper.wheel.park(slot: slot, left: left)
        }
        let end = host.timekeeper.now.advanced(byNanoseconds: left)
        guard let next = nextMilestone else { return arm(at: end, on: host) }
        host.timekeeper.wheel.ends.set(.at(end), of: slot)
        arm(at: max(end.before(next), earliest), on: host)
    }

    /// Updates the number of pending milestones for this remainder, in nanoseconds. If the remainder is below that of pending milestones, they fire
    /// now, even if the timer is paused or frozen, and this returns true.
    final func passesMilestones(at left: Int64, on host: TimerHost) -> Bool {
        let (now, below) = (host.timekeeper.now, plan.milestones.count(below: left))
        guard toCome > below else {
            host.timekeeper.wheel.ends.remove(slot)
            toCome = UInt16(below)
            return false
        }
        let (left, standsStill) = (max(0, left), isPaused || host.isFrozen)
        arm(at: now, on: host)
        host.timekeeper.wheel.ends.set(standsStill ? .left(left) : .at(now.advanced(byNanoseconds: left)), of: slot)
        return true
    }

    /// The due milestone has fired: continues with the next one, or with the end. Among overdue milestones, each is due when the one before it was,
    /// or later.
    final func continueAfterMilestone(due deadline: Instant, on host: TimerHost) -> Int {
        let index = plan.milestones.count - Int(toCome)
        let end = host.timekeeper.wheel.ends.remove(slot)
        toCome -= 1
        switch end {
        case .at(let end): run(to: end, notBefore: deadline, on: host)
        case .left(let left): rearmOrPark(with: left, since: deadline, on: host)
        case nil: break
        }
        return index
    }

    private final func run(to end: Instant, notBefore earliest: Instant, on host: TimerHost) {
        guard let next = nextMilestone else {
            return host.timekeeper.wheel.rearm(slot: slot, at: max(end, earliest))
        }
        host.timekeeper.wheel.ends.set(.at(end), of: slot)
        host.timekeeper.wheel.rearm(slot: slot, at: max(end.before(next), earliest))
    }

    private final func rearmOrPark(with left: Int64, since deadline: Instant, on host: TimerHost) {
        if let next = nextMilestone, next.nanoseconds >= left {
            host.timekeeper.wheel.ends.set(.left(left), of: slot)
        } else if left > 0 {
            return host.timekeeper.wheel.rearm(slot: slot, parkedWith: left)
        }
        host.timekeeper.wheel.rearm(slot: slot, at: deadline)
    }
}

extension Instant {
    fileprivate func before(_ milestone: Milestone) -> Instant { advanced(byNanoseconds: -milestone.nanoseconds) }
}

// MARK: - When countdowns end that the wheel wakes for a milestone first

/// The ends of countdowns that are armed for a milestone, by slot.
struct MilestoneEnds {
    /// How a countdown continues after its milestone.
    enum End {
        /// It runs, and ends then.
        case at(Instant)
        /// It is paused with this much left: a milestone that an extension has passed fires all the same.
        case left(Int64)
    }

    private var ends: [UInt32: End] = [:]
    /// False until a countdown with milestones starts, which spares the others a look.
    private(set) var isUsed = false

    var count: Int { ends.count }

    subscript(slot: UInt32) -> End? { ends[slot] }

    mutating func set(_ end: End, of slot: UInt32) {
        isUsed = true
        ends[slot] = end
    }

    @discardableResult
    mutating func remove(_ slot: UInt32) -> End? { ends.removeValue(forKey: slot) }
}
