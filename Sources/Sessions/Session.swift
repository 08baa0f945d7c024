import GameFlow
import Memory

/// A live run of a flow, as looked up. Valid until the session is dropped.
public struct Session {
    @usableFromInline let reference: Borrowed<AnyMachine>
    private unowned(unsafe) let sessions: Sessions

    package init(_ machine: Borrowed<AnyMachine>, in sessions: Sessions) {
        reference = machine
        self.sessions = sessions
    }

    package var machine: AnyMachine { reference.object }
    /// Its number in the table.
    package var slot: UInt32 { reference.with { $0.tag } }

    /// Runs `body` with the machine, without retaining it; `body` must not drop the session.
    @inlinable public func withMachine<Result>(_ body: (AnyMachine) -> Result) -> Result { reference.with(body) }

    /// The name as text for people: bytes that are not UTF-8 become `�`.
    package var name: String { sessions.name(of: machine) }

    /// The name's bytes; empty once the session has been dropped.
    package var nameBytes: ByteString { withName { ByteString($0) } }

    package func withName<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { sessions.withName(of: machine, body) }

    /// Which life of its name it is.
    package var life: Life { sessions.life(of: machine) }

    /// The number of the latest thing that happened to it, counted within its life.
    package var seq: UInt32 { sessions.seq(of: machine) }

    /// Records an operator's action; `timer` is the timer that it changed, `payload` its arguments as JSON, `command` its command where that
    /// is not the action's own.
    package func record(
        _ action: HistoryEntry.Kind, to timer: TimerPlan? = nil, payload: String? = nil, by actor: ActorNumber,
        from source: EventSource,
        as command: String? = nil
    ) {
        let kind = machine.kind
        let cause = HistoryEntry.Cause(
            source, event: command.map(kind.historyIndex(ofEvent:)) ?? HistoryEntry.Cause.none,
            timer: timer.map { kind.historyIndex(ofTimer: $0.name) } ?? HistoryEntry.Cause.none, actor: actor)
        record(cause, HistoryEntry.Detail(action, payload: payload))
    }

    /// Returns the name of the entry's actor, or nil for a timer.
    package func actor(of entry: borrowing HistoryEntry) -> String? { sessions.actors.name(entry.cause.actor) }

    /// The name of the actor that created it, be it before a restart; nil if the history no longer has it.
    package var creator: String? { sessions.actors.name(sessions.creator(of: machine)) }

    /// When it expires; nil if it does not.
    package var expiry: SessionExpiry? { sessions.expiry(of: machine) }

    private var chain: History.Chain? { sessions.chain(of: machine) }

    private func pastEntries(_ count: Int, after seq: UInt32 = 0) -> [PastEntry] {
        chain.map { sessions.log.history.newest(count, of: $0, machine.kind, after: seq) } ?? []
    }

    /// Its newest history entries, the newest first.
    package func history(_ count: Int) -> [HistoryEntry] { pastEntries(count).map(\.entry) }

    /// The same in words: entries that have happened, or happened again, after the number `seq`. `wall` is the wall clock now, in nanoseconds
    /// since 1970.
    package func historyTexts(_ count: Int, after seq: UInt32 = 0, at wall: Int64) -> [HistoryEntryText] {
        pastEntries(count, after: seq).map { HistoryEntryText($0, of: machine.kind, in: sessions, at: wall) }
    }

    /// Returns the newest entries after the number `seq` of a life, at most `count`, the oldest first; nil means the present life. `isComplete`
    /// is false if entries are missing: more than `count`, no longer in memory, of an earlier life, or lost, so that the number is not reached.
    package func entries(
        after seq: UInt32, ofLife known: Life?, atMost count: Int, at wall: Int64
    ) -> (texts: [HistoryEntryText], isComplete: Bool) {
        let isSameLife = known == nil || known == life
        let first = isSameLife ? seq : 0
        let texts = historyTexts(count + 1, after: first, at: wall)
        let isKept = chain.map { sessions.log.history.isComplete(after: first, of: $0) } ?? false
        return (texts.prefix(count).reversed(), isSameLife && first <= self.seq && texts.count <= count && isKept)
    }

