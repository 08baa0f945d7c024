// A refused event: a line in the session's history, and a reply that says why.

import GameFlow
import RESP
import Sessions
import Timers

extension Call {
    /// An event's payload. Invalid JSON is refused like any payload that the event cannot have.
    func eventPayload(_ index: Int) throws(Refusal) -> Payload? {
        guard hasPayload(index) else { return nil }
        do throws(CommandError) {
            return try payload(index)
        } catch {
            throw isTooLong(index) ? .tooMany(sentence(of: error)) : .badEvent(error.sentence)
        }
    }

    /// Where SEND has its payload.
    static var payloadIndex: Int { 3 }

    /// Options are pairs of words, so that an odd number of words has no payload.
    private func hasPayload(_ index: Int) -> Bool { index < count && count & 1 == 0 }

    private func isTooLong(_ index: Int) -> Bool { arguments[index].count > host.limits.payloadBytes }

    /// The payload as the history keeps it: raw if it is not JSON, nothing if it is too long.
    private func kept(_ index: Int) -> String? {
        guard hasPayload(index), !isTooLong(index) else { return nil }
        do throws(CommandError) {
            return try payload(index)?.kept
        } catch {
            let beginning = UnsafeRawBufferPointer(rebasing: arguments[index].bytes.prefix(JSON.mostKept + 4))
            return JSON.kept(Argument(beginning).repairedText)
        }
    }

    /// `+state`.
    func appendState(of machine: AnyMachine) {
        if let text = machine.kind.stateText(at: machine.statePlace) {
            reply.append(simple: text)
        } else {
            reply.append(simple: machine.stateName)
        }
    }

    /// Writes the history line and the reply.
    func refuse(_ session: Session, _ refusal: Refusal, event: UInt16, carrying payload: Payload?) {
        let machine = session.machine
        if case .transitionNotFound(let what) = refusal, let known = host.refusals.notValid(event, what, machine, from: source)
        {
            return refuse(session, machine, known, event: event, carrying: payload)
        }
        let refused = machine.refused(machine.kind.eventNames[Int(event)], refusal, from: source)
        refuse(session, refused, event: event, carrying: payload)
    }

    /// One whose sentence is known already.
    private func refuse(
        _ session: Session, _ machine: AnyMachine, _ known: RefusalCache.Known, event: UInt16, carrying payload: Payload?
    ) {
        let move = session.lastMove
        let own = (payload?.kept ?? kept(Self.payloadIndex)).map { HistoryEntry.Detail(refused: known.refused, payload: $0) }
        session.note(own ?? known.detail, event: event, from: source, by: actor)
        guard move != nil || known.timersLeadOn else { return reply.append(known.reply) }
        // When timers lead on is told only to the sender.
        let timers = known.timersLeadOn ? machine.acceptedMask.flatMap { machine.timersAhead(machine.kind.names(of: $0)) } : nil
        append(known.refused, timers.map { "\(known.refused.sentence): \($0)" } ?? known.refused.sentence, after: move)
    }

    /// A payload that is not passed is parsed again.
    func refuse(_ session: Session, _ refused: Refused, event: UInt16, carrying payload: Payload? = nil) {
        let move = refused.code == .noTransition ? session.lastMove : nil
        session.note(
            HistoryEntry.Detail(refused: refused, payload: payload?.kept ?? kept(Self.payloadIndex)), event: event,
            from: source, by: actor)
        append(refused, refused.sentence, after: move)
    }

    /// The sender may have lost a race against a timer: then it is told.
    private func append(_ refused: Refused, _ sentence: String, after move: (timer: String, at: Instant)?) {
        guard let move else { return reply.append(error: refused.code, sentence) }
        let ago = move.at.duration(to: host.timekeeper.now).milliseconds
        reply.append(error: refused.code, "\(sentence); the timer '\(move.timer)' moved it here \(ago) ms ago")
    }
}
