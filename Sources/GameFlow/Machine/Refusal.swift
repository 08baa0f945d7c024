// Why an event was not taken. Nothing has changed then: the state and its timers are as they were.

import Timers

/// An event that has been refused, with a sentence for whoever sent it.
public enum Refusal: Error, CustomStringConvertible {
    /// The event is not valid in this state.
    case transitionNotFound(TransitionNotFound)
    /// The event is valid here, but not with what it carries.
    case badEvent(String)
    /// Whoever sent it may not.
    case notAllowed(String)
    /// A validator or a hook objects.
    case vetoed(String)
    /// Too many events wait already, or too much came along.
    case tooMany(String)

    /// The word that programs look at.
    public var code: String {
        switch self {
        case .transitionNotFound: "NOTRANSITION"
        case .badEvent, .notAllowed: "BADEVENT"
        case .vetoed: "VETOED"
        case .tooMany: "LIMIT"
        }
    }

    public var description: String {
        switch self {
        case .transitionNotFound(let what): what.description
        case .badEvent(let sentence), .notAllowed(let sentence), .vetoed(let sentence), .tooMany(let sentence): sentence
        }
    }
}

/// Which event was not valid in which state. Which would have been is found out when somebody asks: most senders never do. It does
/// not hold the session, so that it can be kept.
public struct TransitionNotFound: Sendable, CustomStringConvertible {
    @usableFromInline let place: UInt32
    @usableFromInline let version: UInt32
    @usableFromInline let sent: any Sendable
    /// Only read on the machine's own thread, but for what never changes.
    @usableFromInline nonisolated(unsafe) let kind: FlowKind
    /// The session's clock, which knows whether the session is still there.
    @usableFromInline nonisolated(unsafe) let clock: FlowClock

    @inlinable @inline(__always)
    init(event: some Sendable, machine: AnyMachine, _ clock: FlowClock) {
        place = machine.place
        version = machine.version
        sent = event
        kind = machine.kind
        self.clock = clock
    }

    /// The session's state.
    public var state: String {
        if Int(place) < kind.states.count { return kind.states[Int(place)] }
        return isOnItsThread ? kind.stateName(at: place) : "a state that its flow does not declare"
    }

    private var isOnItsThread: Bool { kind.thread == .current }

    /// The name of the event.
    public var event: String { caseName(of: sent) }

    /// The names of the events that are accepted from outside: what only a timer may send helps nobody. Nil once the session has gone
    /// on or ended, and on other threads than its own.
    public var accepted: [String]? { machine?.acceptedFromOutside.map(\.name) }

    /// The same as bits, with those that only timers send; nil also where there are more than 64 events.
    var acceptedMask: UInt64? { machine?.acceptedMask }

    /// The machine, as long as it is where it was.
    private var machine: AnyMachine? {
        guard isOnItsThread, let machine = clock.session.host as? AnyMachine, machine.kind === kind,
            machine.version == version
        else { return nil }
        return machine
    }

    /// The event, the state, and what would be accepted, as long as that is known.
    public var description: String { FlowKind.notValid(event, in: state, accepted: accepted) }
}

/// What became of an event that was not refused.
public enum Outcome: Sendable {
    /// The machine is in the state that it led to.
    case taken
    /// It is put off until the state changes.
    case postponed
    /// It is not valid here, and the machine's policy is to let that pass.
    case ignored
    /// It will be handled after what is being handled now.
    case queued
    /// A hook is still thinking about it.
    case waiting
}
