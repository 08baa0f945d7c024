/// Orders names by the numbers in them: room-2 before room-10.
package struct NaturalOrder: Comparable {
    private enum Part {
        case text(Substring)
        case number(Substring)
    }

    private let parts: [Part]
    private let whole: String

    package init(_ text: String) {
        whole = text
        var parts: [Part] = []
        var rest = text[...]
        while let first = rest.first {
            let isNumber = first.isASCII && first.isNumber
            let part = rest.prefix { ($0.isASCII && $0.isNumber) == isNumber }
            rest = rest.dropFirst(part.count)
            // Without leading zeros, a longer number is a larger one.
            parts.append(isNumber ? .number(part.drop { $0 == "0" }) : .text(part))
        }
        self.parts = parts
    }

    package static func == (left: NaturalOrder, right: NaturalOrder) -> Bool { left.whole == right.whole }

    package static func < (left: NaturalOrder, right: NaturalOrder) -> Bool {
        for (one, other) in zip(left.parts, right.parts) {
            switch (one, other) {
            case (.number(let one), .number(let other)):
                if one.count != other.count { return one.count < other.count }
                if one != other { return one < other }
            case (.text(let one), .text(let other)):
                if one != other { return one < other }
            case (.number, .text): return true
            case (.text, .number): return false
            }
        }
        if left.parts.count != right.parts.count { return left.parts.count < right.parts.count }
        return left.whole < right.whole
    }
}
