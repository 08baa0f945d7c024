// Arm, cancel, random re-arm (a cancel and an arm, as in a change of state) and expire, among a thousand, a hundred thousand and
// a million armed timers.

/// One round's time with one rival, in nanoseconds an operation.
private struct Round {
    var arm = 0.0
    var rearm = 0.0
    var cancel = 0.0
    var expire = 0.0

    init(_ rival: some TimerRival, timers: Int, seed: UInt64) {
        var random = QuickRandom(seed: seed)
        let operations = max(timers, 200_000)
        let rearmAll = rival.prepareRearm(operations, &random)
        rival.inside {
            arm = nanoseconds(per: timers) { rival.armAll(&random) }
            rearm = nanoseconds(per: operations, rearmAll)
            cancel = nanoseconds(per: timers) { rival.cancelAll() }
        }
        let expiry = rival.prepareExpiry(&random)
        expire = nanoseconds(per: timers, expiry)
    }
}

func benchmarkTimers(_ report: Report) {
    report.section("Timers: one operation, in a wheel, in libevent's heap, in libevent's common-timeout queues")
    var rearm: [Int: Double] = [:]
    for timers in [1_000, 100_000, 1_000_000] {
        rearm[timers] = race(report, timers: timers)
    }
    if let small = rearm[1_000], let large = rearm[1_000_000] {
        report.add(
            "random re-arm, a million to a thousand", unit: "times", ["gamed": large / small],
            target: .init(text: "at most 8", reached: large / small <= 8))
    }
}

/// Lets the rivals take turns, reports the median round of each, and gives back our time to re-arm.
private func race(_ report: Report, timers: Int) -> Double {
    let wheel = WheelRival(timers: timers)
    let heap = LibeventRival(timers: timers)
    let queues = CommonTimeoutRival(timers: timers)
    var rounds: (wheel: [Round], heap: [Round], queues: [Round]) = ([], [], [])
    for seed in 1...5 as ClosedRange<UInt64> {
        rounds.wheel.append(Round(wheel, timers: timers, seed: seed))
        rounds.heap.append(Round(heap, timers: timers, seed: seed))
        rounds.queues.append(Round(queues, timers: timers, seed: seed))
    }
    func add(_ name: String, _ part: KeyPath<Round, Double>, target: ((Double, Double) -> Row.Target)? = nil) -> Double {
        let ours = rounds.wheel.map { $0[keyPath: part] }.median
        let theirs = rounds.heap.map { $0[keyPath: part] }.median
        report.add(
            "\(name), \(timers) armed", unit: "ns",
            ["gamed": ours, "heap": theirs, "queues": rounds.queues.map { $0[keyPath: part] }.median],
            target: target?(ours, theirs))
        return ours
    }
    _ = add("arm", \.arm)
    let rearm = add("random re-arm", \.rearm) { ours, theirs in
        let ambitious = timers == 1_000_000
        return .init(
            text: ambitious ? "heap at least 10 times ours" : "no slower than the heap",
            reached: theirs / ours >= (ambitious ? 10 : 1))
    }
    _ = add("cancel", \.cancel)
    _ = add("expire", \.expire)
    report.add(
        "memory, \(timers) armed", unit: "bytes",
        ["gamed": wheel.bytesPerTimer, "heap": heap.bytesPerTimer],
        target: timers < 100_000
            ? nil : .init(text: "at most 48 bytes a timer", reached: wheel.bytesPerTimer <= 48))
    return rearm
}
