// Durations as people write them: `90s`, `1m30s`, `250ms`, `-10s`, or a plain number of milliseconds.

extension Duration {
    private static let units: [(name: String, nanoseconds: Double)] = [
        ("ms", 1e6), ("us", 1e3), ("ns", 1), ("s", 1e9), ("m", 60e9), ("h", 3_600e9), ("d", 86_400e9),
    ]

    /// Nil if the text is not a duration, or longer than a century.
    package init?(text: String) {
        guard let nanoseconds = Self.nanoseconds(of: text), abs(nanoseconds) < Self.century else { return nil }
        self = .nanoseconds(Int64(nanoseconds.rounded()))
    }

    /// Nil if that is longer than a century.
    package init?(milliseconds: Double) {
        let nanoseconds = milliseconds * 1e6
        guard abs(nanoseconds) < Self.century else { return nil }
        self = .nanoseconds(Int64(nanoseconds.rounded()))
    }

    private static let century = 100 * 366 * 86_400e9

    private static func nanoseconds(of text: String) -> Double? {
        let isNegative = text.hasPrefix("-")
        var rest = Substring(isNegative ? String(text.dropFirst()) : text)
        guard !rest.isEmpty else { return nil }
        var total = 0.0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let amount = Double(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            if rest.isEmpty && total == 0 && digits.count == text.count - (isNegative ? 1 : 0) {
                total = amount * 1e6
            } else {
                guard let unit = units.first(where: { rest.hasPrefix($0.name) }) else { return nil }
                total += amount * unit.nanoseconds
                rest = rest.dropFirst(unit.name.count)
            }
        }
        return isNegative ? -total : total
    }
}

extension Duration {
    /// Why a text is no duration, and how to write it: without blanks, if that is all.
    package static func complaint(about text: String) -> String {
        if nanoseconds(of: text) != nil, Duration(text: text) == nil {
            return "'\(text)' is too long; a duration is shorter than a century (36600d)"
        }
        let together = String(text.filter { !$0.isWhitespace })
        if together != text, Duration(text: together) != nil {
            return "'\(text)' is not a duration; write it as one word: \(together)"
        }
        let advice = inKnownUnits(together) ?? "it like 90s, 1m30s, 250ms, or a number of milliseconds"
        return "'\(text)' is not a duration; write \(advice)"
    }

    /// `1m30s` for `1min30sec`. Nil if a unit has no name here.
    private static func inKnownUnits(_ text: String) -> String? {
        var (result, rest) = ("", text.lowercased()[...])
        while !rest.isEmpty {
            let amount = rest.prefix { !$0.isLetter }
            let name = rest.dropFirst(amount.count).prefix(while: \.isLetter)
            guard let unit = unitNames[String(name.hasSuffix("s") && name.count > 2 ? name.dropLast() : name)] else {
                return nil
            }
            result += amount + unit
            rest = rest.dropFirst(amount.count + name.count)
        }
        return Duration(text: result) == nil ? nil : result
    }

    /// Units and their other names, in the singular.
    private static let unitNames = [
        "ms": "ms", "msec": "ms", "milli": "ms", "millisecond": "ms", "s": "s", "sec": "s", "second": "s", "m": "m", "min": "m",
        "minute": "m", "h": "h", "hr": "h", "hour": "h", "d": "d", "day": "d",
    ]

    /// The duration that was written as several words: `1m30s` for `1m` and `30s`. Nil if the words together are not a duration.
    package static func joined(_ words: some Collection<String>) -> String? {
        let together = words.joined()
        return words.count > 1 && Duration(text: together) != nil ? together : nil
    }
}

extension Duration {
    /// `1m30s`, `29.999s`, `250ms`, `2d4h`: exact, without zero parts.
    package var written: String {
        // In 128 bits: the sum of two durations can be longer than the 292 years of `wholeNanoseconds`.
        let (whole, fraction) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let nanoseconds = whole + (fraction > 0 ? 1 : 0)
        guard nanoseconds != 0 else { return "0s" }
        let sign = nanoseconds < 0 ? "-" : ""
        let length = nanoseconds.magnitude
        guard length >= 1_000_000_000 else { return sign + Self.decimal(UInt64(length), unit: 1_000_000) + "ms" }
        var (text, rest) = (sign, length)
        for (name, unit) in [("d", 86_400_000_000_000 as UInt128), ("h", 3_600_000_000_000), ("m", 60_000_000_000)]
        where rest >= unit {
            text += "\(rest / unit)\(name)"
            rest %= unit
        }
        return rest == 0 ? text : text + Self.decimal(UInt64(rest), unit: 1_000_000_000) + "s"
    }

    /// The number of units, with as many decimals as it needs.
    static func decimal(_ nanoseconds: UInt64, unit: UInt64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: unit)
        guard rest > 0 else { return "\(whole)" }
        var decimals = String(String(unit + rest).dropFirst())
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }
}

extension Duration {
    /// Whole milliseconds, rounded up: remaining time is never shown as zero too early.
    @inlinable package var milliseconds: Int {
        let nanoseconds = wholeNanoseconds
        return Int(nanoseconds / 1_000_000) + (nanoseconds % 1_000_000 > 0 ? 1 : 0)
    }
}
