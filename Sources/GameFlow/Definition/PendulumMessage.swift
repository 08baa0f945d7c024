// A pendulum's message: an event with the number of missed swings.

/// A pendulum's message, made from the number of swings missed during a stall.
@usableFromInline
struct PendulumMessage<Event: Sendable>: NamedEvent, Sendable {
    @usableFromInline let event: @Sendable (Int) -> Event

    @usableFromInline var eventName: String { caseName(of: event(0)) }
}

extension TimerPlan {
    /// A pendulum that sends the number of missed swings with its event: `.pendulum("tick", every: .seconds(1), message: Event.tick(missed:))`.
    public static func pendulum<Event: Sendable>(
        _ name: String, every period: Duration, label: String? = nil, restart: RestartPolicy = .keep,
        message event: @escaping @Sendable (Int) -> Event
    ) -> TimerPlan {
        TimerPlan(.pendulum, name, period, label: label, restart: restart, message: PendulumMessage(event: event))
    }

    /// The same timer with another length, for a session with parameters that determine it.
    public func lasting(_ length: Duration) -> TimerPlan {
        TimerPlan(kind, name, length, label: label, restart: restart, message: message, milestones: milestones)
    }
}
