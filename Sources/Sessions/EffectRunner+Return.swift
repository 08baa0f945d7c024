// Children and parents find each other after a restart, and after one of them was set aside: the parent asks, and the child links itself and answers
// with what its parent has missed. In one shard and between two, these are the same messages.

import GameFlow

extension EffectRunner {
    /// Registers a restored session. Any session can be a child; only sessions of flows with effects can have children. The children in its
    /// state are its own even before they are linked.
    func registerReturned(_ session: Session) {
        let (machine, reference) = (session.machine, host.reference(to: session.machine))
        if mail != nil, session.withName({ $0.contains(UInt8(ascii: "/")) }) { linkToRemoteParent(session, reference) }
        // Most sessions cannot have children, and a start restores them all.
        guard machine.kind.mayHaveEffects else { return }
        let children = machine.allChildren
        guard !children.isEmpty else { return }
        family.returned.append(reference)
        for child in children { family.expectChild(child.id, of: reference) }
    }

    /// A session has returned alone, while others continued: its parent asks it, and its children will be asked.
    func handleReturn(of session: Session) {
        registerReturned(session)
        guard let (parent, id) = ChildName.split(session.name) else { return }
        report(.restored, of: session.name, ParentLink(parent: parent, id: id, invocation: nil))
    }

    /// Has at most `count` of the restored sessions ask their children.
    func relinkReturned(atMost count: Int) {
        let returned = family.returned.suffix(count)
        family.returned.removeLast(returned.count)
        for reference in returned {
            guard let session = host.session(reference) else { continue }
            for child in session.machine.children where family.invocation(of: child.id, by: reference) == nil {
                relink(child.id, child.stage, to: session, reference)
            }
        }
    }

    /// Asks a child to link itself, unless its beginning is still an effect. The number of its beginning is a new one: an earlier report that
    /// still arrives is ignored, since the child reports again.
    func relink(_ id: String, _ stage: ChildSession.Stage?, to parent: Session, _ reference: SessionReference) {
        guard !parent.machine.isToBegin(id) else { return }
        let (name, invocation) = (parent.name, Family.newInvocation())
        family.addChild(id, invocation, isRelinked: true, to: reference)
        try? transmit(.relink(invocation: invocation, stage: stage), to: ChildName.make(id, below: name), from: name)
    }

    /// Links a session, which is here, to its parent, and reports what its parent has missed. The parent knows this stage.
    func relinkHere(_ name: String, _ invocation: UInt64, _ stage: ChildSession.Stage?, to parent: String) {
        var link = ParentLink(parent: parent, id: ChildName.id(of: name, below: parent), invocation: invocation)
        guard let session = host.find(name) else {
            if let outcome = absence(of: name, stage) { report(outcome, of: name, link) }
            return
        }
        // The parent asks again, without that stage.
        if stage == .lost { return report(.restored, of: name, link) }
        let reference = host.reference(to: session.machine)
        link.isDone = stage == .done || stage == nil && session.machine.isFinal
        family.add(reference, link)
        host.didBecomeChild(reference)
        reportIfFinal(session, reference)
    }

    /// The report that the parent of an absent session has missed; nil if it has missed none.
    private func absence(of name: String, _ stage: ChildSession.Stage?) -> ChildUpdate.Outcome? {
        let problem = host.setAsideError(name)
        switch stage {
        case .done, .lost: return problem == nil ? .forgotten : nil
        case .runs, nil:
            if let problem { return .setAside(sentence: problem.sentence) }
            return .lost(.noSession, sentence: "'\(name.shortened)' no longer exists")
        }
    }

    /// A shard that has moved may have many sessions with the name of a child of another shard. Without a question, whether their parents have
    /// such children is not known.
    private func linkToRemoteParent(_ session: Session, _ reference: SessionReference) {
        let name = session.name
        guard let (parent, id) = ChildName.split(name), isRemote(parent, from: name) else { return }
        // A child that is final has notified its parent already.
        let isDone = session.machine.isFinal
        family.add(reference, ParentLink(parent: parent, id: id, invocation: nil, isDone: isDone))
    }
}
