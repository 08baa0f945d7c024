// When countdowns end that the wheel wakes for a milestone first. Few have any, so no timer has room for it.

/// The ends of countdowns that are armed for a milestone, by slot.
struct MilestoneEnds {
    /// How a countdown goes on after its milestone.
    enum End {
        /// It runs, and ends then.
        case at(Instant)
        /// It stands still with this much left: a milestone that an extension has passed comes all the same.
        case left(Int64)
    }

    private var ends: [UInt32: End] = [:]
    /// False until a countdown with milestones starts, which spares the others a look.
    private(set) var isUsed = false

    var count: Int { ends.count }

    subscript(slot: UInt32) -> End? { ends[slot] }

    mutating func set(_ end: End, of slot: UInt32) {
        isUsed = true
        ends[slot] = end
    }

    @discardableResult
    mutating func remove(_ slot: UInt32) -> End? { ends.removeValue(forKey: slot) }
}
