// What happens on the way of a countdown to its end.

/// Something that happens when so much of a countdown is left. It comes once each time that the countdown runs down to it: a countdown
/// that is lifted above it again comes to it again.
public struct Milestone: Sendable {
    /// How much of the countdown is left when it comes.
    public let remaining: Duration
    /// Its meaning to the timer's host; opaque to this module.
    public let message: (any Sendable)?
    let nanoseconds: Int64

    /// A milestone, which must lie before the end. Where a countdown is not longer than that, it comes only after an extension.
    public init(_ remaining: Duration, message: (any Sendable)? = nil) {
        precondition(remaining > .zero, "a milestone lies before the end: more than zero is left then")
        self.remaining = remaining
        self.message = message
        nanoseconds = remaining.wholeNanoseconds
    }

    /// How many a countdown can have.
    public static let maxCount = 1_000
}

extension [Milestone] {
    /// In the order in which they come; equal ones in the order in which they were given.
    var longestFirst: [Milestone] {
        enumerated().sorted { ($1.element.nanoseconds, $0.offset) < ($0.element.nanoseconds, $1.offset) }.map(\.element)
    }

    /// How many a countdown comes to that has this much left. They are the last of the list.
    func count(below left: Int64) -> Int {
        var count = 0
        while count < self.count, self[self.count - 1 - count].nanoseconds < left { count += 1 }
        return count
    }
}
