// Texts with `{{ expressions }}` in them.

import JSON

extension ChartReader {
    func template(_ value: LocatedJSON, _ what: String, of state: Int) -> Template? {
        guard let text = problems.text(value, what) else { return nil }
        var parts: [Template.Part] = []
        var rest = Substring(text).utf8
        while let start = rest.firstPair(of: UInt8(ascii: "{")) {
            if start > rest.startIndex { parts.append(.text(String(rest[..<start]) ?? "")) }
            let inside = rest[rest.index(start, offsetBy: 2)...]
            guard let end = inside.endOfExpression else {
                let byte = text.utf8.distance(from: text.startIndex, to: start)
                problems.error(document.offset(ofByte: byte, inTextAt: value.offset), "the {{ that begins here has no }}")
                return nil
            }
            let byte = text.utf8.distance(from: text.startIndex, to: inside.startIndex)
            parts.append(.expression(expression(String(inside[..<end]) ?? "", at: byte, in: value, of: state)))
            rest = inside[inside.index(end, offsetBy: 2)...]
        }
        if !rest.isEmpty || parts.isEmpty { parts.append(.text(String(rest) ?? "")) }
        return Template(parts)
    }
}

extension Substring.UTF8View {
    /// Where this byte stands twice.
    fileprivate func firstPair(of byte: UInt8) -> Index? {
        var previous: UInt8 = 0
        for index in indices {
            if self[index] == byte, previous == byte { return self.index(before: index) }
            previous = self[index]
        }
        return nil
    }

    /// Where the `}}` stands that belongs to no table and no text of the expression.
    fileprivate var endOfExpression: Index? {
        var (depth, quote, index) = (0, UInt8(0), startIndex)
        while index < endIndex {
            let (byte, next) = (self[index], self.index(after: index))
            let isLast = next == endIndex
            switch byte {
            case UInt8(ascii: "\\") where quote != 0 && !isLast: index = next
            case quote where quote != 0: quote = 0
            case UInt8(ascii: "'") where quote == 0, UInt8(ascii: "\"") where quote == 0: quote = byte
            case UInt8(ascii: "{") where quote == 0: depth += 1
            case UInt8(ascii: "}") where quote == 0 && depth > 0: depth -= 1
            case UInt8(ascii: "}") where quote == 0 && !isLast && self[next] == byte: return index
            default: break
            }
            index = self.index(after: index)
        }
        return nil
    }
}
