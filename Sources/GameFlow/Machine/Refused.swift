// Why an event was refused, as a sentence, and as a reason from which the sentence can be made again, so that it need not be stored.

import Texts

/// Why an event was refused.
public struct Refused: Sendable {
    /// The event's name as its sender gave it, or its beginning.
    public let event: String
    /// The error code, for programs: `NOTRANSITION`.
    public let code: ErrorCode
    /// The reason, for people: the problem, and a valid alternative.
    public let sentence: String
    /// The facts from which the sentence is made, with the flow, the state and the event.
    package let reason: Reason

    package enum Reason: Sendable, Equatable {
        /// The event was not valid; the accepted ones are a bit each.
        case notValid(accepted: UInt64)
        /// The same with the names of the accepted events: of a flow with more than 64, or one that no longer has all of them.
        case notValidNames([String])
        /// The flow has no such event.
        case unknownEvent
        /// This source may not send the event.
        case notAllowed
        /// Only the sentence itself.
        case words
    }

    package init(event: String, code: ErrorCode, sentence: String, _ reason: Reason = .words) {
        self.event = event.shortened
        self.code = code
        self.sentence = sentence.cut(to: Self.maxBytes)
        self.reason = reason
    }

    /// Longer sentences are cut.
    private static let maxBytes = 1_024

    /// The refusal of that event.
    public init(event: String, _ refusal: Refusal) {
        self.init(event: event, code: refusal.code, sentence: refusal.description, refusal.reason)
    }
}

extension Refusal {
    fileprivate var reason: Refused.Reason {
        switch self {
        case .transitionNotFound(let what): what.acceptedMask.map { .notValid(accepted: $0) } ?? .words
        case .notAllowed: .notAllowed
        case .badEvent, .vetoed, .tooMany, .withdrawn: .words
        }
    }
}

extension FlowKind {
    /// The events that this source could have sent in place of the refused one; nil where that is not known.
    package final func accepted(insteadOf refused: Refused, from source: EventSource) -> [String]? {
        switch refused.reason {
        case .notValid(let accepted): names(of: accepted) { $0.sources.contains(source) }
        case .notValidNames(let names): names.filter { mayCome($0, from: source) }
        case .unknownEvent, .notAllowed, .words: nil
        }
    }

    /// The refusal of an event that the flow does not have.
    package final func refusedUnknown(_ name: String, from source: EventSource) -> Refused {
        let refusal = unknownEvent(name, from: source)
        return Refused(event: name, code: refusal.code, sentence: refusal.description, .unknownEvent)
    }

    /// Makes the refusal again from its reason, or from `words` if the reason has no sentence.
    package final func refused(
        _ reason: Refused.Reason, event: String, code: ErrorCode, in state: String, from source: EventSource,
        words: @autoclosure () -> String
    ) -> Refused {
        let sentence =
            switch reason {
            case .notValid(let accepted): notValidSentence(event, in: state, accepted: names(of: accepted), from: source)
            case .notValidNames(let names): notValidSentence(event, in: state, accepted: names, from: source)
            case .unknownEvent: unknownEvent(event, from: source).description
            case .notAllowed: notAllowed(event, from: source).description
            case .words: words()
            }
        return Refused(event: event, code: code, sentence: sentence, reason)
    }

    /// The event is accepted, but not with its payload.
    private static let withThisPayload = " with this payload"
    private static let accepts = "; it accepts "
    private static let nothing = "no events"
    private static let onlyTimers = "; it accepts no events until a timer fires"

    private static func nothing(from source: EventSource) -> String { "no events from \(source.name)" }

    /// `accepted` are the names of the events that would be valid, if they are known.
    static func notValidSentence(_ event: String, in state: String, accepted: [String]?, timers: String? = nil) -> String {
        let sentence = "'\(event)' is not valid in '\(state)'"
        guard let accepted else { return sentence }
        if accepted.contains(event) { return sentence + withThisPayload + accepts + accepted.joined(separator: ", ") }
        if accepted.isEmpty, let timers { return "\(sentence)\(onlyTimers): \(timers)" }
        return sentence + Self.accepts + (accepted.isEmpty ? Self.nothing : accepted.joined(separator: ", "))
    }

