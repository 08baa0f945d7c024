// The stored facts of a refusal, from which its sentence is made. Events are names, which stay valid if the flow changes.

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

    /// The sentence, where the flow is not there to say more.
    package func sentence(event: String, in state: String, from source: String) -> String {
        switch self {
        case .accepted(let names): FlowKind.notValid(event, in: state, accepted: names)
        case .unknownEvent: "there is no event '\(event)'"
        case .notAllowed: "'\(event)' cannot come from \(source)"
        case .sentence(let sentence): sentence
        }
    }
}

extension FlowKind {
    /// The refusal with these facts. If the flow no longer has one of the accepted events, only the sentence is known.
    package final func refused(
        _ facts: RefusalFacts, event: String, code: ErrorCode, in state: String, from source: EventSource
    ) -> Refused {
        let reason: Refused.Reason =
            switch facts {
            case .accepted(let names): mask(of: names).map { .notValid(accepted: $0) } ?? .words
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
            guard let mask, let place = index(ofEvent: name), place < 64 else { return nil }
            return mask | 1 << UInt64(place)
        }
    }
}
