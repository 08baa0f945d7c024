// Why an event was not taken. Nothing has changed then: the state and its timers are as they were.

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

/// Which event was not valid in which state. What would have been is found out when somebody asks: most senders never do.
public struct TransitionNotFound: Sendable, CustomStringConvertible {
    private let place: UInt32
    private let sent: any Sendable
    /// Only read on the loop's thread, like the machine itself.
    private nonisolated(unsafe) let machine: AnyMachine

    @usableFromInline
    init(event: any Sendable, machine: AnyMachine) {
        place = machine.place
        sent = event
        self.machine = machine
    }

    public var state: String { machine.kind.stateName(at: place) }
    public var event: String { caseName(of: sent) }

    /// The names of the events that are accepted now from outside: what only a timer may send helps nobody.
    public var accepted: [String] { machine.acceptedFromOutside.map(\.name) }

    /// The same as bits, with those that only timers send; nil where there are more than 64 events.
    var acceptedMask: UInt64? { machine.acceptedMask }

    public var description: String { machine.kind.notValid(event, in: state, accepted: accepted) }
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
