// Refusals in words, made once for everybody who is refused for the same reason.

import GameFlow
import RESP

/// Whoever sends what is not valid may do so a million times a second: what would be valid is found out anew each time, but the
/// sentence about it is written only if nobody has been told the same just before.
final class RefusalCache {
    /// A refusal as the history keeps it, and as it goes over the wire.
    final class Known {
        let refused: Refused
        let detail: Detail
        let reply: EncodedReply
        fileprivate let reason: Reason

        fileprivate init(_ refused: Refused, _ reason: Reason) {
            self.refused = refused
            detail = Detail(refused: refused)
            self.reason = reason
            reply = EncodedReply(error: refused.code, refused.sentence)
        }
    }

    fileprivate struct Reason: Equatable {
        let flow: ObjectIdentifier
        let state: UInt32
        let event: UInt16
        let accepted: UInt64

        /// Reasons with the same number share a place, and the latest has it.
        var place: Int {
            let mixed = UInt64(state) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(event) &* 0xC2B2_AE3D_27D4_EB4F ^ accepted
            return Int(truncatingIfNeeded: (mixed &* 0xD6E8_FEB8_6659_FD93) >> 54)
        }
    }

    private static let places = 1_024
    @exclusivity(unchecked) private var known = [Known?](repeating: nil, count: RefusalCache.places)

    /// That the event is not valid where the machine is; nil where what would be valid is too much to compare.
    func notValid(_ event: UInt16, _ refusal: TransitionNotFound, _ machine: AnyMachine) -> Known? {
        guard let accepted = machine.acceptedMask else { return nil }
        let reason = Reason(flow: ObjectIdentifier(machine.kind), state: machine.statePlace, event: event, accepted: accepted)
        let place = reason.place
        if let found = known[place], found.reason == reason { return found }
        let made = Known(Refused(event: refusal.event, .transitionNotFound(refusal)), reason)
        known[place] = made
        return made
    }
}
