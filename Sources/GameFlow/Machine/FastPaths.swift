// The ways into a kind's machines that are specialized for its flow.

import Timers

/// What is called for every event. Closures instead of overridden methods: an overridden method of a generic class runs in its generic
/// form, while a closure is specialized where the flow's type is known.
@usableFromInline
struct FastPaths {
    @usableFromInline
    let send: (AnyMachine, _ place: Int, Payload?, EventSource, ActorNumber) throws(Refusal) -> Outcome
    @usableFromInline let fire: (AnyMachine, Firing) -> Void
    /// The accepted events, one bit each; nil where there are more than 64.
    @usableFromInline let accepted: (AnyMachine) -> UInt64?
    @usableFromInline let carriesOnlyTimers: (AnyMachine) -> Bool
    @usableFromInline let begin: (FlowKind, Timekeeper, _ context: JSON?, SessionImage?) throws -> AnyMachine

    @usableFromInline
    init(
        send: @escaping (AnyMachine, Int, Payload?, EventSource, ActorNumber) throws(Refusal) -> Outcome,
        fire: @escaping (AnyMachine, Firing) -> Void, accepted: @escaping (AnyMachine) -> UInt64?,
        carriesOnlyTimers: @escaping (AnyMachine) -> Bool,
        begin: @escaping (FlowKind, Timekeeper, JSON?, SessionImage?) throws -> AnyMachine
    ) {
        self.send = send
        self.fire = fire
        self.accepted = accepted
        self.carriesOnlyTimers = carriesOnlyTimers
        self.begin = begin
    }
}
