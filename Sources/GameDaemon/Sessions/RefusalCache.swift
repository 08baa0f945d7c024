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
    private var known: [Reason: Detail] = [:]

    /// That the event is not valid where the machine is.
    func notValid(_ event: UInt16, _ refusal: TransitionNotFound, _ machine: AnyMachine) -> Detail {
        guard let accepted = machine.acceptedMask else { return Self.inWords(refusal) }
        let reason = Reason(flow: ObjectIdentifier(machine.kind), state: machine.statePlace, event: event, accepted: accepted)
        if let detail = known[reason] { return detail }
        if known.count >= Self.mostKept { known = [:] }
        let detail = Self.inWords(refusal)
        known[reason] = detail
        return detail
    }

    private static func inWords(_ refusal: TransitionNotFound) -> Detail {
        Detail(refused: Refused(event: refusal.event, .transitionNotFound(refusal)))
    }
}
