// Does what sessions' steps have asked for, one thing after the other: no machine is called from within another one's step.

import GameFlow

/// The sessions, as far as their effects need them.
protocol EffectHost: AnyObject {
    /// Whether effects are running. Steps do not reset the zero-timer guard then.
    var isRunningEffects: Bool { get set }
    /// Whether what happens is recorded.
    var isRecording: Bool { get }
    var flightRecorder: FlightRecorder? { get }
    /// Whether another effect may still be performed in this turn.
    var hasEffectBudget: Bool { get }

    func find(_ name: String) -> Session?
    /// Nil once it is gone.
    func session(_ reference: SessionReference) -> Session?
    func reference(to machine: AnyMachine) -> SessionReference
    /// Why the session of that name is set aside; nil if it is not.
    func setAsideError(_ name: String) -> SessionError?
    func actor(named name: String) -> ActorNumber

    func beginChild(_ name: String, _ flow: String, _ context: JSON, _ link: ParentLink) throws(SessionError)
    /// The session is a child from now on, and lives as long as its parent does.
    func didBecomeChild(_ session: SessionReference)
    func drop(_ session: Session, by parent: String)
    func dropSetAside(_ name: String, by parent: String)
    /// Records a session as it is now.
    func recordImage(of machine: AnyMachine)

    /// Called before a session gets an event from another.
    func sessionWillReceive(_ machine: AnyMachine)
    func messagesDidStop(_ sentence: String)
}

/// Runs the effects of steps: events for other sessions, and the beginning and end of children. All are messages, which `transmit` applies here or
/// posts to another shard.
final class EffectRunner {
    /// Messages that one step may lead to, over all sessions, before the runner treats them as a loop.
    static let maxMessages = 4_096

    /// Nil before `attach`, and once the sessions are freed: `run` does nothing then.
    private unowned var attached: (any EffectHost)?
    var host: any EffectHost {
        guard let attached else { preconditionFailure("effects are performed for sessions") }
        return attached
    }
    /// Brings messages to sessions in other shards; nil if there is one shard.
    weak var mail: (any MailTransport)?
    var counts = MessageCounts()
    @exclusivity(unchecked) var family = Family()
    var queue = EffectQueue()
    /// It retains the runner, for `followUp`.
    unowned let timekeeper: Timekeeper
    /// Whether a session is being notified of another.
    private(set) var isDeliveringNotice = false
    /// Sessions that are recorded once the effects have been performed; the same in the order in which they have changed.
    private var changed: Set<SessionReference> = []
    private var changedInOrder: [SessionReference] = []

    init(on timekeeper: Timekeeper) { self.timekeeper = timekeeper }

    func attach(to host: (any EffectHost)?) { attached = host }

    // MARK: The queue

    func schedule(_ job: EffectQueue.Job, for session: SessionReference) {
        queue.add(job, for: session)
        timekeeper.needsFollowUp = true
    }

    /// The session's steps have asked for so much in all.
    func scheduleEffects(_ count: Int, of session: SessionReference) {
        queue.addEffects(count, of: session)
        timekeeper.needsFollowUp = true
    }

    /// Runs the queued jobs within the turn's time budget. Once it is used up, only unsaved jobs run; the others are saved with their sessions and
    /// run in a later turn.
    func run() {
        guard let host = attached, !host.isRunningEffects else { return }
        host.isRunningEffects = true
        while let entry = queue.begin(onlyUnsaved: !host.hasEffectBudget) {
            run(entry)
            queue.end()
        }
        host.isRunningEffects = false
        timekeeper.needsFollowUp = !queue.isEmpty
        recordChangedImages(host)
    }

    private func run(_ entry: EffectQueue.Entry) {
        guard let session = host.session(entry.session) else { return }
        switch entry.job {
        case .effect: performEffect(of: session, entry.session)
        case .checkCompletion: reportIfFinal(session, entry.session)
        case .deliver(let notice): deliver(notice, to: session)
        case .report(let update): apply(update, to: session)
        case .failure(let id, let problem): reportFailure(of: id, problem, to: session, entry.session)
        }
    }