    /// Lists the accepted events that this source may send. The times of timers are left out, because the sentence is kept.
    private func notValidSentence(
        _ event: String, in state: String, accepted: [String], from source: EventSource
    ) -> String {
        let names = accepted.filter { mayCome($0, from: source) }
        guard names.isEmpty, !accepted.isEmpty else { return Self.notValidSentence(event, in: state, accepted: names) }
        let areOnlyForTimers = accepted.allSatisfy { name in
            index(ofEvent: name).map { events[$0].sources.isSubset(of: .timers) } ?? false
        }
        let sentence = Self.notValidSentence(event, in: state, accepted: nil)
        return sentence + (areOnlyForTimers ? Self.onlyTimers : Self.accepts + Self.nothing(from: source))
    }

    /// Whether the source may send the event, if the flow still has it.
    private func mayCome(_ event: String, from source: EventSource) -> Bool {
        index(ofEvent: event).map { events[$0].sources.contains(source) } ?? true
    }

    final func notAllowed(_ event: String, from source: EventSource) -> Refusal {
        let sources = index(ofEvent: event).map { events[$0].sources } ?? []
        let allowed = EventSource.allCases.filter { sources.contains($0) }.map(\.name)
        let origin = allowed.isEmpty ? "the flow itself" : allowed.joined(separator: ", ")
        return .notAllowed("'\(event)' cannot come from \(source.name); it comes from \(origin)")
    }
}

// MARK: - The stored facts of a refusal, from which its sentence is made. Events are names, which stay valid if the flow changes.

/// The facts of a refusal.
package enum RefusalFacts: Hashable, Sendable {
    /// The event was not valid; these were.
    case accepted([String])
    /// The flow had no such event.
    case unknownEvent
    /// Its source was not allowed to send it.
    case notAllowed
    /// The sentence of a rule, a payload or a flow.
    case sentence(String)

    private enum Key {
        static let (accepted, reason, sentence) = ("accepted", "reason", "sentence")
    }

    private enum Word {
        static let (unknownEvent, notAllowed) = ("unknown event", "not allowed")
    }

    /// A JSON object.
    package var json: String {
        let member: (String, JSON) =
            switch self {
            case .accepted(let names): (Key.accepted, .array(names.map { .string($0) }))
            case .unknownEvent: (Key.reason, .string(Word.unknownEvent))
            case .notAllowed: (Key.reason, .string(Word.notAllowed))
            case .sentence(let sentence): (Key.sentence, .string(sentence))
            }
        return JSON.object([JSON.Member(member.0, member.1)]).description
    }

    /// Unreadable JSON, which only an edit leaves, becomes an empty sentence.
    package init(json: String) {
        let object = (try? JSON(parsing: json)) ?? .null
        if case .array(let names)? = object[Key.accepted] {
            self = .accepted(names.compactMap(\.text))
        } else if let reason = object[Key.reason]?.text {
            self = reason == Word.notAllowed ? .notAllowed : .unknownEvent
        } else {
            self = .sentence(object[Key.sentence]?.text ?? "")
        }
    }

    /// The names of the events that were accepted, if they are known.
    package var accepted: [String]? { if case .accepted(let names) = self { names } else { nil } }

    /// The sentence, where the flow is unknown and cannot add to it.
    package func sentence(event: String, in state: String, from source: String) -> String {
        switch self {
        case .accepted(let names): FlowKind.notValidSentence(event, in: state, accepted: names)
        case .unknownEvent: "there is no event '\(event)'"
        case .notAllowed: "'\(event)' cannot come from \(source)"
        case .sentence(let sentence): sentence
        }
    }
}

extension FlowKind {
    /// The refusal with these facts.
    package final func refused(
        _ facts: RefusalFacts, event: String, code: ErrorCode, in state: String, from source: EventSource
    ) -> Refused {
        let reason: Refused.Reason =
            switch facts {
            case .accepted(let names): mask(of: names).map { .notValid(accepted: $0) } ?? .notValidNames(names)
            case .unknownEvent: .unknownEvent
            case .notAllowed: .notAllowed
            case .sentence: .words
            }
        return refused(
            reason, event: event, code: code, in: state, from: source,
            words: facts.sentence(event: event, in: state, from: source.name))
    }

    /// Nil if one of them has no bit.
    private func mask(of names: [String]) -> UInt64? {
        names.reduce(0) { mask, name in
            guard let mask, let index = index(ofEvent: name), index < 64 else { return nil }
            return mask | 1 << UInt64(index)
        }
    }
}
