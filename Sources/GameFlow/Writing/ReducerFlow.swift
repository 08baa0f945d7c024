// A flow written as one function of a state and an event.

/// A flow with a reducer as its selector: nil means that the event is not valid here.
public protocol ReducerFlow: TypedFlow {
    /// The state that the event leads to; nil if it is not valid here. It is also called to find out which events are accepted, so it must have no
    /// side effects. A timer with more or less time left is a new one:
    /// `Countdown(old.plan, on: clock, remaining: left - .seconds(30), isPaused: old.isPaused)`.
    func reduce(_ state: State, _ event: Event) throws -> State?

    /// Whether to postpone the event until the state changes.
    func postpones(_ event: Event, in state: State) -> Bool
}

extension ReducerFlow {
    /// Postpones nothing.
    public func postpones(_ event: Event, in state: State) -> Bool { false }

    /// Leads to the state that `reduce` returns. Rethrows its error; throws if it returns nil.
    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        if postpones(event, in: state) { throw .postpone }
        let next: State?
        do {
            next = try reduce(state, event)
        } catch {
            throw FlowError(error)
        }
        guard let next else { throw .transitionNotFound }
        return { next }
    }
}
