// Timers in data that were written to be restored, as they are shown.

import Timers

extension JSON {
    /// With `remaining_ms`, rounded up, in place of each `remaining_ns`.
    package var inMilliseconds: JSON {
        switch self {
        case .object(let members): .object(members.map(\.inMilliseconds))
        case .array(let values): .array(values.map(\.inMilliseconds))
        case .null, .bool, .integer, .number, .string: self
        }
    }
}

extension JSON.Member {
    fileprivate var inMilliseconds: JSON.Member {
        guard name == "remaining_ns", value == .null || value.integer != nil else {
            return JSON.Member(name, value.inMilliseconds)
        }
        return JSON.Member("remaining_ms", value.integer.map { .integer(Duration.nanoseconds($0).milliseconds) } ?? .null)
    }
}
