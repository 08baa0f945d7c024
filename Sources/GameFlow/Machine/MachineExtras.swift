// State that only some machines need, stored apart so that the others stay small: queues, observers, work.

import Texts

/// A queued or postponed event.
@usableFromInline
struct QueuedEvent<Event: Sendable> {
    @usableFromInline let event: Event
    @usableFromInline let cause: HistoryEntry.Cause
    /// The timer that sent it; if that is gone by then, the event is dropped.
    @usableFromInline let timer: TimerID?
    /// Whether its flow has changed, and no longer has the timer that sent it.
    var hasLostTimer = false
    /// Its payload, for the history.
    var payload: Payload?
    /// The last notice to observers about it: postponed or waiting.
    var notified: HistoryEntry.Kind?
    /// Its number among the session's postponed events, and since when it is postponed; nil for one that never was.
    var postponement: Postponement?
    /// The receipt of a sender that waits for the decision.
    var receipt: EventReceipt?

    @usableFromInline
    init(event: Event, cause: HistoryEntry.Cause, timer: TimerID?, payload: Payload? = nil) {
        self.event = event
        self.cause = cause
        self.timer = timer
        self.payload = payload
    }
}

/// Identifies a postponed event, over restarts, too.
struct Postponement {
    let number: Int
    let since: Instant
}

@usableFromInline
final class MachineExtras<F: Flow> {
    var queue: [QueuedEvent<F.Event>] = []
    var postponed: [QueuedEvent<F.Event>] = []
    /// How many events a step, and the steps that follow from it, have sent to their own session.
    var sentByStep = 0
    /// Bytes of the waiting events' payloads.
    var heldBytes = 0
    /// The event that is being offered again; nil while a new one is handled.
    var offered: QueuedEvent<F.Event>?
    var lastPostponed = 0
    /// Whether the state has changed, so that postponed events are offered again.
    var stateHasChanged = false
    /// Grows with every entry to a state, so that events of an earlier stay's work are dropped.
    var stay = 0
    var work: [Task<Void, Never>] = []
    /// The step that waits for an asynchronous hook.
    var pending: PendingStep<F>?
    /// Timers that the step under way has changed, as they were before; empty between steps.
    var timerChanges = TimerChanges()
    /// The events that were sent with ids; nil before there is one.
    var sent: SentEvents?
    /// The text that hooks and work have stored.
    var storedText: String?
    private var observers: [WeakObserver<F.Event>] = []

    func add(_ observer: ChangeSubscription<F.Event>) {
        observers.append(WeakObserver(observer: observer))
    }

    func notifyObservers(_ change: Change<F.Event>) {
        for entry in observers { entry.observer?.onChange(change) }
        observers.removeAll { $0.observer == nil }
    }

    func stopEverything() {
        for task in work { task.cancel() }
        work = []
        pending?.cancel()
        answerSenders(.withdrawn(.dropped))
        pending = nil
        queue = []
    }

    /// Answers the senders that wait for a decision.
    func answerSenders(_ refusal: Refusal) {
        pending?.queued.receipt?.complete(with: .failure(refusal))
        for event in queue { event.receipt?.complete(with: .failure(refusal)) }
    }
}

/// A step that only its asynchronous hooks still hold up.
final class PendingStep<F: Flow> {
    let candidate: F.State
    /// The effects that the session's state had left when the step was made.
    let effects: [Effect]
    var queued: QueuedEvent<F.Event>
    var task: Task<Void, Never>?
    /// Ends the waiting if the hooks take too long, and does not once it is released; nil without a limit.
    var deadline: AnyObject?

    init(candidate: F.State, besides effects: [Effect], _ queued: QueuedEvent<F.Event>) {
        self.candidate = candidate
        self.effects = effects
        self.queued = queued
    }

    func cancel() {
        task?.cancel()
        deadline = nil
    }
}

private struct WeakObserver<Event: Sendable> {
    weak var observer: ChangeSubscription<Event>?
}

/// A subscription to a machine's changes, which ends when it is released.
public final class ChangeSubscription<Event: Sendable> {
    fileprivate let onChange: (Change<Event>) -> Void

    init(_ onChange: @escaping (Change<Event>) -> Void) {
        self.onChange = onChange
    }
}

