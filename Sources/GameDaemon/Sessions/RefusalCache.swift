// Refusals in words, made once for everybody who is refused for the same reason.

import GameFlow

/// Whoever sends what is not valid may do so a million times a second: what would be valid is found out anew each time, but the
/// sentence about it is written only if nobody has been told the same before.
final class RefusalCache {
    private struct Reason: Hashable {
        let flow: ObjectIdentifier
        let state: UInt32
        let event: UInt16
        let accepted: UInt64
    }

    private static let mostKept = 4_096
    private var known: [Reason: Refused] = [:]

    /// That the event is not valid where the machine is.
    func notValid(_ event: UInt16, _ refusal: TransitionNotFound, _ machine: AnyMachine) -> Refused {
        guard let accepted = machine.acceptedMask else { return Refused(event: refusal.event, .transitionNotFound(refusal)) }
        let reason = Reason(flow: ObjectIdentifier(machine.kind), state: machine.statePlace, event: event, accepted: accepted)
        if let refused = known[reason] { return refused }
        if known.count >= Self.mostKept { known = [:] }
        let refused = Refused(event: refusal.event, .transitionNotFound(refusal))
        known[reason] = refused
        return refused
    }
}
