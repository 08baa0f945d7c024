/// Why a selector has no transition.
public enum FlowError: Error, Equatable {
    /// The event is not valid in this state. The machine adds the event, the state, and what would be accepted.
    case transitionNotFound
    /// Postpone the event until the next change of state.
    case postpone
    /// The event is valid here, but not with this payload. The sentence says what is wrong and what would be right.
    case refused(String)
}

extension FlowError: CustomStringConvertible {
    public var description: String { sentence }

    /// Wraps any error that a transition throws.
    @usableFromInline
    init(_ error: any Error) {
        self = error as? FlowError ?? .refused(Self.words(for: error))
    }

    /// What the sender of the event is told of any error. One that has no words of its own is named.
    @usableFromInline
    static func words(for error: any Error) -> String {
        error is any CustomStringConvertible
            ? "\(error)" : "the flow has thrown \(error); it can throw FlowError.refused(…) to say what would be right"
    }

    /// The sentence for the sender of the event.
    @usableFromInline var sentence: String {
        switch self {
        case .transitionNotFound: "the event is not valid here"
        case .postpone: "the event cannot be postponed before it is decoded"
        case .refused(let sentence): sentence
        }
    }
}
