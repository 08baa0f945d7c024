// State that only some machines need, stored apart so that the others stay small: queues, observers, work.

import Timers

/// A queued or postponed event.
@usableFromInline
struct QueuedEvent<Event: Sendable> {
    @usableFromInline let event: Event
    @usableFromInline let cause: HistoryEntry.Cause
    /// The timer that sent it; if that is gone by then, the event is dropped.
    @usableFromInline let timer: TimerID?
    /// Its payload, for the history.
    var payload: Payload?
    /// What observers have been told of it already: that it is postponed, or that it waits.
    var told: HistoryEntry.Kind?
    /// Tells its sender, if that waits for an answer.
    var receipt: EventReceipt?

    @usableFromInline
    init(event: Event, cause: HistoryEntry.Cause, timer: TimerID?) {
        self.event = event
        self.cause = cause
        self.timer = timer
    }

    init(event: Event, cause: HistoryEntry.Cause, timer: TimerID?, payload: Payload?) {
        self.init(event: event, cause: cause, timer: timer)
        self.payload = payload
    }
}

@usableFromInline
final class MachineExtras<F: Flow> {
    var queue: [QueuedEvent<F.Event>] = []
    var postponed: [QueuedEvent<F.Event>] = []
    /// Bytes of the waiting events' payloads.
    var heldBytes = 0
    /// What observers have been told of the event that is being offered again; nil if it is a new one.
    var told: HistoryEntry.Kind?
    /// Whether the state has changed, so that postponed events are offered again.
    var stateHasChanged = false
    @usableFromInline var ignored = 0
    /// Grows with every entry to a state, so that events of an earlier stay's work are dropped.
    var stay = 0
    var work: [Task<Void, Never>] = []
    /// The step that waits for an asynchronous hook.
    var pending: PendingStep<F>?
    /// The events that were sent with ids; nil before there is one.
    var sent: SentEvents?
    private var observers: [WeakObserver<F.Event>] = []

    func add(_ observer: Observation<F.Event>) {
        observers.append(WeakObserver(observer: observer))
    }

    func tellObservers(_ change: Change<F.Event>) {
        for entry in observers { entry.observer?.tell(change) }
        observers.removeAll { $0.observer == nil }
    }

    func stopEverything() {
        for task in work { task.cancel() }
        work = []
        pending?.task?.cancel()
        answerSenders(.droppedMeanwhile)
        pending = nil
        queue = []
    }

    /// Answers those that wait for a decision.
    func answerSenders(_ refusal: Refusal) {
        pending?.receipt?.complete(with: .failure(refusal))
        for event in queue { event.receipt?.complete(with: .failure(refusal)) }
    }
}

/// A step that only its asynchronous hooks still hold up.
final class PendingStep<F: Flow> {
    let candidate: F.State
    let event: F.Event
    let cause: HistoryEntry.Cause
    /// The event's payload.
    let payload: Payload?
    var task: Task<Void, Never>?
    /// Tells its sender, if that waits for an answer.
    var receipt: EventReceipt?

    init(candidate: F.State, event: F.Event, cause: HistoryEntry.Cause, payload: Payload?) {
        self.candidate = candidate
        self.event = event
        self.cause = cause
        self.payload = payload
    }
}

private struct WeakObserver<Event: Sendable> {
    weak var observer: Observation<Event>?
}

/// A subscription to a machine's changes, which ends when it is released.
public final class Observation<Event: Sendable> {
    fileprivate let tell: (Change<Event>) -> Void

    init(_ tell: @escaping (Change<Event>) -> Void) {
        self.tell = tell
    }
}

extension Machine {
    /// Calls `body` for every change, after earlier observers, until the observation is released.
    public func observe(_ body: @escaping (Change<F.Event>) -> Void) -> Observation<F.Event> {
        let observation = Observation(body)
        makeExtras().add(observation)
        return observation
    }
}