    /// The first of the session's effects. It is performed together with being struck off: both are in one batch.
    private func performEffect(of session: Session, _ reference: SessionReference) {
        guard let effect = session.machine.outbox?.nextEffect else { return }
        switch effect {
        case .send(let event, let data, let name):
            if countMessage(from: session, event, to: name) { send(event, data, to: name, for: session, reference) }
        case .begin(let child, let flow, let context):
            // Creating or dropping a session takes as long as many messages.
            timekeeper.mayHaveTakenLong = true
            begin(child, flow, context, for: session, reference)
        case .drop(let child):
            timekeeper.mayHaveTakenLong = true
            drop(child, of: session, reference)
        }
        // It may have been forced or dropped meanwhile.
        guard let machine = host.session(reference)?.machine, let outgoing = machine.outbox, outgoing.nextEffect == effect
        else { return }
        outgoing.completeEffect()
        scheduleImageRecord(machine)
    }

    /// The session, which is here, is recorded once for all that is done now: that is one batch, and so each effect in it is performed once,
    /// too.
    func scheduleImageRecord(_ machine: AnyMachine) {
        let host = host
        guard host.isRecording else { return }
        guard host.isRunningEffects else { return host.recordImage(of: machine) }
        let reference = host.reference(to: machine)
        if changed.insert(reference).inserted { changedInOrder.append(reference) }
    }

    private func recordChangedImages(_ host: any EffectHost) {
        guard !changedInOrder.isEmpty else { return }
        for reference in changedInOrder { host.session(reference)?.withMachine { host.recordImage(of: $0) } }
        changed.removeAll(keepingCapacity: true)
        changedInOrder.removeAll(keepingCapacity: true)
    }

    // MARK: Notices

    /// An event about another session. Where the session does not take it, its history has what there is to know.
    func deliver(_ notice: Notice, to session: Session) {
        isDeliveringNotice = true
        defer { isDeliveringNotice = false }
        let (machine, payload, actor) = (session.machine, Payload(notice.data), actor(of: notice, to: session))
        if let child = notice.child { setStage(child.stage, ofChild: child.id, in: machine) }
        do throws(Refusal) {
            try machine.send(named: notice.event, payload: payload, from: .orchestrator, by: actor)
        } catch {
            let problem = notice.problem.map { Refused(event: notice.event, code: $0.code, .message($0.sentence)) }
            session.record(
                problem ?? machine.refused(notice.event, error), carrying: payload, from: .orchestrator, by: actor)
        }
    }

    /// The child that the notice is about. The daemon reports an undelivered event.
    private func actor(of notice: Notice, to session: Session) -> ActorNumber {
        notice.child.map { host.actor(named: ChildName.make($0.id, below: session.name)) } ?? .daemon
    }

    // MARK: The limit

    /// Returns false if the effects of one step have reached the limit of messages: it is probably a loop, in which time would never pass.
    func countMessage(from sender: Session, _ event: String?, to name: String) -> Bool {
        switch queue.count(atMost: Self.maxMessages) {
        case .below: return true
        case .reached: breakLoop(sender, event, to: name)
        case .exceeded: break
        }
        counts.failed += 1
        return false
    }

    private func breakLoop(_ sender: Session, _ event: String?, to name: String) {
        let limit = EventLimit.messages(Self.maxMessages, from: sender.name, to: name)
        sender.record(
            HistoryEntry.Detail(refused: Refused(event: event ?? "", .overLimit(limit))),
            event: event.flatMap { sender.machine.kind.index(ofEvent: $0) }.map(UInt16.init) ?? HistoryEntry.Cause.none,
            after: nil, from: .orchestrator)
        host.messagesDidStop(limit.sentence)
    }
}

/// Events that sessions have sent each other, since the start.
package struct MessageCounts {
    package var sent = 0
    /// There was no such session, or no such event, or there were too many.
    package var failed = 0
}
