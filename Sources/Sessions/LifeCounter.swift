/// Tells a session from earlier ones of its name: each session that begins gets the next number. It has 28 bits, to fit into memory
/// that the name leaves over; a number comes again after 268 million sessions, long after the first one's history is gone.
package typealias Life = UInt32

/// Gives each new session its life.
package struct LifeCounter {
    package static let maxLife: Life = 1 << 28 - 1
    /// A store's keys for the last life given out, and for the last session from before lives were numbered.
    package static let lastKey = "lives"
    /// The last life given out. No session has life 0.
    package private(set) var last: Life

    package init(after last: Life = 0) {
        self.last = last & Self.maxLife
    }

    /// The life in five bits, never zero: the flight mark has no room for more.
    package static func stamp(of life: Life) -> UInt8 { UInt8(1 + life % 31) }

    package mutating func next() -> Life {
        last = last == Self.maxLife ? 1 : last + 1
        return last
    }
}
