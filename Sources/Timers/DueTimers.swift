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
    private static let maxKept = 4_096
    private static let maxRunLength = 1_024

    private var timers: [DueTimer] = []
    /// The next of them, if they are one run.
    private var next = 0
    /// The rest of each run, if there are several. Once all timers are collected, a heap: the run with the next timer comes first.
    private var runs: [Range<Int>] = []
    /// Timers from here on belong to no run yet.
    private var unsorted = 0

    mutating func append(_ timer: DueTimer) {
        timers.append(timer)
        if timers.count - unsorted >= Self.maxRunLength { endRun() }
    }

    /// All timers are collected.
    mutating func finish() {
        if unsorted < timers.count { endRun() }
        next = 0
        for index in (0..<runs.count / 2).reversed() { siftDown(from: index) }
    }

    private mutating func endRun() {
        let new = unsorted..<timers.count
        if !isSorted(new) { timers[new].sort() }
        unsorted = new.upperBound
        // The first run is in no list as long as it is the only one.
        let last = runs.last ?? 0..<new.lowerBound
        if last.isEmpty || timers[new.lowerBound - 1] < timers[new.lowerBound] {
            if !runs.isEmpty { runs[runs.count - 1] = last.lowerBound..<new.upperBound }
        } else {
            if runs.isEmpty { runs.append(last) }
            runs.append(new)
        }
    }

    private func isSorted(_ run: Range<Int>) -> Bool {
        for index in run.dropFirst() where timers[index] < timers[index - 1] { return false }
        return true
    }

    mutating func popFirst() -> DueTimer? {
        if !runs.isEmpty { return popFirstOfRuns() }
        guard next < timers.count else { return nil }
        let timer = timers[next]
        next += 1
        if next == timers.count { removeAll() }
        return timer
    }

    private mutating func popFirstOfRuns() -> DueTimer {
        let first = runs[0]
        if first.count > 1 {
            runs[0] = first.lowerBound + 1..<first.upperBound
        } else {
            runs.swapAt(0, runs.count - 1)
            runs.removeLast()
        }
        let timer = timers[first.lowerBound]
        if runs.isEmpty { removeAll() } else { siftDown(from: 0) }
        return timer
    }

    private mutating func removeAll() {
        timers.removeAll(keepingCapacity: timers.count < Self.maxKept)
        (next, unsorted) = (0, 0)
    }

    private mutating func siftDown(from start: Int) {
        var index = start
        while true {
            var next = index
            for child in [2 * index + 1, 2 * index + 2] where child < runs.count && isFirst(child, before: next) {
                next = child
            }
            guard next != index else { return }
            runs.swapAt(index, next)
            index = next
        }
    }

    private func isFirst(_ run: Int, before other: Int) -> Bool {
        timers[runs[run].lowerBound] < timers[runs[other].lowerBound]
    }
}
