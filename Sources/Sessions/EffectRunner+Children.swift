// Child sessions: their creation and end, and the events that their parents get.

import GameFlow
import Texts

extension EffectRunner {
    /// Creates a child. If that fails, the parent gets the reason.
    func begin(_ id: String, _ flow: String, _ context: JSON, for parent: Session, _ reference: SessionReference) {
        // If creating a child crashes the daemon, each start would repeat it. The flight mark makes the next start quarantine the parent.
        let outer = parent.withMachine { host.flightRecorder?.enter(FlightMark(.work, of: $0)) }
        defer { if let outer { host.flightRecorder?.leave(outer) } }
        let (name, invocation) = (parent.name, Family.newInvocation())
        var isReported = true
        do throws(SessionError) {
            guard countMessage(from: parent, nil, to: id) else {
                // As many reports again: without an end, a parent that answers each with another beginning would never rest.
                isReported = queue.count(atMost: 2 * Self.maxMessages) == .below
                throw .tooManyMessages(from: name, to: id)
            }
            guard family.count(of: reference, excluding: id) < Family.maxChildren else { throw .tooManyChildren }
            let content = Message.Content.begin(flow: flow, context: context, invocation: invocation)
            try transmit(content, to: ChildName.make(id, below: name), from: name)
            family.addChild(id, invocation, to: reference)
        } catch {
            family.addFailure(of: id, by: reference)
            // A later effect of the same step may cancel the child.
            if isReported, !parent.machine.isReplacing(id, without: 1) { schedule(.failure(id: id, error), for: reference) }
        }
    }

    /// Notifies the parent that a child could not begin, unless it no longer wants one. Another child of this id, which still runs, stays its own.
    func reportFailure(of id: String, _ problem: SessionError, to parent: Session, _ reference: SessionReference) {
        guard !parent.machine.isReplacing(id) else { return }
        family.removeFailure(of: id, by: reference)
        var stage: ChildSession.Stage?
        if family.invocation(of: id, by: reference) == nil {
            family.removeChild(id, of: reference)
        } else {
            stage = parent.machine.children.first { $0.id == id }?.stage
        }
        deliver(Self.loss(of: id, problem, stage), to: parent)
    }

    /// Begins a child in this shard. Its parent may be in another one.
    func beginHere(
        _ name: String, _ flow: String, _ context: JSON, _ invocation: UInt64, of parent: String
    ) throws(SessionError) {
        guard depth(of: name, below: parent) <= Family.deepest else { throw .tooDeep(name) }
        let link = ParentLink(parent: parent, id: ChildName.id(of: name, below: parent), invocation: invocation)
        try host.beginChild(name, flow, context, link)
    }

    /// How many ancestors a child has. Of those above a parent in another shard, its name tells.
    private func depth(of child: String, below parent: String) -> Int {
        guard let session = find(parent, inShardOf: child) else { return child.count { $0 == "/" } }
        guard let link = family.link(of: host.reference(to: session.machine)), link.invocation != nil else { return 1 }
        return depth(of: parent, below: link.parent) + 1
    }

    /// The parent of a session, if it is in the same shard.
    func parent(of child: Session) -> Session? {
        family.link(of: host.reference(to: child.machine)).flatMap { find($0.parent, inShardOf: child.name) }
    }

    /// The parent has lost a child, which may be reinstated, was dropped, or never existed.
    private static func loss(of id: String, _ problem: SessionError, _ stage: ChildSession.Stage?) -> Notice {
        Notice(event: "error.invoke." + id, data: ["message": .string(problem.sentence)], problem: problem, child: (id, stage))
    }

    /// The parent, which is here, remembers the stage of its child.
    func setStage(_ stage: ChildSession.Stage?, ofChild id: String, in parent: AnyMachine) {
        parent.setStage(stage, ofChild: id)
        scheduleImageRecord(parent)
    }

    // MARK: Notifying parents

    /// Reports a child's outcome to its parent. This is never refused.
    func report(_ outcome: ChildUpdate.Outcome, of child: String, _ link: ParentLink) {
        try? transmit(.child(ChildUpdate(link.id, link.invocation, outcome)), to: link.parent, from: child)
    }

    /// Whether a report or an event is from the parent's current child. A child that the parent has dropped or replaced is not, even before that
    /// effect is performed: nothing of a cancelled invocation reaches the parent. A restored parent may not know its children: their events reach it.
    func isCurrent(_ id: String, _ invocation: UInt64?, of parent: Session, sending kind: ChildSignal) -> Bool {
        let machine = parent.machine
        guard !machine.isReplacing(id) else { return false }
        return family.isCurrent(invocation, id, of: host.reference(to: machine), sending: kind)
            ?? (kind == .event || machine.children.contains { $0.id == id })
    }

    /// Applies a child's report to its parent.
    func apply(_ update: ChildUpdate, to parent: Session) {
        guard isCurrent(update.id, update.invocation, of: parent, sending: .report) else { return }
        if let notice = notice(of: update, to: parent) { deliver(notice, to: parent) }
    }

