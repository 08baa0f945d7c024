// Replays a capture: each record at its time, on the daemon's clock, among all other timers.

import Bluetooth
import Sessions
import Timers

final class Replay: TimerHost {
    private enum State {
        case notBegun
        /// The next record, and the timer that brings it.
        case waiting(CaptureRecord, Countdown)
        /// A record is being delivered.
        case delivering
        case over
    }

    private static let plan = TimerPlan.countdown("replay", .zero)
    /// Records delivered at one instant before others have their turn.
    private static let maxAtOnce = 10_000
    private static let pause = Duration.milliseconds(1)
    private static let longGap = Duration.seconds(3_600)
    /// A step back by more than this means that the recorder's clock was set.
    private static let clockWasSet = Duration.seconds(1)

    let capture: CaptureFile
    /// Owns it.
    private unowned let source: BluetoothSource
    private var state = State.notBegun
    /// Records delivered so far.
    private var count = 0
    /// A record's timestamp and the instant it was due: the others count from there.
    private var anchor: (time: CaptureTime, instant: Instant)?
    private var latest: CaptureTime?
    private var deliveredNow: (at: Instant, count: Int) = (.zero, 0)

    init(of capture: CaptureFile, on timekeeper: Timekeeper, for source: BluetoothSource) {
        (self.capture, self.source) = (capture, source)
        super.init(on: timekeeper)
    }

    /// The first record comes at once.
    func begin() {
        guard case .notBegun = state else { return }
        waitForNext()
    }

    func end() {
        state = .over
    }

    override func timerFired(_ firing: Firing) {
        guard case .waiting(let record, _) = state else { return }
        state = .delivering
        resume(from: record)
    }

    /// Delivers the events that are due. After an event the next record waits for its own timer, even if it is due too: a zero-length timer that the
    /// event has armed fires first.
    private func resume(from first: CaptureRecord) {
        var next: CaptureRecord? = first
        while let record = next {
            let left = timekeeper.now.duration(to: due(record))
            guard left <= .zero else { return wait(left, for: record) }
            guard mayDeliver else { return wait(Self.pause, for: record) }
            count += 1
            let wasEvent = source.deliver(record)
            guard case .delivering = state else { return }
            if wasEvent { return waitForNext() }
            next = fetch()
        }
    }

    private func waitForNext() {
        guard let record = fetch() else { return }
        wait(max(.zero, timekeeper.now.duration(to: due(record))), for: record)
    }

    private func wait(_ left: Duration, for record: CaptureRecord) {
        if left > Self.longGap {
            source.log("nothing happens in \(capture.path) for the next \(left.components.seconds) seconds")
        }
        state = .waiting(record, Countdown(Self.plan, on: clock, remaining: left, isPaused: false))
    }

    private var mayDeliver: Bool {
        if deliveredNow.at != timekeeper.now { deliveredNow = (timekeeper.now, 0) }
        deliveredNow.count += 1
        return deliveredNow.count <= Self.maxAtOnce
    }

    // MARK: When

    /// When the record is due: as long after the first one as it was recorded. A timestamp slightly in the past is due at once; where
    /// the recorder's clock was set back, later gaps count from there.
    private func due(_ record: CaptureRecord) -> Instant {
        guard let anchor, let latest, record.time.duration(to: latest) <= Self.clockWasSet else {
            self.anchor = (record.time, timekeeper.now)
            self.latest = record.time
            return timekeeper.now
        }
        self.latest = max(latest, record.time)
        return anchor.instant.advanced(by: anchor.time.duration(to: record.time))
    }

    // MARK: The file

    /// The next record; nil at the end, which ends the replay.
    private func fetch() -> CaptureRecord? {
        var fault: String?
        do throws(BluetoothFileError) {
            if let record = try capture.next() { return record }
        } catch {
            fault = error.description
        }
        state = .over
        source.replayDidEnd(after: count, fault)
        return nil
    }
}
