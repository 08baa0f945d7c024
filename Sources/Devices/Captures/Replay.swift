// A capture that happens again: each record at its time, on the daemon's clock, among all other timers.

import Bluetooth
import Sessions
import Timers

final class Replay: TimerHost {
    private enum State {
        case notBegun
        /// The next record, and the timer that brings it.
        case waiting(CaptureRecord, Countdown)
        /// A record is being heard.
        case hearing
        case over
    }

    /// How it ended.
    struct Summary {
        var records = 0
        /// What was wrong with the capture, if it was not read to its end.
        var fault: String?
    }

    private static let plan = TimerPlan.countdown("replay", .zero)
    /// So many records are heard at one instant, and then others have their turn.
    private static let mostAtOnce = 10_000
    private static let pause = Duration.milliseconds(1)
    private static let longGap = Duration.seconds(3_600)
    /// A recorder's clock that goes back by more than this has been set.
    private static let clockWasSet = Duration.seconds(1)

    let capture: CaptureFile
    /// Takes a record, and says whether it was an event for some session.
    var hear: (CaptureRecord) -> Bool = { _ in false }
    var log: (String) -> Void = { _ in }
    var whenOver: (Summary) -> Void = { _ in }
    private var state = State.notBegun
    private var summary = Summary()
    /// A record's time and the instant at which it was due: all others are reckoned from there.
    private var anchor: (time: CaptureTime, instant: Instant)?
    private var latest: CaptureTime?
    private var heardNow: (at: Instant, count: Int) = (.zero, 0)

    init(of capture: CaptureFile, on timekeeper: Timekeeper) {
        self.capture = capture
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
        state = .hearing
        goOn(with: record)
    }

    /// Hears what is due. After an event the next record waits for its own timer, even if it is due too: a timer of length zero
    /// that the event has armed comes before it.
    private func goOn(with first: CaptureRecord) {
        var next: CaptureRecord? = first
        while let record = next {
            let left = timekeeper.now.duration(to: due(record))
            guard left <= .zero else { return wait(left, for: record) }
            guard mayHear else { return wait(Self.pause, for: record) }
            summary.records += 1
            let wasEvent = hear(record)
            guard case .hearing = state else { return }
            if wasEvent { return waitForNext() }
            next = fetch()
        }
    }

    private func waitForNext() {
        guard let record = fetch() else { return }
        wait(max(.zero, timekeeper.now.duration(to: due(record))), for: record)
    }

    private func wait(_ left: Duration, for record: CaptureRecord) {
        if left > Self.longGap { log("nothing happens in \(capture.path) for the next \(left.components.seconds) seconds") }
        state = .waiting(record, Countdown(Self.plan, on: clock, remaining: left, isPaused: false))
    }

    private var mayHear: Bool {
        if heardNow.at != timekeeper.now { heardNow = (timekeeper.now, 0) }
        heardNow.count += 1
        return heardNow.count <= Self.mostAtOnce
    }

    // MARK: When

    /// The instant at which the record happens again: as long after the first one as it did. Times that step back a little are
    /// heard at once; where the recorder's clock was set back, the gaps behind count from there.
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

    /// The next record; nil once there is none, and then the replay is over.
    private func fetch() -> CaptureRecord? {
        do throws(BluetoothFileError) {
            if let record = try capture.next() { return record }
        } catch {
            summary.fault = error.description
        }
        state = .over
        whenOver(summary)
        return nil
    }
}
