// A state's data as people read it: what is left of its timers as 29.5s, and not in nanoseconds.

import Timers

extension JSON {
    /// The same with `"remaining":"29.5s"` in each timer, in place of `remaining_ns` or `remaining_ms`.
    package var withReadableTimers: JSON {
        switch self {
        case .object(let members):
            let isTimer = self["timer"]?.text != nil
            return .object(members.map { isTimer ? $0.readable ?? $0.withReadableTimers : $0.withReadableTimers })
        case .array(let elements): return .array(elements.map(\.withReadableTimers))
        case .null, .bool, .integer, .number, .string: return self
        }
    }
}

extension JSON.Member {
    fileprivate var withReadableTimers: JSON.Member { JSON.Member(name, value.withReadableTimers) }

    /// Nil if it is not what is left of a timer.
    fileprivate var readable: JSON.Member? {
        let unit: Int64
        switch name {
        case "remaining_ns": unit = 1
        case "remaining_ms": unit = 1_000_000
        default: return nil
        }
        guard let count = value.integer else { return JSON.Member("remaining", value) }
        let (nanoseconds, isTooLong) = Int64(count).multipliedReportingOverflow(by: unit)
        return isTooLong ? nil : JSON.Member("remaining", .string(Duration.nanoseconds(nanoseconds).written))
    }
}
