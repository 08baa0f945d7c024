// Values in hexadecimal, `01 FF`, and patterns for them, `01*`, `01 ?? 03`.

/// Matches values.
struct ValuePattern: Equatable {
    /// Nil for any byte.
    let bytes: [UInt8?]
    /// More may follow.
    let isPrefix: Bool

    static let any = ValuePattern(bytes: [], isPrefix: true)

    init(bytes: [UInt8?], isPrefix: Bool) {
        self.bytes = bytes
        self.isPrefix = isPrefix
    }

    /// Exactly this value.
    init(_ value: [UInt8]) {
        self.init(bytes: value, isPrefix: false)
    }

    /// Nil if the text is not a pattern.
    init?(parsing text: String) {
        isPrefix = text.hasSuffix("*")
        var bytes: [UInt8?] = []
        for digits in (isPrefix ? text.dropLast() : text[...]).digitPairs {
            if digits == "??" {
                bytes.append(nil)
            } else {
                guard let byte = UInt8(digits: digits) else { return nil }
                bytes.append(byte)
            }
        }
        self.bytes = bytes
    }

    func matches(_ value: [UInt8]) -> Bool {
        guard isPrefix ? value.count >= bytes.count : value.count == bytes.count else { return false }
        return zip(bytes, value).allSatisfy { $0 == nil || $0 == $1 }
    }

    /// As it is written: `01??03*`.
    var text: String {
        bytes.map { $0.map { [$0].hexadecimal } ?? "??" }.joined() + (isPrefix ? "*" : "")
    }

    /// The shortest value that matches, unless a byte is a wildcard.
    var shortestValue: [UInt8]? {
        let known = bytes.compactMap(\.self)
        return known.count == bytes.count ? known : nil
    }
}

extension [UInt8] {
    /// Reads pairs of hexadecimal digits, with blanks between them or not, and `0x` in front or not; nil for anything else.
    init?(hexadecimal text: String) {
        var bytes: [UInt8] = []
        for digits in (text.hasPrefix("0x") ? text.dropFirst(2) : text[...]).digitPairs {
            guard let byte = UInt8(digits: digits) else { return nil }
            bytes.append(byte)
        }
        self = bytes
    }

    /// `01FF`.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}

extension Substring {
    /// The text without its blanks, two characters at a time; at the end perhaps one.
    fileprivate var digitPairs: [Substring] {
        var rest = self.filter { $0 != " " }[...]
        var pairs: [Substring] = []
        while !rest.isEmpty {
            pairs.append(rest.prefix(2))
            rest = rest.dropFirst(2)
        }
        return pairs
    }
}

extension UInt8 {
    /// Exactly two hexadecimal digits: `init(_:radix:)` would accept a sign, too.
    fileprivate init?(digits: Substring) {
        guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit) else { return nil }
        self.init(digits, radix: 16)
    }
}