    /// Returns the event that the parent gets; nil if it gets none.
    private func notice(of update: ChildUpdate, to parent: Session) -> Notice? {
        let (id, reference) = (update.id, host.reference(to: parent.machine))
        let child = parent.machine.children.first { $0.id == id }
        switch (update.outcome, knowsTheEnd: child?.stage == .done) {
        case (.done, true), (.setAside, true): return nil
        case (.done(let output), false):
            return Notice(event: "done.invoke." + id, data: output, problem: nil, child: (id, .done))
        case (.setAside(let sentence), false): return Self.loss(of: id, SessionError(.setAside, sentence), .lost)
        case (.lost(let code, let sentence), false):
            family.removeChild(id, of: reference)
            return Self.loss(of: id, SessionError(code, sentence), nil)
        case (.lost, true), (.forgotten, _):
            family.removeChild(id, of: reference)
            setStage(nil, ofChild: id, in: parent.machine)
            return nil
        case (.restored, _):
            if child?.stage == .lost { setStage(.runs, ofChild: id, in: parent.machine) }
            if let child { relink(id, child.stage == .lost ? .runs : child.stage, to: parent, reference) }
            return nil
        }
    }

    /// Something has happened to a child: it may be done now.
    func scheduleCompletionCheck(of child: SessionReference) {
        if family.link(of: child)?.isDone == false { schedule(.checkCompletion, for: child) }
    }

    func reportIfFinal(_ child: Session, _ reference: SessionReference) {
        guard child.machine.isFinal, let link = family.link(of: reference), family.markDone(reference) else { return }
        report(.done(output: child.machine.outputHere), of: child.name, link)
    }

    // MARK: The end

    /// Drops a child, for its parent. One that could not begin may have the name of another session.
    func drop(_ id: String, of parent: Session, _ reference: SessionReference) {
        let name = parent.name
        let child = ChildName.make(id, below: name)
        if family.removeFailure(of: id, by: reference), find(child, inShardOf: name) != nil { return }
        family.removeDroppedChild(id, of: reference, isRemote: isRemote(child, from: name))
        dropChild(id, of: name)
    }

    /// Drops a child that its parent, which may be gone, no longer has. This is never refused.
    func dropChild(_ id: String, of parent: String) {
        try? transmit(.drop, to: ChildName.make(id, below: parent), from: parent)
    }

    /// Drops a session for its parent, which is not notified. A session that has another parent by now stays.
    func dropHere(_ name: String, by parent: String) {
        guard let child = host.find(name) else { return host.dropSetAside(name, by: parent) }
        let reference = host.reference(to: child.machine)
        // The parent of a restored session may be unknown here; a parent in another shard is always known.
        guard family.link(of: reference).map({ $0.parent == parent }) ?? !isRemote(parent, from: name) else { return }
        family.unlink(reference)
        host.drop(child, by: parent)
    }

    /// A session was dropped: so are its children, and its parent is notified.
    func handleDrop(of session: SessionReference, _ name: String, because problem: SessionError) {
        dropChildren(of: session, name)
        guard let link = family.unlink(session) else { return }
        report(link.isDone ? .forgotten : .lost(problem.code, sentence: problem.sentence), of: name, link)
    }

    func dropChildren(of session: SessionReference, _ name: String) {
        for child in family.removeChildren(of: session) { dropChild(child, of: name) }
    }

    /// A session that was set aside is dropped. Its parent, which got `error.invoke` already, no longer has such a child.
    func handleDrop(ofSetAside name: String) {
        if let (parent, id) = ChildName.split(name) {
            report(.forgotten, of: name, ParentLink(parent: parent, id: id, invocation: nil))
        }
    }

    /// The session is set aside while others continue: its parent is notified, and its children stay until it is reinstated.
    func detach(_ session: SessionReference, _ name: String, because sentence: String) {
        family.removeChildren(of: session)
        // Of one that is done the parent knows already.
        if let link = family.unlink(session), !link.isDone { report(.setAside(sentence: sentence), of: name, link) }
    }

    /// Removes the links of a session after its shard moved to another node. Sends no events.
    func evict(_ session: SessionReference) {
        guard !family.isEmpty else { return }
        family.unlink(session)
        family.removeChildren(of: session)
    }
}

extension AnyMachine {
    /// Whether the drop or the beginning of this child is still an effect; `skipped` of the next effects do not count.
    fileprivate func isReplacing(_ id: String, without skipped: Int = 0) -> Bool {
        outbox?.contains(without: skipped) { effect in
            switch effect {
            case .begin(id, _, _), .drop(id): true
            case .begin, .drop, .send: false
            }
        } ?? false
    }

    /// Whether the beginning of this child is still an effect.
    func isToBegin(_ id: String) -> Bool {
        outbox?.contains { if case .begin(id, _, _) = $0 { true } else { false } } ?? false
    }

    /// The session's output, or else its data without timers.
    fileprivate var outputHere: JSON { output ?? (try? shownData())?.withoutTimers ?? .null }

    /// Its children, and those of states that it has left, which are not dropped yet.
    var allChildren: [ChildSession] {
        children + (outbox?.effects ?? []).compactMap { if case .drop(let id) = $0 { ChildSession(id, .done) } else { nil } }
    }
}

extension SessionError {
    static func tooDeep(_ name: String) -> SessionError {
        SessionError(
            .limit, "'\(name.shortened)' would be \(Family.deepest + 1) sessions deep, and \(Family.deepest) are allowed")
    }

    fileprivate static func tooManyMessages(from parent: String, to id: String) -> SessionError {
        SessionError(.limit, EventLimit.messages(EffectRunner.maxMessages, from: parent, to: id).sentence)
    }

    fileprivate static var tooManyChildren: SessionError {
        SessionError(.limit, "a session has \(Family.maxChildren) children at most")
    }
}
