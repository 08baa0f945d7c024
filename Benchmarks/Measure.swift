// How long something takes. The machine is noisy: rivals take turns, round by round, and the median round counts.

/// The nanoseconds that one of `operations` took.
func nanoseconds(per operations: Int, _ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body)
    return Double(time.components.seconds) * 1e9 / Double(operations)
        + Double(time.components.attoseconds) / 1e9 / Double(operations)
}

extension [Double] {
    var median: Double {
        let ordered = sorted()
        return isEmpty ? 0 : ordered[count / 2]
    }

    func percentile(_ part: Double) -> Double {
        let ordered = sorted()
        return isEmpty ? 0 : ordered[Swift.min(count - 1, Int(Double(count) * part))]
    }
}

/// Random numbers with a negligible cost beside the measured code (xorshift).
struct QuickRandom {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    mutating func next(below bound: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
