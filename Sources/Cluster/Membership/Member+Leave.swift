// How a member leaves: it hands everything over, and ends its incarnation once it has nothing that others could take.

import Timers

extension Member {
    func stop(_ deadline: Instant) {
        guard phase != .over else { return }
        stopDeadline = deadline
        standing.isLeaving = true
        nextPlan = .zero
    }

    func leaveIfDone(_ me: Incarnation, _ now: Instant) {
        guard let lastMoment, underWay == nil else { return }
        // What is still held then waits for a taker in vain: whatever had one has been asked for.
        let isDone = published?.isLeaving == true && nextPlan == .never && holdings.shards == holdings.outOfMemory
        guard isDone && !mayHaveToWriteAgain || now >= lastMoment else { return }
        if !holdings.isEmpty { actions.append(.forgetAll) }
        holdings = OwnedShards()
        lease.end()
        phase = .parting(me)
        ask(.leave(me), now)
    }

    /// Whether the database may lack something that it had acknowledged to this node, and to no other.
    private var mayHaveToWriteAgain: Bool {
        guard !holdings.isEmpty else { return false }
        return isRaising || !heldBack.unloaded.isEmpty || lease.steadySince == nil
    }

    /// The deadline of a stopping node, after which it leaves with shards that it still holds.
    var lastMoment: Instant? {
        let isWaiting = mayHaveToWriteAgain || !holdings.shards(in: .releasing).isEmpty
        return stopDeadline.map { isWaiting ? $0.advanced(by: times.rewriting) : $0 }
    }

    func finish() {
        guard phase != .over else { return }
        if !holdings.isEmpty { actions.append(.forgetAll) }
        holdings = OwnedShards()
        lease.end()
        underWay = nil
        phase = .over
        actions.append(.end)
    }
}
