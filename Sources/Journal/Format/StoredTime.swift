// A moment, as it is kept with a session.

import Posix

/// A moment, as it is kept with a session.
struct StoredTime: Equatable, Sendable {
    let bootID: String
    let time: TurnTime

    /// `1f3a…:123456789`: for a column of the tables.
    var text: String { "\(bootID):\(time.bootNanoseconds)" }

    init(bootID: String, time: TurnTime) {
        self.bootID = bootID
        self.time = time
    }

    /// From the columns; where the text is none, only the wall clock is left.
    init(text: UnsafeRawBufferPointer?, wallNanoseconds: Int64) {
        let colon = text?.firstIndex(of: UInt8(ascii: ":"))
        if let text, let colon {
            var cursor = ByteCursor(UnsafeRawBufferPointer(rebasing: text[(colon + 1)...]))
            let id = text[..<colon]
            bootID = id.elementsEqual(TurnClock.bootID.utf8) ? TurnClock.bootID : String(decoding: id, as: UTF8.self)
            time = TurnTime(wallNanoseconds: wallNanoseconds, bootNanoseconds: max(0, cursor.number() ?? 0))
        } else {
            bootID = ""
            time = TurnTime(wallNanoseconds: wallNanoseconds, bootNanoseconds: 0)
        }
    }

    /// How many nanoseconds have passed since, and never less than none.
    func away(until now: StoredTime) -> Int64 {
        let isSameBoot = !bootID.isEmpty && bootID == now.bootID && time.bootNanoseconds <= now.time.bootNanoseconds
        let away =
            isSameBoot
            ? now.time.bootNanoseconds - time.bootNanoseconds : now.time.wallNanoseconds - time.wallNanoseconds
        return max(0, away)
    }
}
