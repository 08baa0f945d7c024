// The kind of a refusal, without its error message.

import GameFlow

extension Refusal {
    enum Kind {
        case transitionNotFound, badEvent, notAllowed, vetoed, tooMany, withdrawn
    }

    var kind: Kind {
        switch self {
        case .transitionNotFound: .transitionNotFound
        case .badEvent, .badPayload, .unknownEvent: .badEvent
        case .notAllowed: .notAllowed
        case .vetoed: .vetoed
        case .tooMany: .tooMany
        case .withdrawn: .withdrawn
        }
    }
}
