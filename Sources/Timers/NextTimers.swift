// The next timers of all hosts. People ask for them a few times a minute, so no index is kept that every timer would pay for.

import Memory

extension TimerWheel {
    /// The tokens of the timers that end next, in order of deadline and then of arming. It scans all records in order of
    /// memory: a million take some milliseconds. One that is armed for a milestone counts by its end.
    func next(_ count: Int) -> [UInt] {
        var best: [(deadline: Int64, sequence: UInt64, token: UInt)] = []
        var latest = Int64.max
        for slot in 0..<slab.used {
            let record = slab.records[slot]
            guard record.place.isArmed, record.time <= latest else { continue }
            guard let end = end(ofSlot: slot, armedFor: record.time), end <= latest else { continue }
            best.append((end, record.place.sequence, record.token))
            guard best.count >= 2 * count + 64 else { continue }
            best.sort { ($0.deadline, $0.sequence) < ($1.deadline, $1.sequence) }
            best.removeSubrange(count...)
            latest = best.last?.deadline ?? latest
        }
        best.sort { ($0.deadline, $0.sequence) < ($1.deadline, $1.sequence) }
        return best.prefix(count).map(\.token)
    }

    /// Nil for a paused timer that is armed only for milestones that an extension has passed.
    private func end(ofSlot slot: UInt32, armedFor time: Int64) -> Int64? {
        guard ends.isUsed, let end = ends[slot] else { return time }
        switch end {
        case .at(let instant): return instant.nanoseconds
        case .left: return nil
        }
    }
}

extension Timekeeper {
    /// The timers that fire next, in the order in which they will.
    public func nextTimers(_ count: Int) -> [StateTimer] {
        count > 0 ? wheel.next(count).map { Borrowed<StateTimer>(token: $0).object } : []
    }
}
