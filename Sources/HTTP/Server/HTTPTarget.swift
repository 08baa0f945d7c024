// The target of a request, taken apart: `/api/sessions/room%207?count=3`.

/// A path and a query, decoded.
package struct HTTPTarget: Equatable {
    /// The parts of the path between its slashes. A slash within a name comes as `%2F`, and is no end of the part.
    package let segments: [String]
    package let query: [(name: String, value: String)]

    package static func == (left: Self, right: Self) -> Bool {
        left.segments == right.segments && left.query.elementsEqual(right.query, by: ==)
    }

    /// Nil if it has characters that an address may not have, an invalid escape, or escapes that do not decode to UTF-8.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let address = bytes[..<(bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex)]
        let end = address.firstIndex(of: UInt8(ascii: "?")) ?? address.endIndex
        guard let segments = Self.segments(of: address[..<end]), let query = Self.query(in: address[end...].dropFirst()) else {
            return nil
        }
        (self.segments, self.query) = (segments, query)
    }

    private static func segments(of path: ArraySlice<UInt8>) -> [String]? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        var (segments, rest): ([String], ArraySlice<UInt8>) = ([], path)
        while rest.first != nil {
            rest = rest.dropFirst()
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard let segment = decoded(rest[..<end]) else { return nil }
            segments.append(segment)
            rest = rest[end...]
        }
        if segments.last == "" { segments.removeLast() }
        return segments
    }

    private static func query(in text: ArraySlice<UInt8>) -> [(name: String, value: String)]? {
        guard !text.isEmpty else { return [] }
        var query: [(name: String, value: String)] = []
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = decoded(pair[..<end], plusIsBlank: true),
                let value = decoded(pair[end...].dropFirst(), plusIsBlank: true)
            else { return nil }
            query.append((name, value))
        }
        return query
    }

    package func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

    package func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    private static func decoded(_ text: ArraySlice<UInt8>, plusIsBlank: Bool = false) -> String? {
        // Most have nothing to decode.
        guard text.contains(UInt8(ascii: "%")) || plusIsBlank else { return String(decoding: text, as: UTF8.self) }
        var (bytes, rest): ([UInt8], ArraySlice<UInt8>) = ([], text)
        bytes.reserveCapacity(text.count)
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