extension Machine {
    /// Calls `body` for every change, after earlier observers, until the observation is released.
    public func observe(_ body: @escaping (Change<F.Event>) -> Void) -> ChangeSubscription<F.Event> {
        let observation = ChangeSubscription(body)
        makeExtras().add(observation)
        return observation
    }
}

// MARK: - The events of a machine that wait, as they are saved and restored

extension Machine {
    /// Postponed events, followed by those that wait for a hook.
    var eventsThatWait: [WaitingEvent] {
        guard let extras else { return [] }
        var waiting = extras.queue
        if let step = extras.pending { waiting.insert(step.queued, at: 0) }
        return extras.postponed.compactMap { saved($0, isPostponed: true) }
            + waiting.compactMap { saved($0, isPostponed: false) }
    }

    /// Nil if the event could not be restored, since the flow's catalogue does not have it, and for the event of a timer that has
    /// ended: a step is saved before such events are dropped, and after a restart the state may have another timer of that name.
    private func saved(_ event: QueuedEvent<F.Event>, isPostponed: Bool) -> WaitingEvent? {
        if isOvertaken(event) { return nil }
        guard let name = kind.eventName(at: completed(event.cause, event.event).event) else { return nil }
        var saved = WaitingEvent(
            event: name, payload: event.payload ?? JSON.carried(by: event.event).map { Payload($0) },
            source: event.cause.source, actor: kind.watcher?.object.name(of: event.cause.actor),
            timer: kind.timerName(at: event.cause.timer), isPostponed: isPostponed)
        saved.id = event.receipt?.id
        saved.isRecorded = event.notified == .waiting
        saved.number = event.postponement?.number
        saved.age = event.postponement.map { timekeeper.now.nanoseconds(since: $0.since) } ?? 0
        return saved
    }

    /// Decodes the events and queues them again.
    func wait(for events: [WaitingEvent], away: Duration) throws {
        let extras = makeExtras()
        for event in events {
            var queued = try queued(event)
            if event.isPostponed || event.number != nil {
                queued.postponement = postponement(of: event, away: away)
                // It was recorded when it came: being postponed again is no news.
                queued.notified = .postponed
            }
            if event.isRecorded { queued.notified = .waiting }
            if event.isPostponed { extras.postponed.append(queued) } else { extras.queue.append(queued) }
            hold(queued.payload)
        }
        extras.stateHasChanged = false
    }

    /// The saved number and age, as far as they can be: they come from a store.
    private func postponement(of event: WaitingEvent, away: Duration) -> Postponement {
        let extras = makeExtras()
        let number = max(min(event.number ?? 0, WaitingEvent.maxNumber), extras.lastPostponed + 1)
        extras.lastPostponed = number
        return Postponement(
            number: number, since: timekeeper.now.advanced(by: .zero - .nanoseconds(event.age) - max(.zero, away)))
    }

    private func queued(_ event: WaitingEvent) throws -> QueuedEvent<F.Event> {
        guard let index = kind.index(ofEvent: event.event) else {
            throw RestorationError("a waiting event is not one of the flow's: '\(event.event.shortened)'")
        }
        let timer = event.timer.flatMap { name in kind.timers.firstIndex { $0.name == name } }
        let cause = HistoryEntry.Cause(
            event.source, event: UInt16(truncatingIfNeeded: index),
            timer: timer.map { UInt16(truncatingIfNeeded: $0) } ?? HistoryEntry.Cause.none,
            actor: event.actor.flatMap { kind.watcher?.object.actor(named: $0) } ?? .none)
        // A postponed event stays when its timer ends.
        let sender = event.isPostponed || event.number != nil ? nil : event.timer
        let id = sender.flatMap { name in timers.last { $0.plan.name == name }?.id }
        do throws(FlowError) {
            // Built as a whole: a payload that was accepted once is not refused for its size.
            let decoded = try typed.specs[index].decoded(event.payload.map { Payload($0.json) }).get()
            var queued = QueuedEvent(event: decoded, cause: cause, timer: id, payload: event.payload)
            queued.hasLostTimer = sender != nil && timer == nil
            queued.receipt = event.id.map { id in EventReceipt(of: id) { [weak self] in self?.decide(id, $0) } }
            return queued
        } catch {
            throw RestorationError("a waiting event cannot be decoded: \(error)")
        }
    }
}
