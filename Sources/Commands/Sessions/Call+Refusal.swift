// A refused event: an entry in the session's history, and an error that says why.

import GameFlow
import RESP
import Sessions

extension Call {
    /// Records the refusal, and returns the error for the sender.
    func refusal(
        _ refusal: Refusal, of event: UInt16, in request: SendRequest, carrying payload: Payload?, by session: Session
    ) -> CommandError {
        let machine = session.machine
        if case .transitionNotFound(let what) = refusal,
            let known = host.refusals.entry(refusing: event, what, machine, from: source)
        {
            return self.refusal(known, of: event, in: request, carrying: payload, by: session)
        }
        let refused = machine.refused(machine.kind.eventNames[Int(event)], refusal)
        return self.refusal(refused, of: event, in: request, carrying: payload, by: session)
    }

    /// Records and returns a refusal with a sentence from the cache.
    private func refusal(
        _ known: RefusalCache.Entry, of event: UInt16, in request: SendRequest, carrying payload: Payload?, by session: Session
    ) -> CommandError {
        let (machine, move) = (session.machine, session.lastMove)
        let own = (payload?.kept ?? kept(request)).map { HistoryEntry.Detail(refused: known.refused, payload: $0) }
        session.record(own ?? known.detail, event: event, after: move, from: source, by: actor)
        guard move != nil || known.timerEvents != nil else { return known.error }
        // Only the sender gets the remaining times of timers.
        let timers = known.timerEvents.flatMap { machine.timersAhead($0) }
        let sentence = timers.map { "\(known.error.sentence): \($0)" } ?? known.error.sentence
        return error(known.refused, sentence, accepted: known.error.facts?.accepted, after: move)
    }

    /// A payload that is not passed is parsed again.
    func refusal(
        _ refused: Refused, of event: UInt16, in request: SendRequest, carrying payload: Payload? = nil, by session: Session
    ) -> CommandError {
        let (kind, state) = (session.machine.kind, session.machine.stateName)
        let move = refused.code == .noTransition ? session.lastMove : nil
        session.record(
            HistoryEntry.Detail(refused: refused, payload: payload?.kept ?? kept(request)), event: event, after: move,
            from: source, by: actor)
        let sentence = kind.sentence(refused.facts, event: refused.event, in: state, from: source)
        return error(refused, sentence, accepted: kind.accepted(insteadOf: refused, from: source), after: move)
    }

    private func kept(_ request: SendRequest) -> String? { request.payload.kept(atMost: host.limits.payloadBytes) }

    /// The sender may have lost a race against a timer: then it is told.
    private func error(
        _ refused: Refused, _ sentence: String, accepted: [String]?, after move: TimerMove?
    ) -> CommandError {
        let facts = RefusedEventFacts(accepted: accepted, timer: move?.timer)
        guard let move else { return CommandError(refused.facts, sentence, facts) }
        let ago = move.at.duration(to: host.timekeeper.now).milliseconds
        return CommandError(refused.code, "\(sentence); the timer '\(move.timer)' moved it here \(ago) ms ago", facts)
    }
}
