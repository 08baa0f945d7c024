// Why an event was refused, as facts: no sentence is stored, except for messages that a flow's own code has written.

import Texts

/// Why an event was refused.
public enum RefusalFacts: Error, Hashable, Sendable {
    /// The event is not valid in the session's state; these are, if they are known.
    case notValid(accepted: [String]?)
    /// The same, in a flow with at most 64 events: a bit for each that is valid.
    case notValidMask(accepted: UInt64)
    /// The flow has no such event.
    case unknownEvent
    /// This source may not send the event.
    case notAllowed
    /// The payload is not JSON.
    case notJSON(JSONError)
    /// The payload is not as the flow declares it.
    indirect case badPayload(PayloadProblem)
    /// The value of a device, in hexadecimal, does not have the format of its binding, which skips some bytes.
    case unreadableValue(String, format: String, skipping: Int)
    /// A validator or a hook objects, with this message.
    case vetoed(String)
    /// Something would exceed a limit.
    indirect case overLimit(EventLimit)
    /// The session has changed since the version that its sender has seen.
    indirect case stale(StaleVersion)
    /// The event waited for a hook, and was withdrawn before that had decided.
    case withdrawn(EventWithdrawal)
    /// The flow's code, or another session's, refuses it with this message.
    case message(String)

    /// The error code, for programs. Another session's or daemon's refusal has its own beside its message.
    package var code: ErrorCode {
        switch self {
        case .notValid, .notValidMask: .noTransition
        case .unknownEvent, .notAllowed, .notJSON, .badPayload, .unreadableValue, .message: .badEvent
        case .vetoed: .vetoed
        case .overLimit: .limit
        case .stale: .stale
        case .withdrawn(let withdrawal): withdrawal.code
        }
    }

    /// The names of the events that were accepted, where the flow has not been asked for them.
    package var accepted: [String]? { if case .notValid(let names) = self { names } else { nil } }

    /// The same within the bytes that an entry of a history has for it.
    var shortened: RefusalFacts {
        switch self {
        case .vetoed(let message): .vetoed(message.cut(to: Self.maxMessageBytes))
        case .message(let message): .message(message.cut(to: Self.maxMessageBytes))
        case .notValid(let names?): .notValid(accepted: Self.first(of: names))
        default: self
        }
    }

    /// Bytes of the longest message and of the longest sentence; a longer one is cut.
    static let maxMessageBytes = 1_024
    /// Bytes of the names of accepted events; those after them are left out.
    private static let maxNameBytes = 6_000

    private static func first(of names: [String]) -> [String] {
        var left = maxNameBytes
        return Array(
            names.prefix { name in
                left -= JSON.string(name).description.utf8.count + 1
                return left >= 0
            })
    }
}

/// A limit that an event would have exceeded.
public struct EventLimit: Hashable, Sendable {
    enum Kind: String {
        case queued, postponed, sentByStep = "sent by a step", heldBytes = "held bytes", waitingBytes = "waiting bytes",
            zeroTimers = "zero timers"
        case payloadBytes = "payload bytes", messages
    }

    let kind: Kind
    let max: Int
    /// The bytes that the events have which wait already, and those of this one.
    private(set) var held = 0, added = 0
    /// The sessions between which the message was not delivered.
    private(set) var from: String?, to: String?

    /// This many events wait for the session already.
    static func queued(_ max: Int) -> EventLimit { EventLimit(kind: .queued, max: max) }
    static func postponed(_ max: Int) -> EventLimit { EventLimit(kind: .postponed, max: max) }
    /// One step has led to this many events that its session's own hooks sent.
    static func sentByStep(_ max: Int) -> EventLimit { EventLimit(kind: .sentByStep, max: max) }
    /// The bytes of a session's waiting events.
    static func heldBytes(_ held: Int, adding added: Int, atMost max: Int) -> EventLimit {
        EventLimit(kind: .heldBytes, max: max, held: held, added: added)
    }
    /// The bytes of all waiting events.
    static func waitingBytes(_ held: Int, adding added: Int, atMost max: Int) -> EventLimit {
        EventLimit(kind: .waitingBytes, max: max, held: held, added: added)
    }
    /// More timers than this have fired without time passing.
    static func zeroTimers(_ max: Int) -> EventLimit { EventLimit(kind: .zeroTimers, max: max) }
    package static func payloadBytes(_ count: Int, atMost max: Int) -> EventLimit {
        EventLimit(kind: .payloadBytes, max: max, added: count)
    }
    package var isOfPayload: Bool { kind == .payloadBytes }
    /// One step has led to this many messages between sessions.
    package static func messages(_ max: Int, from sender: String, to receiver: String) -> EventLimit {
        EventLimit(kind: .messages, max: max, from: sender.shortened, to: receiver.shortened)
    }
}

/// The session's version, and the one that the sender of the event has seen.
public struct StaleVersion: Hashable, Sendable {
    let session: String
    let version: Int
    let seen: Int
    /// The lives to which the versions belong, if they differ: the session was restarted, or dropped and created again.
    let life: Int?
    let seenLife: Int?

    package init(of session: String, version: Int, seen: Int, life: Int? = nil, seenLife: Int? = nil) {
        (self.session, self.version, self.seen) = (session.shortened, version, seen)
        (self.life, self.seenLife) = (life, seenLife)
    }
}

/// Why an event that waited for a hook, or behind one, was withdrawn.
public enum EventWithdrawal: Hashable, Sendable {
    /// The session was dropped.
    case dropped
    /// Another state was forced.
    case forced
    /// The session moved to another node, and the event with it.
    case moved
    /// The hook had this many milliseconds.
    case timedOut(milliseconds: Int)
    /// Its timer ended, mostly since the state that carried it was left.
    case timerEnded

    static func timedOut(after limit: Duration) -> EventWithdrawal { .timedOut(milliseconds: limit.milliseconds) }

    /// The error code, for programs.
    var code: ErrorCode {
        switch self {
        case .dropped: .noSession
        case .forced, .timerEnded: .stale
        case .moved: .unknown
        case .timedOut: .timeout
        }
    }
}
