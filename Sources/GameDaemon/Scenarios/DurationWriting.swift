// Durations written as people write them: what `Duration(text:)` reads back.

import Timers

extension Duration {
    /// `1m30s`, `29.999s`, `250ms`, `2d4h`: exact, without what is zero.
    package var written: String {
        let nanoseconds = wholeNanoseconds
        guard nanoseconds != 0 else { return "0s" }
        let sign = nanoseconds < 0 ? "-" : ""
        let length = nanoseconds.magnitude
        guard length >= 1_000_000_000 else { return sign + Self.decimal(length, unit: 1_000_000) + "ms" }
        var (text, rest) = (sign, length)
        for (name, unit) in [("d", 86_400_000_000_000 as UInt64), ("h", 3_600_000_000_000), ("m", 60_000_000_000)]
        where rest >= unit {
            text += "\(rest / unit)\(name)"
            rest %= unit
        }
        return rest == 0 ? text : text + Self.decimal(rest, unit: 1_000_000_000) + "s"
    }

    /// How many units, with the decimals that it takes to be exact.
    private static func decimal(_ nanoseconds: UInt64, unit: UInt64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: unit)
        guard rest > 0 else { return "\(whole)" }
        var decimals = String(String(unit + rest).dropFirst())
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }
}
