// Durations as people write them: `90s`, `1m30s`, `250ms`, `-10s`, or a plain number of milliseconds.

import Timers

extension Duration {
    private static let units: [(name: String, nanoseconds: Double)] = [
        ("ms", 1e6), ("us", 1e3), ("ns", 1), ("s", 1e9), ("m", 60e9), ("h", 3_600e9), ("d", 86_400e9),
    ]

    /// Nil if the text is no duration, or none that fits into a century.
    init?(text: String) {
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
                guard let unit = Self.units.first(where: { rest.hasPrefix($0.name) }) else { return nil }
                total += amount * unit.nanoseconds
                rest = rest.dropFirst(unit.name.count)
            }
        }
        guard total < 100 * 366 * 86_400e9 else { return nil }
        self = .nanoseconds(Int64((isNegative ? -total : total).rounded()))
    }
}

extension Duration {
    /// Whole milliseconds, rounded up: what has not passed is not shown as passed.
    var milliseconds: Int {
        let nanoseconds = wholeNanoseconds
        return Int(nanoseconds / 1_000_000) + (nanoseconds % 1_000_000 > 0 ? 1 : 0)
    }
}