    /// The entry that has just been recorded, in words. `wall` is the wall clock now.
    package func text(of entry: borrowing HistoryEntry, at wall: Int64) -> HistoryEntryText {
        let past = PastEntry(copy entry, seq: seq, nil, under: nil)
        return HistoryEntryText(past, of: machine.kind, in: sessions, at: wall)
    }

    /// How recent a timer's move must be to be named in an error to the client who lost the race against it.
    private static let justNow = Duration.seconds(10)

    /// The timer that has just moved the session to its state.
    package var lastMove: TimerMove? {
        let machine = machine
        guard machine.version > 0, machine.since.duration(to: machine.timekeeper.now) < Self.justNow,
            let chain, let move = sessions.log.history.latestTimerMove(of: chain, machine.kind), move.at == machine.since
        else { return nil }
        return machine.kind.timerName(at: move.cause.timer).map { TimerMove(timer: $0, index: move.cause.timer, at: move.at) }
    }

    /// Whether it is as a client saw it at this version: timers that stayed in their state do not count.
    package func isAsSeen(at version: UInt32) -> Bool {
        if version == machine.version { return true }
        guard version < machine.version, let chain else { return false }
        return sessions.log.history.hasOnlyTicked(chain, since: version)
    }

    /// Records a refusal. Only the code that received the event from its sender calls this, so that it is recorded once.
    package func record(
        _ refused: Refused, carrying payload: Payload?, from source: EventSource, by actor: ActorNumber = .none
    ) {
        let index = machine.kind.index(ofEvent: refused.event).map(UInt16.init)
        record(
            HistoryEntry.Detail(refused: refused, payload: payload?.kept), event: index ?? HistoryEntry.Cause.none,
            after: refused.code == .noTransition ? lastMove : nil, from: source, by: actor)
    }

    /// The same, for an event whose index is known, and which may have lost a race against a timer.
    package func record(
        _ refused: HistoryEntry.Detail, event: UInt16, after move: TimerMove?, from source: EventSource,
        by actor: ActorNumber = .none
    ) {
        let timer = move?.index ?? HistoryEntry.Cause.none
        record(HistoryEntry.Cause(source, event: event, timer: timer, actor: actor), refused)
    }

    private func record(_ cause: HistoryEntry.Cause, _ detail: HistoryEntry.Detail) {
        let state = machine.stateIndex
        let entry = HistoryEntry(
            from: state, to: state, cause: cause, detail: detail, at: machine.timekeeper.now, version: machine.version)
        sessions.record(entry, of: machine)
    }
}

/// A timer has just moved a session to its state.
package struct TimerMove {
    /// The timer's name.
    package let timer: String
    /// Its index among those of the flow.
    let index: UInt16
    package let at: Instant
}

/// The time that a session has until it expires. It hosts its timer outside the session's machine; otherwise the machine's state would have to carry
/// it.
package final class SessionExpiry: TimerHost {
    package let rule: ExpiryRule
    /// The session's.
    package let slot: UInt32
    private unowned let expiries: Expiries
    private var countdown: Countdown?
    /// Whether the session is being set aside. Its image has that: the time from then on is no idle time.
    package var isSetAside = false

    init(
        _ slot: UInt32, _ plan: TimerPlan, _ rule: ExpiryRule, of expiries: Expiries, on timekeeper: Timekeeper, left: Duration
    ) {
        (self.rule, self.slot, self.expiries) = (rule, slot, expiries)
        super.init(on: timekeeper)
        countdown = Countdown(plan, on: clock, remaining: left, isPaused: false)
    }

    package var left: Duration { countdown?.remaining ?? .zero }

    /// The same in nanoseconds, for the journal.
    package var leftNanoseconds: Int64 { countdown?.left ?? 0 }

    /// Its form among the timers of the session's image.
    var mark: TimerImage {
        TimerImage(name: rule.savedName, kind: .countdown, left: .nanoseconds(leftNanoseconds), isPaused: isSetAside)
    }

    /// It has all its time again.
    func restart() { countdown?.begin(left: rule.length) }

    /// Stands while the session's own clock does.
    func setFrozen(_ frozen: Bool) {
        guard frozen != isFrozen else { return }
        if frozen { clock.freeze() } else { clock.resume() }
    }

    package override func timerFired(_ firing: Firing) { expiries.timeIsOver(slot) }
}

