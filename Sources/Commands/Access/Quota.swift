// How much a token may take: sessions that it has begun, and events a second.

import Texts

package struct Quota: Equatable, Sendable {
    /// Sessions of its NEWs that there may be at once.
    package var sessions: Int?
    /// Changes a second.
    package var rate: Int?

    private static let maxCount = 1_000_000_000

    package init() {}

    package var isSet: Bool { sessions != nil || rate != nil }

    package static func sessions(_ text: String) throws(AccessError) -> Int {
        guard let number = Int(text), (0...maxCount).contains(number) else {
            throw AccessError("a quota of sessions is a whole number, not '\(text.shortened)'")
        }
        return number
    }

    /// `50/s`, or `50`.
    package static func rate(_ text: String) throws(AccessError) -> Int {
        let digits = text.hasSuffix("/s") ? text.dropLast(2) : text[...]
        guard let number = Int(digits), (1...maxCount).contains(number) else {
            throw AccessError("a rate is a whole number of events a second, like 50/s, not '\(text.shortened)'")
        }
        return number
    }
}
