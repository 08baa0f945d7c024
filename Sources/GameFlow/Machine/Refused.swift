// Why an event was refused, in words; and what the words can be made of again, so that nobody has to keep them.

import Texts

/// Why an event was refused.
public struct Refused: Sendable {
    /// As its sender called it, or the beginning of that.
    public let event: String
    /// The word that programs look at: `NOTRANSITION`.
    public let code: String
    public let sentence: String
    /// What makes the sentence, with the flow, the state and the event.
    package let reason: Reason

    package enum Reason: Sendable, Equatable {
        /// The event was not valid; these were, a bit for each event of the catalogue.
        case notValid(accepted: UInt64)
        /// The flow has no such event.
        case unknownEvent
        /// Whoever sent it may not.
        case notAllowed
        /// The sentence stands for itself.
        case words
    }

    package init(event: String, code: String, sentence: String, _ reason: Reason = .words) {
        self.event = event.shortened
        self.code = code
        self.sentence = sentence.cut(to: Self.mostBytes)
        self.reason = reason
    }

    /// More of a sentence is not kept.
    private static let mostBytes = 1_024

    public init(event: String, _ refusal: Refusal) {
        self.init(event: event, code: refusal.code, sentence: refusal.description, refusal.reason)
    }
}

extension Refusal {
    fileprivate var reason: Refused.Reason {
        switch self {
        case .transitionNotFound(let what): what.acceptedMask.map { .notValid(accepted: $0) } ?? .words
        case .notAllowed: .notAllowed
        case .badEvent, .vetoed, .tooMany: .words
        }
    }
}

extension FlowKind {
    /// An event that the flow does not have.
    package final func refusedUnknown(_ name: String) -> Refused {
        let refusal = unknownEvent(name)
        return Refused(event: name, code: refusal.code, sentence: refusal.description, .unknownEvent)
    }

    /// The refusal once more, as far as its reason makes the sentence; `words` does otherwise.
    package final func refused(
        _ reason: Refused.Reason, event: String, code: String, in state: String, from source: EventSource,
        words: @autoclosure () -> String
    ) -> Refused {
        let sentence =
            switch reason {
            case .notValid(let accepted): Self.notValid(event, in: state, accepted: outside(accepted))
            case .unknownEvent: unknownEvent(event).description
            case .notAllowed: notAllowed(event, from: source).description
            case .words: words()
            }
        return Refused(event: event, code: code, sentence: sentence, reason)
    }

    /// A sentence that has been read back: what it was made of, if it is one that can be made again.
    package final func refused(
        reading sentence: String, event: String, code: String, in state: String, from source: EventSource
    ) -> Refused {
        var reasons: [Refused.Reason] = [.unknownEvent, .notAllowed]
        if let accepted = mask(in: sentence) { reasons.append(.notValid(accepted: accepted)) }
        for reason in reasons {
            let made = refused(reason, event: event, code: code, in: state, from: source, words: "")
            if made.sentence == sentence { return made }
        }
        return Refused(event: event, code: code, sentence: sentence)
    }

    private static let accepts = "; it accepts "
    private static let nothing = "nothing any more"

    static func notValid(_ event: String, in state: String, accepted: [String]?) -> String {
        let sentence = "'\(event)' is not valid in '\(state)'"
        guard let accepted else { return sentence }
        return sentence + Self.accepts + (accepted.isEmpty ? Self.nothing : accepted.joined(separator: ", "))
    }

    /// The events of these that something else than a timer may send.
    private func outside(_ mask: UInt64) -> [String] {
        events.prefix(64).enumerated().compactMap { place, event in
            mask >> UInt64(place) & 1 == 1 && !event.sources.isSubset(of: .timers) ? event.name : nil
        }
    }

    private func mask(in sentence: String) -> UInt64? {
        guard let found = sentence.range(of: Self.accepts) else { return nil }
        let names = sentence[found.upperBound...]
        if names == Self.nothing { return 0 }
        return names.split(separator: ", ").reduce(0) { mask, name in
            guard let mask, let place = place(ofEvent: String(name)), place < 64 else { return nil }
            return mask | 1 << UInt64(place)
        }
    }

    final func notAllowed(_ event: String, from source: EventSource) -> Refusal {
        let sources = place(ofEvent: event).map { events[$0].sources } ?? []
        let allowed = EventSource.allCases.filter { sources.contains($0) }.map(\.name)
        return .notAllowed("'\(event)' cannot come from \(source.name); it comes from \(allowed.joined(separator: ", "))")
    }
}

extension String {
    /// The last place where the text stands.
    fileprivate func range(of text: String) -> Range<Index>? {
        var end = utf8.endIndex
        let length = text.utf8.count
        while utf8.distance(from: startIndex, to: end) >= length {
            let start = utf8.index(end, offsetBy: -length)
            if utf8[start..<end].elementsEqual(text.utf8) { return start..<end }
            end = utf8.index(before: end)
        }
        return nil
    }
}