// MARK: - The daemon around the sessions, as they know it

/// Receives what concerns the daemon, and answers what only the daemon knows. Methods without an implementation do nothing.
package protocol SessionDelegate: AnyObject {
    /// Called when the daemon stopped a session's clock because its timers would never let time pass.
    func sessionClockDidStop(_ session: Session)

    /// Called when a session was restarted, which ended this life of it.
    func session(_ session: Session, didRestartFrom life: Life)

    /// Called before a session ends: it is dropped, or leaves for another node.
    func sessionWillEnd(_ name: ByteString)

    /// Called when a session that has expired cannot be restarted.
    func session(_ session: Session, didFailToRestart reason: String)

    /// Called when activity of its child restarts the time until a session expires. It has no entry for that.
    func sessionExpiryDidRestart(_ session: Session)

    /// The session's flow has written this for the log.
    func session(_ session: Session, didLog text: String)

    /// Called when restored sessions have lost parts that their changed flow lacks.
    func sessionsDidLose(_ lost: LostParts)

    /// Called when messages between sessions are stopped; the sentence has the reason.
    func messagesDidStop(_ sentence: String)

    /// Called when a flow of this name has changed so often that entries from before its oldest changes have become unreadable.
    func historyDidLoseEntries(ofFlow name: String)

    /// A session of this name that was set aside has been dropped. `last` is the entry that records it; nil if it has no history.
    func setAsideSessionDidDrop(_ name: ByteString, _ last: DropEntry?)

    /// Called soon after a session was dropped that can be brought back: `expireDrops` is to be called.
    func dropDidBecomeRestorable()

    /// Called before a session gets a message from another.
    func sessionWillReceive(_ machine: AnyMachine)

    /// Whether another thing that sessions ask for may still be done in this turn.
    func mayPerformEffect() -> Bool

    /// Called when a session begins to wait for hooks: `end` is to be called with the limit once they have had their time, unless the returned object
    /// is released before.
    func limitHooks(_ end: @escaping (_ limit: Duration) -> Void) -> AnyObject?
}

extension SessionDelegate {
    package func sessionClockDidStop(_ session: Session) {}
    package func limitHooks(_ end: @escaping (_ limit: Duration) -> Void) -> AnyObject? { nil }
    package func session(_ session: Session, didRestartFrom life: Life) {}
    package func sessionWillEnd(_ name: ByteString) {}
    package func session(_ session: Session, didFailToRestart reason: String) {}
    package func sessionExpiryDidRestart(_ session: Session) {}
    package func session(_ session: Session, didLog text: String) {}
    package func sessionsDidLose(_ lost: LostParts) {}
    package func messagesDidStop(_ sentence: String) {}
    package func historyDidLoseEntries(ofFlow name: String) {}
    package func setAsideSessionDidDrop(_ name: ByteString, _ last: DropEntry?) {}
    package func dropDidBecomeRestorable() {}
    package func sessionWillReceive(_ machine: AnyMachine) {}
    package func mayPerformEffect() -> Bool { true }
}

// MARK: - A session by its slot and its life

/// Refers to a session without keeping it.
struct SessionReference: Hashable {
    let slot: UInt32
    let life: Life
}

extension Sessions {
    func reference(to machine: AnyMachine) -> SessionReference {
        SessionReference(slot: machine.tag, life: table.records[machine.tag].life)
    }

    /// Nil once it is gone.
    func session(_ reference: SessionReference) -> Session? {
        guard reference.slot < table.used, table.records[reference.slot].life == reference.life else { return nil }
        return find(inSlot: reference.slot)
    }
}
