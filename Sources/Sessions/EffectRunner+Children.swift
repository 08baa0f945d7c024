// Child sessions: their creation and end, and the events that their parents get.

import GameFlow
import Texts

extension EffectRunner {
    /// Creates a child. If that fails, the parent gets the reason.
    func begin(_ id: String, _ flow: String, _ context: JSON, for parent: Session, _ reference: SessionReference) {
        let (parentName, name) = (parent.name, ChildName.make(id, below: parent.name))
        // If creating a child crashes the daemon, each start would repeat it. The flight mark makes the next start quarantine the parent.
        let outer = parent.withMachine { host.flightRecorder?.enter(FlightMark(.work, of: $0)) }
        defer { if let outer { host.flightRecorder?.leave(outer) } }
        do throws(SessionError) {
            if isApart(name, from: parentName) {
                guard parent.machine.children.count <= Family.maxChildren else { throw .tooManyChildren }
                if let refusal = mail?.refusal(to: name) { throw refusal }
                let invocation = family.invoke(id, by: reference)
                post(.begin(flow: flow, context: context, invocation: invocation), to: name, from: parentName)
            } else {
                guard family.depth(of: reference) < Family.deepest else { throw .tooDeep(name) }
                guard family.count(of: reference) < Family.maxChildren else { throw .tooManyChildren }
                try host.beginChild(name, flow, context, of: parentName, ParentLink(parent: .here(reference), id: id))
            }
        } catch {
            schedule(.deliver(Self.loss(of: id, error, nil)), for: reference)
        }
    }

    /// The parent has lost a child, which may be reinstated, was dropped, or never existed.
    static func loss(of id: String, _ problem: SessionError, _ stage: ChildSession.Stage?) -> Notice {
        Notice(event: "error.invoke." + id, data: ["message": .string(problem.sentence)], problem: problem, child: (id, stage))
    }

    /// The parent, which is here, remembers the stage of its child.
    func setStage(_ stage: ChildSession.Stage?, ofChild id: String, in parent: AnyMachine) {
        parent.setStage(stage, ofChild: id)
        scheduleImageRecord(parent)
    }

    // MARK: Notifying parents

    /// Reports a child's outcome to its parent, in this shard or another.
    func report(_ outcome: ChildUpdate.Outcome, of child: String, _ link: ParentLink) {
        switch link.parent {
        case .apart(let name, let invocation): post(.child(ChildUpdate(link.id, invocation, outcome)), to: name, from: child)
        case .here(let reference):
            guard let parent = host.session(reference) else { return }
            if let notice = Self.notice(of: outcome, link.id) {
                schedule(.deliver(notice), for: reference)
            } else {
                setStage(nil, ofChild: link.id, in: parent.machine)
            }
        }
    }

    /// Nil where the parent only forgets the child.
    static func notice(of outcome: ChildUpdate.Outcome, _ id: String) -> Notice? {
        switch outcome {
        case .forgotten: nil
        case .done(let output): Notice(event: "done.invoke." + id, data: output, problem: nil, child: (id, .done))
        case .lost(let code, let sentence): loss(of: id, SessionError(code, sentence), nil)
        case .setAside(let sentence): loss(of: id, SessionError(.setAside, sentence), .lost)
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

    /// Drops a child, for its parent.
    func drop(_ id: String, of parent: Session, _ reference: SessionReference) {
        family.forgetInvocation(id, by: reference)
        if let child = family.child(id, of: reference) { drop(child, by: parent.name) } else { dropChild(id, of: parent.name) }
    }

    private func drop(_ child: SessionReference, by parent: String) {
        _ = family.unlink(child)
        if let session = host.session(child) { host.drop(session, by: parent) }
    }

    /// Drops a child of a session that is gone, in this shard or another. A child that has another parent by now stays.
    func dropChild(_ id: String, of parent: String) {
        let name = ChildName.make(id, below: parent)
        if isApart(name, from: parent) { post(.drop, to: name, from: parent) } else { dropHere(name, by: parent) }
    }

    /// The parent, which no longer has the child, is not notified.
    func dropHere(_ name: String, by parent: String) {
        guard let child = host.find(name)?.machine else { return host.dropSetAside(name, by: parent) }
        let reference = host.reference(to: child)
        if family.parent(of: reference) == nil { drop(reference, by: parent) }
    }

    /// A session was dropped: so are its children, and its parent is notified. `lost` are children that are not here.
    func handleDrop(of session: SessionReference, _ name: String, because problem: SessionError, lost: [String]) {
        dropChildren(of: session, name, lost: lost)
        guard let link = family.unlink(session) else { return }
        report(link.isDone ? .forgotten : .lost(problem.code, sentence: problem.sentence), of: name, link)
    }

    func dropChildren(of session: SessionReference, _ name: String, lost: [String]) {
        for child in family.unlinkChildren(of: session) { drop(child, by: name) }
        for child in lost { dropChild(child, of: name) }
    }

    /// A session that was set aside is dropped. Its parent, which got `error.invoke` already, no longer has such a child.
    func handleDrop(ofSetAside name: String) {
        if let (parent, child) = parent(ofChildNamed: name) {
            report(.forgotten, of: name, ParentLink(parent: parent, id: child.id))
        }
    }

    /// The session is set aside while others continue: its parent is notified, and its children stay until it is reinstated.
    func detach(_ session: SessionReference, _ name: String, because sentence: String) {
        _ = family.unlinkChildren(of: session)
        // Of one that is done the parent knows already.
        if let link = family.unlink(session), !link.isDone { report(.setAside(sentence: sentence), of: name, link) }
    }

    /// Removes the links of a session after its shard moved to another node. Sends no events.
    func evict(_ session: SessionReference) {
        guard !family.isEmpty else { return }
        _ = family.unlink(session)
        _ = family.unlinkChildren(of: session)
    }
}

extension AnyMachine {
    /// The session's output, or else its data without timers.
    fileprivate var outputHere: JSON { output ?? (try? shownData())?.withoutTimers ?? .null }

    /// Children of states that it has left, and that are not dropped yet.
    var childrenToDrop: [ChildSession] {
        (outbox?.effects ?? []).compactMap { if case .drop(let id) = $0 { ChildSession(id, .done) } else { nil } }
    }
}

extension SessionError {
    static func tooDeep(_ name: String) -> SessionError {
        SessionError(
            .limit, "'\(name.shortened)' would be \(Family.deepest + 1) sessions deep, and \(Family.deepest) are allowed")
    }

    fileprivate static var tooManyChildren: SessionError {
        SessionError(.limit, "a session has \(Family.maxChildren) children at most")
    }
}
