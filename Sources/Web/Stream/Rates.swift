// How much has happened in the last second.

import Commands
import GameFlow
import Sessions
import Timers

struct Rates {
    private(set) var events = 0
    private(set) var refused = 0
    private var last = (events: 0, refused: 0)
    private var at = SystemClock().now

    init() {}

    init(_ host: Host) { last = Self.totals(host) }

    mutating func measure(_ host: Host) {
        let (now, totals) = (SystemClock().now, Self.totals(host))
        let seconds = max(0.001, Double(at.duration(to: now).wholeNanoseconds) / 1e9)
        events = Int((Double(totals.events - last.events) / seconds).rounded())
        refused = Int((Double(totals.refused - last.refused) / seconds).rounded())
        (last, at) = (totals, now)
    }

    private static func totals(_ host: Host) -> (events: Int, refused: Int) {
        let events = Happening.allCases.filter { $0.deed == nil }.reduce(0) { $0 + host.sessions.count(of: $1) }
        return (events, host.sessions.count(of: .refused))
    }
}
