// The moment at which a session was saved.

import Memory
import Posix

/// A moment on the wall clock and on the clock that counts from boot, so that an interval can be measured even if the wall clock was
/// set meanwhile.
struct StoredTime: Equatable, Sendable {
    let bootID: String
    let time: TurnTime

    init(bootID: String, time: TurnTime) {
        self.bootID = bootID
        self.time = time
    }

    /// From the columns; the text is `1f3a…:123456789`, of the column `extra`. Without the text only the wall clock is left.
    init(text: UnsafeRawBufferPointer?, wallNanoseconds: Int64) {
        if let text, let colon = Self.colon(in: text) {
            var cursor = ByteCursor(UnsafeRawBufferPointer(rebasing: text[(colon + 1)...]))
            let id = UnsafeRawBufferPointer(rebasing: text[..<colon])
            let isOfThisBoot = TurnClock.bootID.utf8Span.span.withUnsafeBytes { $0.hasSameBytes(as: id) }
            bootID = isOfThisBoot ? TurnClock.bootID : String(decoding: id, as: UTF8.self)
            time = TurnTime(wallNanoseconds: wallNanoseconds, bootNanoseconds: max(0, cursor.number() ?? 0))
        } else {
            bootID = ""
            time = TurnTime(wallNanoseconds: wallNanoseconds, bootNanoseconds: 0)
        }
    }

    /// Returns the index of the colon after the boot's id. Tries the length of this boot's id first.
    private static func colon(in text: UnsafeRawBufferPointer) -> Int? {
        let index = TurnClock.bootID.utf8.count
        let isThere = index < text.count && text[index] == UInt8(ascii: ":")
        return isThere ? index : text.firstIndex(of: UInt8(ascii: ":"))
    }

    /// Nanoseconds from this moment until `now`: by the boot clock within one boot, else by the wall clock.
    func away(until now: StoredTime) -> Int64 {
        let isSameBoot = !bootID.isEmpty && bootID == now.bootID && time.bootNanoseconds <= now.time.bootNanoseconds
        return Self.span(
            isSameBoot
                ? now.time.bootNanoseconds - time.bootNanoseconds
                : max(0, now.time.wallNanoseconds) - max(0, time.wallNanoseconds))
    }

    /// At least 0, and at most 73 years: sums of a few cannot overflow.
    static func span(_ nanoseconds: Int64) -> Int64 { min(max(0, nanoseconds), Int64.max / 4) }
}
