// The refusal of an event, as histories keep it.

import Texts

/// Why an event was refused: the event, a code, and facts. `FlowKind` and `HistoryEntry` make the sentence.
public struct Refused: Sendable {
    /// The event's name as its sender gave it, or its beginning.
    public let event: String
    /// The error code, for programs: `NOTRANSITION`.
    public let code: ErrorCode
    /// The facts.
    public let facts: RefusalFacts

    /// The code is that of the facts, unless it is given.
    package init(event: String, code: ErrorCode? = nil, _ facts: RefusalFacts) {
        (self.event, self.code, self.facts) = (event.shortened, code ?? facts.code, facts.shortened)
    }
}

extension FlowKind {
    /// The events that this source could have sent in place of the refused one; nil where that is not known.
    package final func accepted(insteadOf refused: Refused, from source: EventSource) -> [String]? {
        switch refused.facts {
        case .notValidMask(let accepted): names(of: accepted) { $0.sources.contains(source) }
        case .notValid(let names): names?.filter { mayCome($0, from: source) }
        default: nil
        }
    }

    /// Whether the source may send the event, if the flow still has it.
    final func mayCome(_ event: String, from source: EventSource) -> Bool {
        index(ofEvent: event).map { events[$0].sources.contains(source) } ?? true
    }

    /// Facts that were stored, with a mask if each of the accepted events has a bit.
    package final func withMask(_ facts: RefusalFacts) -> RefusalFacts {
        facts.accepted.flatMap(mask).map { .notValidMask(accepted: $0) } ?? facts
    }

    /// Nil if one of them has no bit.
    private func mask(of names: [String]) -> UInt64? {
        names.reduce(0) { mask, name in
            guard let mask, let index = index(ofEvent: name), index < 64 else { return nil }
            return mask | 1 << UInt64(index)
        }
    }
}
