// ADVANCEs that take several turns, one behind the other; and due timers that do.

import GameFlow
import RESP

/// Time is one for all, so one ADVANCE follows the other. Between two slices the loop serves other clients, at the instant that has been reached. If
/// timers due at it have not fired yet, a session that a request is about fires its own first. So clients never see a session with late timers.
package final class AdvanceQueue: DueTimerStepper {
    private struct Request {
        let clock: VirtualClock
        let duration: Duration
        weak var answer: PendingValue<Int>?
    }

    private unowned let host: Host
    private var current: Advance?
    /// Requests that wait for their turn.
    private var requests: [Request] = []
    /// The session that the request at hand is about; only in the middle of an instant.
    private var requestedMachine: AnyMachine?
    private var isScheduled = false

    /// The pieces of work in a slice: half a turn's, so that others are sure of theirs.
    private static let slice = 512
    /// ADVANCEs that may wait. Those of clients that have left are carried out, too.
    private static let maxWaiting = 1_000
    /// The most timers within one EXEC, which has one turn only.
    private static let maxInTransaction = 8_192
    /// How many more this EXEC may fire.
    private var leftInTransaction = 0
    private var timeInTransaction = LongWork()

    init(of host: Host) {
        self.host = host
    }

    func beginTransaction() { (leftInTransaction, timeInTransaction) = (Self.maxInTransaction, LongWork()) }

    /// Advances time, and answers with the number of timers that have fired: at once if a part of this turn suffices, and later otherwise.
    func begin(_ clock: VirtualClock, by duration: Duration, for client: Client) throws(CommandError) -> CommandAnswer<Int> {
        guard client.canAwaitAnswers, !client.isExecuting, host.turns != nil else {
            return .now(try runToEnd(clock, duration, isInTransaction: client.isExecuting))
        }
        let answer = PendingValue<Int>()
        guard current == nil else {
            guard requests.count < Self.maxWaiting else {
                throw CommandError(.busy, "\(requests.count) ADVANCEs wait already; try again in a moment")
            }
            requests.append(Request(clock: clock, duration: duration, answer: answer))
            return .later(answer)
        }
        let advance = make(clock, duration, for: answer)
        return step(advance) ? .later(answer) : .now(try advance.result.get())
    }

    /// Continues the one that is under way.
    package func resume() {
        isScheduled = false
        guard let advance = current else { return }
        guard !host.isJournalBehind else { return }
        if step(advance) { return }
        advance.answer?.complete(with: advance.result)
        guard current == nil, !requests.isEmpty else { return }
        let next = requests.removeFirst()
        current = make(next.clock, next.duration, for: next.answer)
        scheduleResume()
    }

    /// Runs one slice. Returns whether more is left.
    private func step(_ advance: Advance) -> Bool {
        setMidInstant(false)
        let isUnderWay = advance.run(atMost: Self.slice)
        current = isUnderWay ? advance : nil
        guard isUnderWay else { return false }
        setMidInstant(advance.isInTheMiddle)
        scheduleResume()
        return true
    }

    private func scheduleResume() {
        guard !isScheduled, !host.isJournalBehind else { return }
        isScheduled = true
        host.turns?.schedule { [unowned self] in resume() }
    }

    private func make(_ clock: VirtualClock, _ duration: Duration, for answer: PendingValue<Int>?) -> Advance {
        Advance(clock, by: duration, atMost: host.limits.advanceFirings, for: answer, of: host)
    }

    /// For clients that are answered at once.
    private func runToEnd(
        _ clock: VirtualClock, _ duration: Duration, isInTransaction: Bool
    ) throws(CommandError) -> Int {
        let most = isInTransaction ? min(host.limits.advanceFirings, leftInTransaction) : host.limits.advanceFirings
        let advance = Advance(clock, by: duration, atMost: most, for: nil, of: host)
        setMidInstant(false)
        advance.runToEnd { slice in
            timeInTransaction.begin()
            timeInTransaction.count(slice(), mayBeLong: advance.mayHaveTakenLong)
            return !(isInTransaction && timeInTransaction.isUp)
        }
        if isInTransaction { leftInTransaction = max(0, leftInTransaction - advance.fired) }
        return try advance.result.get()
    }

    // MARK: In the middle of an instant

    /// Also in real time, while more timers are due than a turn fires.
    package func setMidInstant(_ isInTheMiddle: Bool) {
        requestedMachine = nil
        host.isMidInstant = isInTheMiddle
        host.turns?.stepper = isInTheMiddle ? self : nil
    }

    /// Fires all that is due in real time. Returns false in the middle of an ADVANCE, which goes on by itself.
    @discardableResult
    func finishInstant() -> Bool {
        guard host.isMidInstant else { return true }
        guard current == nil else { return false }
        setMidInstant(false)
        host.timekeeper.fireDue()
        return true
    }

    /// Called when a request is about this session: fires the session's due timers now.
    func prepareForRequest(about machine: AnyMachine) {
        requestedMachine = machine
        fireDue(of: machine)
    }

    /// Zero timers that the request has armed fire before the next one.
    package func fireDueTimers() {
        if let requestedMachine { fireDue(of: requestedMachine) }
        requestedMachine = nil
        host.timekeeper.runFollowUp()
    }

    func fireDue(of machine: AnyMachine) {
        let fired = host.timekeeper.fireDue(of: machine)
        current?.countFired(fired)
    }
}
