// Patterns as Redis has them: `*`, `?`, `[a-c]`, `[^x]`, and a backslash before what is meant literally.

struct Glob {
    private let pattern: [UInt8]

    init(_ pattern: String) {
        self.pattern = Array(pattern.utf8)
    }

    init(_ pattern: UnsafeRawBufferPointer) {
        self.pattern = Array(pattern)
    }

    func matches(_ text: String) -> Bool {
        text.utf8Span.span.withUnsafeBytes { matches($0) }
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        // The last star, and where its match was begun: on a mismatch it takes one byte more.
        var (place, offset, star, mark) = (0, 0, -1, 0)
        while offset < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                (star, mark) = (place, offset)
                place += 1
            } else if let next = step(place, text[offset]) {
                (place, offset) = (next, offset + 1)
            } else if star >= 0 {
                mark += 1
                (place, offset) = (star + 1, mark)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Where the pattern goes on after it has matched one byte; nil if it does not match.
    private func step(_ place: Int, _ byte: UInt8) -> Int? {
        guard place < pattern.count else { return nil }
        switch pattern[place] {
        case UInt8(ascii: "?"): return place + 1
        case UInt8(ascii: "["): return stepClass(place + 1, byte)
        case UInt8(ascii: "\\") where place + 1 < pattern.count: return pattern[place + 1] == byte ? place + 2 : nil
        case byte: return place + 1
        default: return nil
        }
    }

    private func stepClass(_ start: Int, _ byte: UInt8) -> Int? {
        var place = start
        let isNegated = place < pattern.count && pattern[place] == UInt8(ascii: "^")
        if isNegated { place += 1 }
        var isIn = false
        while place < pattern.count, pattern[place] != UInt8(ascii: "]") {
            let low = pattern[place]
            if place + 2 < pattern.count, pattern[place + 1] == UInt8(ascii: "-"), pattern[place + 2] != UInt8(ascii: "]") {
                let high = pattern[place + 2]
                isIn = isIn || (min(low, high)...max(low, high)).contains(byte)
                place += 3
            } else {
                isIn = isIn || low == byte
                place += 1
            }
        }
        return isIn != isNegated ? min(place + 1, pattern.count) : nil
    }
}
