// The order in which people count.

/// Orders names by the numbers in them: room-2 before room-10. It allocates nothing, as a million names may be sorted.
package struct NaturalOrder: Comparable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func < (left: NaturalOrder, right: NaturalOrder) -> Bool {
        // Names that count alike, as 2 and 02, are in their letters' order.
        let order = compare(left.text.utf8Span.span, right.text.utf8Span.span)
        return order == 0 ? left.text < right.text : order < 0
    }

    /// Below zero if the left one comes first, zero if they count alike.
    private static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        var (one, other) = (0, 0)
        while one < left.count, other < right.count {
            switch (isDigit(left[one]), isDigit(right[other])) {
            case (true, true):
                let order = compareNumbers(left, &one, right, &other)
                guard order == 0 else { return order }
            case (false, false):
                guard left[one] == right[other] else { return left[one] < right[other] ? -1 : 1 }
                (one, other) = (one + 1, other + 1)
            case (true, false): return -1
            case (false, true): return 1
            }
        }
        return (left.count - one) - (right.count - other)
    }

    /// Without leading zeros, a longer number is a larger one. Moves both behind their numbers.
    private static func compareNumbers(_ left: Span<UInt8>, _ one: inout Int, _ right: Span<UInt8>, _ other: inout Int) -> Int {
        let (first, second) = (number(in: left, &one), number(in: right, &other))
        guard first.count == second.count else { return first.count - second.count }
        for (a, b) in zip(first, second) where left[a] != right[b] { return left[a] < right[b] ? -1 : 1 }
        return 0
    }

    /// Where the digits of a number are, without leading zeros.
    private static func number(in text: Span<UInt8>, _ place: inout Int) -> Range<Int> {
        while place < text.count, text[place] == UInt8(ascii: "0") { place += 1 }
        let start = place
        while place < text.count, isDigit(text[place]) { place += 1 }
        return start..<place
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
