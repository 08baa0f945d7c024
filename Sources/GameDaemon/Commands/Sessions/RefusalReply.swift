// What a refusal is to the client whose event was refused.

import GameFlow
import Timers

extension Command {
    /// A payload that is no JSON is refused as an event is: with a line in the session's history.
    static func refusing(_ read: () throws(CommandError) -> JSON?) throws(Refusal) -> JSON? {
        do throws(CommandError) { return try read() } catch { throw .badEvent(error.sentence) }
    }

    /// The refusal for the wire. Whoever has lost a race against a timer is told so.
    static func refusal(_ refusal: Refusal, _ session: Session) -> CommandError {
        switch refusal {
        case .transitionNotFound:
            guard let move = session.history.lastMove, session.machine.since == move.at else {
                return CommandError("NOTRANSITION", refusal.description)
            }
            let ago = move.at.duration(to: session.machine.timekeeper.now).milliseconds
            return CommandError("NOTRANSITION", "\(refusal); the timer '\(move.timer)' moved it here \(ago) ms ago")
        case .badEvent, .notAllowed: return CommandError("BADEVENT", refusal.description)
        case .vetoed: return CommandError("VETOED", refusal.description)
        case .tooMany: return CommandError("LIMIT", refusal.description)
        }
    }
}
