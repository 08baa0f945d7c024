// The sentences of refusals, for people. They are made here alone, from the facts, where they are shown.

import Texts

extension FlowKind {
    /// The sentence of a refusal with these facts. The times of timers are left out, because it is also shown later.
    package final func sentence(
        _ facts: RefusalFacts, event: String, in state: String, from source: EventSource
    ) -> String {
        let sentence =
            switch facts {
            case .notValid(let accepted?): notValidSentence(event, in: state, accepted: accepted, from: source)
            case .notValidMask(let accepted): notValidSentence(event, in: state, accepted: names(of: accepted), from: source)
            case .unknownEvent: unknownEventSentence(event, from: source)
            case .notAllowed: notAllowedSentence(event, from: source)
            default: facts.sentence(event: event, in: state, from: source.name)
            }
        return sentence.cut(to: RefusalFacts.maxMessageBytes)
    }

    /// Lists the accepted events that this source may send.
    private func notValidSentence(_ event: String, in state: String, accepted: [String], from source: EventSource) -> String {
        let names = accepted.filter { mayCome($0, from: source) }
        guard names.isEmpty, !accepted.isEmpty else { return RefusalFacts.notValid(event, in: state, accepted: names) }
        let areOnlyForTimers = accepted.allSatisfy { name in
            index(ofEvent: name).map { events[$0].sources.isSubset(of: .timers) } ?? false
        }
        return RefusalFacts.notValid(event, in: state, accepted: nil)
            + (areOnlyForTimers ? "; it accepts no events until a timer fires" : "; it accepts no events from \(source.name)")
    }

    /// Lists the events that this source may send, or all.
    final func unknownEventSentence(_ event: String, from source: EventSource?) -> String {
        let names = events.filter { event in source.map { event.sources.contains($0) } ?? true }.map(\.name)
        let guess = Suggestion.closest(to: event, among: names).map { "did you mean '\($0)'? Available: " } ?? "available: "
        let known =
            names.isEmpty ? "none can come from \(source?.name ?? "any source")" : guess + names.listed
        return "'\(name)' has no event '\(event.shortened)'; \(known)"
    }

    final func notAllowedSentence(_ event: String, from source: EventSource) -> String {
        let allowed = index(ofEvent: event).map { events[$0].sources } ?? []
        let origin = allowed.isEmpty ? "the flow itself" : allowed.names.joined(separator: ", ")
        let isSayable = EventSource.ofClients.contains(where: allowed.contains)
        let advice = isSayable ? " (CLIENT SOURCE sets it, or 'source' over HTTP)" : ""
        return "'\(event)' cannot come from \(source.name); it comes from \(origin)\(advice)"
    }
}

extension RefusalFacts {
    /// The sentence where the flow is unknown and cannot add to it.
    package func sentence(event: String, in state: String, from source: String) -> String {
        switch self {
        case .notValid(let accepted): Self.notValid(event, in: state, accepted: accepted).cut(to: Self.maxMessageBytes)
        case .notValidMask: Self.notValid(event, in: state, accepted: nil)
        case .unknownEvent: "there is no event '\(event)'"
        case .notAllowed: "'\(event)' cannot come from \(source)"
        case .notJSON(let error): "the payload is not JSON: \(error)"
        case .badPayload(let problem): problem.sentence
        case .unreadableValue(let value, let format, let skipping):
            "the device's value '\(value)' holds no \(format)\(Self.behind(skipping))"
        case .vetoed(let message), .message(let message): message
        case .overLimit(let limit): limit.sentence
        case .stale(let stale): stale.sentence
        case .withdrawn(let withdrawal): withdrawal.sentence
        }
    }

    /// `accepted` are the names of the events that are valid, if they are known; `timers` are those that lead on without an event.
    static func notValid(_ event: String, in state: String, accepted: [String]?, timers: String? = nil) -> String {
        let sentence = "'\(event)' is not valid in '\(state)'"
        guard let accepted else { return sentence }
        if accepted.contains(event) {
            return "\(sentence) with this payload; it accepts \(accepted.joined(separator: ", "))"
        }
        if accepted.isEmpty, let timers { return "\(sentence); it accepts no events until a timer fires: \(timers)" }
        return "\(sentence); it accepts \(accepted.isEmpty ? "no events" : accepted.joined(separator: ", "))"
    }

    private static func behind(_ skipped: Int) -> String {
        skipped == 0 ? "" : " behind the first \(skipped == 1 ? "byte" : "\(skipped) bytes")"
    }
}

extension PayloadProblem {
    /// `'chooseEpisode' expects 'episode', a whole number: 1 to 4`.
    var sentence: String {
        guard let shape else { return "'\(carrier ?? name)' carries nothing" }
        let bounds = allowed.map { ": \($0)" } ?? ""
        guard let carrier else { return "'\(name)' is \(shape.words)\(bounds)\(given.map { ", and not \($0)" } ?? "")" }
        let subject = name == carrier && shape == .object ? "" : "'\(name)', "
        return "'\(carrier)' expects \(subject)\(shape.words)\(bounds)\(memberPart)"
    }

    private var memberPart: String {
        guard let member else { return "" }
        return given.map { "; '\(member)' cannot be \($0)" } ?? "; '\(member)' is missing"
    }
}

extension EventLimit {
    package var sentence: String {
        switch kind {
        case .queued: "\(max) events wait for this session already"
        case .postponed: "\(max) events are postponed already until the state changes"
        case .sentByStep:
            "one step has led to \(max) events that the session's hooks and observers sent to it, so this one is refused: they seem to form a cycle"
        case .heldBytes:
            "the waiting events of this session carry \(held) bytes, and with these \(added) more than \(max)"
        case .waitingBytes:
            "the waiting events carry \(held) bytes, and with these \(added) more than \(max), which is the limit waiting-bytes"
        case .zeroTimers:
            "its timers of zero length fire in a cycle: more than \(max) fired without time passing, so the session's clock was stopped; RESUME starts it again"
        case .payloadBytes: "a payload has at most \(max) bytes, not \(added)"
        case .messages:
            "one step has led to \(max) messages between sessions, so this one, from '\(from ?? "")' to '\(to ?? "")', is not delivered, nor is what comes after it: they seem to form a cycle"
        }
    }
}

extension StaleVersion {
    fileprivate var sentence: String {
        guard let life, let seenLife else { return "'\(session)' is at version \(version), not \(seen)" }
        let reason = "it was restarted, or dropped and created again"
        return "'\(session)' is at version \(life):\(version), not \(seenLife):\(seen): \(reason)"
    }
}

extension EventWithdrawal {
    var sentence: String {
        switch self {
        case .dropped: "the session was dropped before the hook decided about the event"
        case .forced: "another state was forced before the hook decided about the event"
        case .moved:
            "the session moved to another node before the hook decided; outcome unknown: check the session before you retry (IF or ID makes a retry safe)"
        case .timedOut(let milliseconds):
            "the hook has not decided within \(milliseconds) ms, so the event was withdrawn and has changed nothing"
        case .timerEnded: "its timer ended before the hook decided, so the event was withdrawn and has changed nothing"
        }
    }
}
