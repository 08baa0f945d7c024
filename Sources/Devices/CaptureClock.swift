// Converts instants to the timestamps of captures.

import Bluetooth
import Posix
import Timers

/// Uses the machine's date; in virtual time a fixed one, so that the same run gives the same recording.
struct CaptureClock {
    private static let virtualDay = CaptureTime(microsecondsSince1970: 946_684_800_000_000)  // January 1st 2000
    private let start: Instant
    private let startTime: CaptureTime

    init(_ timekeeper: Timekeeper) {
        if timekeeper.source is VirtualClock {
            (start, startTime) = (.zero, Self.virtualDay)
        } else {
            (start, startTime) = (timekeeper.now, Self.today)
        }
    }

    func time(at instant: Instant) -> CaptureTime {
        startTime.advanced(by: start.duration(to: instant))
    }

    private static var today: CaptureTime {
        CaptureTime(microsecondsSince1970: TurnClock.now().wallNanoseconds / 1_000)
    }
}
