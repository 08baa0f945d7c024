// Where a reader is in the table of all sessions.

/// Readers that are at the same place are told the same.
enum RowPlace: Hashable {
    /// It is told the whole table, from this slot on, and what changes from this number on after that.
    case whole(slot: Int, then: UInt64)
    /// It was too far behind, and is told what has changed since that number, from this slot on.
    case catchingUp(since: UInt64, slot: Int, then: UInt64)
    /// It is told what changes, as it does, from this number on.
    case following(from: UInt64)

    /// The number from which somebody who comes back can go on; nil if nothing but the whole would do.
    var number: UInt64? {
        switch self {
        case .whole: nil
        case .catchingUp(let since, _, _): since
        case .following(let number): number
        }
    }

    var isWhole: Bool { number == nil }

    /// Whether there is more to tell, with so many changes.
    func isBehind(_ next: UInt64) -> Bool {
        switch self {
        case .whole, .catchingUp: true
        case .following(let number): number < next
        }
    }
}
