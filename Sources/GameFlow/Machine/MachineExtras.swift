// What only some machines need, kept apart so that the others stay small: queues, observers, work.

import Timers

/// An event that waits for its turn.
@usableFromInline
struct QueuedEvent<Event: Sendable> {
    @usableFromInline let event: Event
    @usableFromInline let cause: Cause
    /// The timer that sent it: if that is gone when the turn comes, so is the event.
    @usableFromInline let timer: TimerID?
    /// What came with it.
    var payload: Payload?
    /// Whether it has been put off before, and that was told.
    var wasPostponed = false

    @usableFromInline
    init(event: Event, cause: Cause, timer: TimerID?) {
        self.event = event
        self.cause = cause
        self.timer = timer
    }

    init(event: Event, cause: Cause, timer: TimerID?, payload: Payload?) {
        self.init(event: event, cause: cause, timer: timer)
        self.payload = payload
    }
}

@usableFromInline
final class MachineExtras<F: Flow> {
    var queue: [QueuedEvent<F.Event>] = []
    var postponed: [QueuedEvent<F.Event>] = []
    /// How many bytes came with those that wait.
    var heldBytes = 0
    /// An event that was put off is being offered again.
    var offersAgain = false
    /// Postponed events are offered again after this.
    var stateHasChanged = false
    @usableFromInline var ignored = 0
    /// Grows with every entry to a state: work that was begun in an earlier stay has nothing to say in a later one.
    var stay = 0
    var work: [Task<Void, Never>] = []
    /// The step that a hook is thinking about.
    var pending: PendingStep<F>?
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
        pending = nil
    }
}

/// A step that is complete but for the hooks that are still thinking.
final class PendingStep<F: Flow> {
    let candidate: F.State
    let event: F.Event
    let cause: Cause
    /// What came with the event.
    let payload: Payload?
    var task: Task<Void, Never>?

    init(candidate: F.State, event: F.Event, cause: Cause, payload: Payload?) {
        self.candidate = candidate
        self.event = event
        self.cause = cause
        self.payload = payload
    }
}

private struct WeakObserver<Event: Sendable> {
    weak var observer: Observation<Event>?
}

/// A subscription to a machine's changes, for as long as it is held.
public final class Observation<Event: Sendable> {
    fileprivate let tell: (Change<Event>) -> Void

    init(_ tell: @escaping (Change<Event>) -> Void) {
        self.tell = tell
    }
}

extension Machine {
    /// Has `body` told of every change from now on, after those who asked earlier, until the observation is dropped.
    public func observe(_ body: @escaping (Change<F.Event>) -> Void) -> Observation<F.Event> {
        let observation = Observation(body)
        makeExtras().add(observation)
        return observation
    }
}
