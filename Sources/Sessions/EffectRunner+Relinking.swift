// Children and parents find each other after a restart, and after one of them was set aside.

import GameFlow
import Texts

extension EffectRunner {
    /// Registers a restored session. Any session can be a child; only sessions of flows with effects can have children.
    func registerReturned(_ session: Session) {
        let (machine, kind) = (session.machine, session.machine.kind)
        let mayHaveParentApart = mail != nil && session.withName { $0.contains(UInt8(ascii: "/")) }
        guard kind.hasEffects || kind.mayHaveEffects && machine.outbox != nil || mayHaveParentApart else { return }
        family.returned.append(host.reference(to: machine))
    }

    /// Links at most `count` of the restored sessions to their children and parents.
    func relinkReturned(atMost count: Int) {
        let returned = family.returned.suffix(count)
        family.returned.removeLast(returned.count)
        for reference in returned {
            guard let session = host.session(reference) else { continue }
            for child in session.machine.children + session.machine.childrenToDrop { relink(child, to: session, reference) }
            relinkToParent(session, reference)
        }
    }

    private func relink(_ child: ChildSession, to parent: Session, _ reference: SessionReference) {
        guard family.child(child.id, of: reference) == nil else { return }
        let name = ChildName.make(child.id, below: parent.name)
        // Of one that is kept apart the parent is told by a message.
        if isApart(name, from: parent.name) { return }
        if let session = host.find(name) { return link(session, child, parent, reference) }
        switch child.stage {
        case .done, .lost: return
        case .runs, nil: break
        }
        guard parent.machine.outbox?.effects.contains(where: { $0.begins(child.id) }) != true else { return }
        schedule(.missing(child: child.id), for: reference)
    }

    /// Links a session that is restored after its parent. A parent that is kept apart decides whether it is its child. A child that is final
    /// has told its parent already.
    private func relinkToParent(_ session: Session, _ reference: SessionReference) {
        let name = session.name
        guard family.link(of: reference) == nil, let (parentName, id) = ChildName.split(name) else { return }
        if isApart(parentName, from: name) {
            let parent = ParentLink.Parent.apart(name: parentName, invocation: nil)
            return family.add(reference, ParentLink(parent: parent, id: id, isDone: session.machine.isFinal))
        }
        guard let parent = host.find(parentName), let child = parent.machine.children.first(where: { $0.id == id }) else {
            return
        }
        link(session, child, parent, host.reference(to: parent.machine))
    }

    /// One that has become final while its parent was away tells so now.
    private func link(_ session: Session, _ child: ChildSession, _ parent: Session, _ reference: SessionReference) {
        let own = host.reference(to: session.machine)
        let isDone = child.stage.map { $0 == .done } ?? session.machine.isFinal
        family.add(own, ParentLink(parent: .here(reference), id: child.id, isDone: isDone))
        host.didBecomeChild(own)
        if child.stage == .lost { setStage(.runs, ofChild: child.id, in: parent.machine) }
        if !isDone, session.machine.isFinal { scheduleCompletionCheck(of: own) }
    }

    func missing(_ id: String, of parent: Session) -> Notice {
        let name = ChildName.make(id, below: parent.name)
        let problem = host.setAsideError(name) ?? SessionError(.noSession, "'\(name.shortened)' is not there any more")
        return Self.loss(of: id, problem, .lost)
    }
}

extension Effect {
    fileprivate func begins(_ id: String) -> Bool {
        switch self {
        case .begin(let child, _, _): child == id
        case .send, .drop: false
        }
    }
}
