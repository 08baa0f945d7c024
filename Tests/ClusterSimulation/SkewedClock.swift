// A clock that runs a little too fast or too slow, from some origin.

struct SkewedClock {
    /// In nanoseconds.
    let offset: Int64
    /// How much it is too fast, in parts per million.
    let drift: Int64

    func reading(_ now: Int64) -> Int64 {
        offset + now + now / 1_000_000 * drift
    }

    /// The first time at which it shows this, or a microsecond after that.
    func time(of reading: Int64) -> Int64 {
        (reading - offset) / (1_000_000 + drift) * 1_000_000 + (reading - offset) % (1_000_000 + drift)
    }
}
