/// Tells a session from others that had its name before: each that begins gets the next number. It has 28 bits, so that it takes no
/// memory of its own; a number comes again after 268 million sessions, when nobody has a line of the first one any more.
package typealias Life = UInt32

/// Gives out lives.
package struct LifeCounter {
    package static let mostLife: Life = 1 << 28 - 1
    /// Under which a store remembers the last one that was given out, and the last one from before lives had numbers.
    package static let lastKey = "lives", unnumberedKey = "lives_unmarked"
    /// None is 0.
    package private(set) var last: Life

    package init(after last: Life = 0) {
        self.last = last & Self.mostLife
    }

    /// The life in five bits, which is never zero: for a mark that has no room for more.
    package static func stamp(of life: Life) -> UInt8 { UInt8(1 + life % 31) }

    package mutating func next() -> Life {
        last = last == Self.mostLife ? 1 : last + 1
        return last
    }
}
