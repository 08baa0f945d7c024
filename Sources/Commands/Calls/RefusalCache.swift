// A cache of refusals, so that a sentence is built once for all clients refused for the same reason.

import GameFlow
import RESP

/// A client may send invalid events a million times a second. The valid events are computed each time; the sentence about the refusal is only built
/// on a cache miss.
final class RefusalCache {
    /// A refusal as the history stores it, and as its sender gets it.
    final class Entry {
        let refused: Refused
        let detail: HistoryEntry.Detail
        let error: CommandError
        /// The events of the timers, if only timers lead on; nil otherwise. When they fire is told, too, and is no part of this.
        let timerEvents: [String]?
        fileprivate let reason: Reason

        fileprivate init(
            _ refused: Refused, _ sentence: String, _ reason: Reason, accepted: [String]?, timerEvents: [String]?
        ) {
            self.refused = refused
            self.timerEvents = timerEvents
            detail = HistoryEntry.Detail(refused: refused)
            self.reason = reason
            error = CommandError(encoded: refused.code, sentence, RefusedEventFacts(accepted: accepted, timer: nil))
        }
    }

    fileprivate struct Reason: Equatable {
        let flow: ObjectIdentifier
        let state: UInt32
        let event: UInt16
        let accepted: UInt64
        /// The sentence names only events that this source may send.
        let source: EventSource

        /// Direct-mapped: reasons with the same hash share a slot, and the latest wins.
        var slot: Int {
            let mixed =
                UInt64(state) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(event) &* 0xC2B2_AE3D_27D4_EB4F ^ accepted ^ UInt64(
                    source.rawValue) << 56
            return Int(truncatingIfNeeded: (mixed &* 0xD6E8_FEB8_6659_FD93) >> 54)
        }
    }

    private static let slotCount = 1_024
    private var known = [Entry?](repeating: nil, count: RefusalCache.slotCount)

    /// A flow has changed: another kind can have the address of one that is gone.
    func forget() { known = Array(repeating: nil, count: Self.slotCount) }

    /// The refusal of an event that is not valid in the machine's state; nil for a flow with too many events for a mask.
    func entry(
        refusing event: UInt16, _ refusal: InvalidTransition, _ machine: AnyMachine, from source: EventSource
    ) -> Entry? {
        guard machine.stateIndex != FlowKind.unnumberedState, let accepted = machine.acceptedForRefusal else { return nil }
        let reason = Reason(
            flow: ObjectIdentifier(machine.kind), state: machine.stateIndex, event: event, accepted: accepted, source: source)
        let slot = reason.slot
        if let found = known[slot], found.reason == reason { return found }
        guard refusal.isStillTrue else { return nil }
        let (kind, refused) = (machine.kind, machine.refused(refusal.event, .transitionNotFound(refusal)))
        let made = Entry(
            refused, kind.sentence(refused.facts, event: refused.event, in: machine.stateName, from: source), reason,
            accepted: kind.accepted(insteadOf: refused, from: source),
            timerEvents: kind.isOnlyForTimers(accepted) ? kind.names(of: accepted) : nil)
        known[slot] = made
        return made
    }
}
