// What makes up for jumps of the registry's clock.

/// What nodes add to the registry's readings since its clock has jumped. They publish it, so that nodes that join go by the same time.
package struct ClockCorrection: Equatable, Sendable {
    /// How many jumps it makes up for.
    package private(set) var jumps = 0
    package private(set) var nanoseconds: Int64 = 0
    /// By how many nanoseconds it may be off.
    package private(set) var error: Int64 = 0

    package init() {}

    /// As another node has published it; nil where no clock can have jumped like that.
    package init?(jumps: Int, nanoseconds: Int64, error: Int64) {
        let most = Int64.max / 8
        guard jumps > 0, (-most...most).contains(nanoseconds), (0...most).contains(error) else { return nil }
        (self.jumps, self.nanoseconds, self.error) = (jumps, nanoseconds, error)
    }

    mutating func count(_ jump: Int64, error: Int64) {
        jumps += 1
        nanoseconds -= jump
        self.error += error
    }
}
