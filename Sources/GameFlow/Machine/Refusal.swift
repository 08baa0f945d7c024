// Why an event was refused. A refused event changes nothing: the state and its timers stay as they were.

import Texts

/// The refusal of an event, with a sentence for its sender.
public enum Refusal: Error, CustomStringConvertible {
    /// The event is not valid in this state.
    case transitionNotFound(InvalidTransition)
    /// The flow's code refuses it, with this message: mostly, the payload is wrong.
    case badEvent(String)
    /// The payload is not as the flow declares it.
    indirect case badPayload(PayloadProblem)
    /// The flow has no such event.
    case unknownEvent(String)
    /// This source may not send the event.
    case notAllowed(String)
    /// A validator or a hook objects.
    case vetoed(String)
    /// Too many events wait already, or their payloads are too large.
    indirect case tooMany(EventLimit)
    /// The event waited for a hook, and was withdrawn before that had decided.
    case withdrawn(EventWithdrawal)

    /// The error code, for programs.
    public var code: ErrorCode {
        if case .transitionNotFound = self { .noTransition } else { facts.code }
    }

    public var description: String {
        switch self {
        case .transitionNotFound(let what): what.description
        case .badEvent(let sentence), .unknownEvent(let sentence), .notAllowed(let sentence), .vetoed(let sentence): sentence
        case .badPayload(let problem): problem.sentence
        case .tooMany(let limit): limit.sentence
        case .withdrawn(let withdrawal): withdrawal.sentence
        }
    }

    /// The facts, as far as they are known without the flow.
    package var facts: RefusalFacts {
        switch self {
        case .transitionNotFound(let what): what.acceptedMask.map { .notValidMask(accepted: $0) } ?? .notValid(accepted: nil)
        case .badEvent(let message): .message(message)
        case .badPayload(let problem): .badPayload(problem)
        case .unknownEvent: .unknownEvent
        case .notAllowed: .notAllowed
        case .vetoed(let message): .vetoed(message)
        case .tooMany(let limit): .overLimit(limit)
        case .withdrawn(let withdrawal): .withdrawn(withdrawal)
        }
    }
}

extension Refusal {
    /// The refusal by a flow's code, which has not found a transition.
    @usableFromInline
    init(_ error: FlowError) {
        self = if case .badPayload(let problem) = error { .badPayload(problem) } else { .badEvent(error.description) }
    }
}

/// Which event was not valid in which state. The accepted events are only computed when asked for, which is rare. It does not retain the
/// session, so it can be stored.
public struct InvalidTransition: Sendable, CustomStringConvertible {
    @usableFromInline let stateIndex: UInt32
    @usableFromInline let version: UInt32
    @usableFromInline let sent: any Sendable
    /// Read only on the machine's own thread, except for what never changes.
    @usableFromInline nonisolated(unsafe) let kind: FlowKind
    /// The session's clock, which knows whether the session still exists.
    @usableFromInline nonisolated(unsafe) let clock: FlowClock

    @inlinable init(event: some Sendable, machine: AnyMachine, _ clock: FlowClock) {
        stateIndex = machine.stateIndex
        version = machine.version
        sent = event
        kind = machine.kind
        self.clock = clock
    }

    /// The session's state.
    public var state: String {
        if Int(stateIndex) < kind.states.count { return kind.states[Int(stateIndex)] }
        guard isOnItsThread else { return "a state that its flow does not declare" }
        return machine?.stateName ?? kind.stateName(at: stateIndex)
    }

    private var isOnItsThread: Bool { kind.thread == .current }

    /// The name of the event.
    public var event: String { caseName(of: sent) }

    /// The names of the accepted events that can be sent by others than timers. Nil once the session has changed or ended, and on other
    /// threads than its own.
    public var accepted: [String]? { machine?.acceptedFromOutside.map(\.name) }

    /// The same as bits, including events that only timers send; nil also where there are more than 64 events.
    var acceptedMask: UInt64? { machine?.acceptedMask }

    /// The machine, while it is still in the same state.
    private var machine: AnyMachine? {
        guard isOnItsThread, let machine = clock.session.host as? AnyMachine, machine.kind === kind,
            machine.version == version
        else { return nil }
        return machine
    }

    /// Whether the session is still in the same state, on its own thread.
    package var isStillTrue: Bool { machine != nil }

    /// The event, the state, and the accepted events, if still known; where only timers lead on, which ones, and when.
    public var description: String {
        RefusalFacts.notValid(event, in: state, accepted: accepted, timers: machine.flatMap(timersAhead))
    }

    private func timersAhead(_ machine: AnyMachine) -> String? {
        machine.isFinal ? nil : machine.timersAhead(machine.acceptedEvents.map(\.name))
    }
}

/// The outcome of an event that was not refused.
public enum Outcome: Sendable {
    /// Its step is committed.
    case taken
    /// It waits until the state changes.
    case postponed
    /// It is not valid here, and the flow's policy ignores that.
    case ignored
    /// It will be handled after the current step.
    case queued
    /// It waits for an asynchronous hook.
    case waiting
}

extension Outcome {
    /// The reply to the event's sender: the state after it, behind POSTPONED or IGNORED where it did not lead there.
    package func reply(in state: String) -> String {
        switch self {
        case .taken, .queued, .waiting: state
        case .postponed: "POSTPONED \(state)"
        case .ignored: "IGNORED \(state)"
        }
    }
}
