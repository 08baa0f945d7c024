// The timers that fire at the hand, collected in pieces and taken out in order.

/// A due timer, ordered by deadline and then by arming.
struct DueTimer: Comparable {
    let deadline: UInt64
    let sequence: UInt64
    let slot: UInt32

    static func < (left: DueTimer, right: DueTimer) -> Bool {
        (left.deadline, left.sequence) < (right.deadline, right.sequence)
    }
}

/// Sorting a million timers at once would take longer than a turn may. So they are sorted in runs while they are collected, and merged
/// while they fire. Nearly always they come in order, and are one run.
struct DueTimers {
    private static let mostKept = 4_096
    private static let longestRun = 1_024

    private var timers: [DueTimer] = []
    /// What is left of each run. Once all timers are collected, a heap: the run with the next timer comes first.
    private var runs: [Range<Int>] = []
    /// Timers from here on belong to no run yet.
    private var unsorted = 0

    mutating func append(_ timer: DueTimer) {
        timers.append(timer)
        if timers.count - unsorted >= Self.longestRun { endRun() }
    }

    /// All timers are collected.
    mutating func finish() {
        if unsorted < timers.count { endRun() }
        for place in (0..<runs.count / 2).reversed() { siftDown(from: place) }
    }

    private mutating func endRun() {
        let new = unsorted..<timers.count
        if !zip(timers[new], timers[new].dropFirst()).allSatisfy(<) { timers[new].sort() }
        unsorted = new.upperBound
        if let last = runs.last, last.upperBound == new.lowerBound, timers[new.lowerBound - 1] < timers[new.lowerBound] {
            runs[runs.count - 1] = last.lowerBound..<new.upperBound
        } else {
            runs.append(new)
        }
    }

    mutating func popFirst() -> DueTimer? {
        guard let first = runs.first else { return nil }
        let timer = timers[first.lowerBound]
        if first.count > 1 {
            runs[0] = first.lowerBound + 1..<first.upperBound
        } else {
            runs.swapAt(0, runs.count - 1)
            runs.removeLast()
        }
        if runs.isEmpty { removeAll() } else { siftDown(from: 0) }
        return timer
    }

    private mutating func removeAll() {
        timers.removeAll(keepingCapacity: timers.count < Self.mostKept)
        unsorted = 0
    }

    private mutating func siftDown(from start: Int) {
        var place = start
        while true {
            var next = place
            for child in [2 * place + 1, 2 * place + 2] where child < runs.count && isFirst(child, before: next) {
                next = child
            }
            guard next != place else { return }
            runs.swapAt(place, next)
            place = next
        }
    }

    private func isFirst(_ run: Int, before other: Int) -> Bool {
        timers[runs[run].lowerBound] < timers[runs[other].lowerBound]
    }
}
