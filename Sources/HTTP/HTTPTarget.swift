// The target of a request, taken apart: `/api/sessions/room%207?count=3`.

/// A path and a query, decoded.
package struct HTTPTarget: Equatable {
    /// The parts of the path between its slashes. A slash within a name comes as `%2F`, and is no end of the part.
    package let segments: [String]
    package let query: [(name: String, value: String)]

    package static func == (left: Self, right: Self) -> Bool {
        left.segments == right.segments && left.query.elementsEqual(right.query, by: ==)
    }

    /// Nil if it has other characters than an address may have, an escape is not one, or what it stands for is not UTF-8.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].hasPrefix("/") else { return nil }
        var segments: [String] = []
        for segment in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let decoded = Self.decoded(segment) else { return nil }
            segments.append(decoded)
        }
        if segments.last == "" { segments.removeLast() }
        self.segments = segments
        guard parts.count > 1 else {
            query = []
            return
        }
        var query: [(name: String, value: String)] = []
        for pair in parts[1].split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(sides[0], plusIsBlank: true),
                let value = Self.decoded(sides.count > 1 ? sides[1] : "", plusIsBlank: true)
            else { return nil }
            query.append((name, value))
        }
        self.query = query
    }

    package func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

    package func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    private static func decoded(_ text: Substring, plusIsBlank: Bool = false) -> String? {
        var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], text.utf8[...])
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsBlank && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
