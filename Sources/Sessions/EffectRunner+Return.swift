// Children and parents find each other after a restart, and after one of them was set aside.

import GameFlow

extension EffectRunner {
    /// Registers a restored session. Any session can be a child; only sessions of flows with effects can have children.
    func registerReturned(_ session: Session) {
        let (machine, kind) = (session.machine, session.machine.kind)
        let mayHaveRemoteParent = mail != nil && session.withName { $0.contains(UInt8(ascii: "/")) }
        guard kind.hasEffects || kind.mayHaveEffects && machine.outbox != nil || mayHaveRemoteParent else { return }
        expectFamily(of: machine)
    }

    /// A restored session may have a parent and children. The children in its state are its own even before they are linked.
    func expectFamily(of machine: AnyMachine) {
        let reference = host.reference(to: machine)
        family.returned.append(reference)
        for child in machine.allChildren { family.addChild(child.id, nil, to: reference) }
    }

    /// Links at most `count` of the restored sessions to their children and parents.
    func relinkReturned(atMost count: Int) {
        let returned = family.returned.suffix(count)
        family.returned.removeLast(returned.count)
        for reference in returned {
            guard let session = host.session(reference) else { continue }
            for child in session.machine.allChildren { relink(child, to: session, reference) }
            relinkToParent(session, reference)
        }
    }

    /// Links a child of unknown number. If there is no such session, not even one set aside, the child is missing, unless its beginning is still
    /// an effect.
    private func relink(_ child: ChildSession, to parent: Session, _ reference: SessionReference) {
        guard family.invocation(of: child.id, by: reference) == nil else { return }
        let name = ChildName.make(child.id, below: parent.name)
        let mayBeMissing = child.mayBeMissing && !parent.machine.isToBegin(child.id)
        if isRemote(name, from: parent.name) {
            if mayBeMissing { relinkRemote(child, name, to: parent, reference) }
            return
        }
        if let session = host.find(name) { return link(session, child, to: parent) }
        if host.setAsideError(name) == nil { family.removeChild(child.id, of: reference) }
        if mayBeMissing { schedule(.missing(child: child.id), for: reference) }
    }

    /// Gives the child's beginning a new number: an earlier report that still arrives is ignored, since the child reports again.
    private func relinkRemote(_ child: ChildSession, _ name: String, to parent: Session, _ reference: SessionReference) {
        let invocation = Family.newInvocation()
        family.addChild(child.id, invocation, to: reference)
        try? transmit(.relink(invocation: invocation, missesEnd: child.stage == .runs), to: name, from: parent.name)
    }

    /// Links a session to its parent in another shard, and reports its outcome if it has one.
    func relinkHere(_ name: String, _ invocation: UInt64, missesEnd: Bool, to parent: String) {
        var link = ParentLink(parent: parent, id: ChildName.id(of: name, below: parent), invocation: invocation)
        guard let session = host.find(name) else { return report(absence(of: name), of: name, link) }
        let reference = host.reference(to: session.machine)
        link.isDone = session.machine.isFinal && !missesEnd
        family.add(reference, link)
        host.didBecomeChild(reference)
        reportIfFinal(session, reference)
    }

    private func absence(of name: String) -> ChildUpdate.Outcome {
        if let error = host.setAsideError(name) { return .setAside(sentence: error.sentence) }
        let error = SessionError.noLonger(name)
        return .lost(error.code, sentence: error.sentence)
    }

    /// Links a session that is restored after its parent. Whether a parent in another shard has such a child is not known.
    private func relinkToParent(_ session: Session, _ reference: SessionReference) {
        let name = session.name
        guard family.link(of: reference) == nil, let (parentName, id) = ChildName.split(name) else { return }
        if isRemote(parentName, from: name) {
            // A child that is final has notified its parent already.
            let isDone = session.machine.isFinal
            family.add(reference, ParentLink(parent: parentName, id: id, invocation: nil, isDone: isDone))
        } else if let parent = host.find(parentName), let child = parent.machine.children.first(where: { $0.id == id }) {
            link(session, child, to: parent)
        }
    }

    /// Links a child and its parent, which are both here. A child that became final while its parent was away reports it now.
    private func link(_ session: Session, _ child: ChildSession, to parent: Session) {
        let (own, isFinal) = (host.reference(to: session.machine), session.machine.isFinal)
        let (isDone, invocation) = (child.stage.map { $0 == .done } ?? isFinal, Family.newInvocation())
        family.add(own, ParentLink(parent: parent.name, id: child.id, invocation: invocation, isDone: isDone))
        family.addChild(child.id, invocation, to: host.reference(to: parent.machine))
        host.didBecomeChild(own)
        if child.stage == .lost { setStage(.runs, ofChild: child.id, in: parent.machine) }
        if !isDone, isFinal { scheduleCompletionCheck(of: own) }
    }

    func missing(_ id: String, of parent: Session) -> Notice {
        let name = ChildName.make(id, below: parent.name)
        return Self.loss(of: id, host.setAsideError(name) ?? .noLonger(name), .lost)
    }
}

extension ChildSession {
    /// Whether its parent has no report of its end, as far as it keeps that.
    fileprivate var mayBeMissing: Bool {
        switch stage {
        case .runs, nil: true
        case .done, .lost: false
        }
    }
}

extension AnyMachine {
    /// Whether the beginning of this child is still an effect.
    fileprivate func isToBegin(_ id: String) -> Bool {
        outbox?.effects.contains { if case .begin(id, _, _) = $0 { true } else { false } } ?? false
    }
}

extension SessionError {
    fileprivate static func noLonger(_ name: String) -> SessionError {
        SessionError(.noSession, "'\(name.shortened)' no longer exists")
    }
}
