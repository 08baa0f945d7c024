// Sessions that sessions begin: their beginning and their end, and what their parents are told of it.

import GameFlow
import RESP
import Texts

extension Sessions {
    /// Begins a child. Where that fails, the parent is told why.
    func begin(_ id: String, _ flow: String, _ context: JSON, for parent: Session, _ reference: SessionReference) {
        let name = Self.name(of: id, below: parent.name)
        // A child whose beginning takes the daemon down would be begun again at each start: its parent is quarantined then.
        let outer = parent.withMachine { flight?.enter(FlightMark(.work, of: $0)) }
        defer { if let outer { flight?.leave(outer) } }
        do throws(CommandError) {
            if isApart(name, from: parent.name) {
                return try postBeginning(of: id, flow, context, as: name, for: parent, reference)
            }
            try checkRoom(for: name, below: reference)
            try beginChild(name, flow, context, as: NewChild(id: id, parent: .near(reference), parentName: parent.name))
        } catch {
            lose(id, of: reference, error, nil)
        }
    }

    func beginChild(_ name: String, _ flow: String, _ context: JSON, as child: NewChild) throws(CommandError) {
        guard let kind = self.flow(named: flow) else { throw .noFlow(flow, flows) }
        let data: JSON? = context == .null || context == .object([]) ? nil : ["context": context]
        _ = try begin(ByteString(name), kind, data, from: .orchestrator, by: actor(named: child.parentName), as: child)
    }

    private func checkRoom(for name: String, below parent: SessionReference) throws(CommandError) {
        guard family.depth(of: parent) < Family.deepest else {
            throw .tooDeep(name)
        }
        guard family.count(of: parent) < Family.mostChildren else { throw .tooManyChildren }
    }

    static func name(of id: String, below parent: String) -> String { parent + "/" + id }

    /// The parent has lost a child, which may come back, or is gone, or never was.
    private func lose(_ id: String, of parent: SessionReference, _ problem: CommandError, _ stage: ChildSession.Stage?) {
        errands.add(.tell(Self.loss(of: id, problem, stage)), for: parent)
        owe()
    }

    static func loss(of id: String, _ problem: CommandError, _ stage: ChildSession.Stage?) -> Notice {
        Notice(event: "error.invoke." + id, data: ["message": .string(problem.sentence)], problem: problem, child: (id, stage))
    }

    /// The parent keeps in mind what it was told.
    func note(_ stage: ChildSession.Stage?, ofChild id: String, _ parent: AnyMachine) {
        parent.note(stage, ofChild: id)
        keepSoon(parent)
    }

    // MARK: The end

    /// Something has happened to a child: it may be done now.
    func follow(_ child: SessionReference) {
        guard family.link(of: child)?.isDone == false || family.far.link(of: child)?.isDone == false else { return }
        errands.add(.look, for: child)
        owe()
    }

    /// Tells the parent of a child that is done what came of it.
    func look(at child: Session, _ reference: SessionReference) {
        guard child.machine.isFinal else { return }
        if let link = family.far.link(of: reference), family.far.noteDone(reference) {
            tell(.done(output: child.machine.outputHere), of: child.name, link)
        }
        guard let link = family.link(of: reference), family.noteDone(reference) else { return }
        let output = child.machine.outputHere
        let notice = Notice(event: "done.invoke." + link.id, data: output, problem: nil, child: (link.id, .done))
        errands.add(.tell(notice), for: link.parent)
    }

    /// Drops a child, for its parent.
    func drop(_ id: String, of parent: Session, _ reference: SessionReference) {
        family.far.forget(id, of: reference)
        guard let child = family.child(id, of: reference) else { return dropChild(id, of: parent.name) }
        drop(child, by: parent.name)
    }

    private func drop(_ child: SessionReference, by parent: String) {
        _ = family.leave(child)
        guard let session = session(child) else { return }
        _ = session.nameBytes.withBytes { drop(Argument($0), by: actor(named: parent), from: .orchestrator) }
    }

    /// A session was dropped: so are its children, and its parent is told.
    func dropped(_ session: SessionReference, _ name: String, by actor: ActorNumber, lost: [String]) {
        dropChildren(of: session, name, lost: lost)
        let by = actors.name(actor).map { " by \($0)" } ?? ""
        let problem = CommandError(.noSession, "'\(name.shortened)' was dropped\(by)")
        if let link = family.far.leave(session) {
            tell(link.isDone ? .forgotten : .lost(problem.code, sentence: problem.sentence), of: name, link)
        }
        guard let link = family.leave(session), let parent = self.session(link.parent) else { return }
        if link.isDone { return note(nil, ofChild: link.id, parent.machine) }
        lose(link.id, of: link.parent, problem, nil)
    }

    func dropChildren(of session: SessionReference, _ name: String, lost: [String]) {
        for child in family.orphan(session) { drop(child, by: name) }
        for child in lost { dropChild(child, of: name) }
    }

    /// The session is set aside while others go on: its parent is told, and its children stay, for when it comes back.
    package func willSetAside(_ machine: AnyMachine, because sentence: String) {
        guard isHere(machine) else { return }
        let session = reference(to: machine)
        _ = family.orphan(session)
        if let link = family.far.leave(session), !link.isDone {
            tell(.setAside(sentence: sentence), of: name(of: machine), link)
        }
        // Of one that is done the parent knows already.
        guard let link = family.leave(session), !link.isDone, self.session(link.parent) != nil else { return }
        lose(link.id, of: link.parent, CommandError(.setAside, sentence), .lost)
    }

    // MARK: After a restart

    /// Finds the children and the parents of all sessions that have come back since the last call.
    package func relate() { relate(atMost: .max) }

    /// The same of so many of them.
    func relate(atMost count: Int) {
        let returned = family.returned.suffix(count)
        family.returned.removeLast(returned.count)
        for reference in returned {
            guard let session = session(reference) else { continue }
            for child in session.machine.children + session.machine.childrenToDrop { relate(child, to: session, reference) }
            relateToParent(session, reference)
        }
    }

    private func relate(_ child: ChildSession, to parent: Session, _ reference: SessionReference) {
        guard family.child(child.id, of: reference) == nil else { return }
        let name = Self.name(of: child.id, below: parent.name)
        // Of one that is kept apart the parent is told by a message.
        if isApart(name, from: parent.name) { return }
        if let session = find(name) { return link(session, child, parent, reference) }
        switch child.stage {
        case .done, .lost: return
        case .runs, nil: break
        }
        guard parent.machine.outgoing?.errands.contains(where: { $0.begins(child.id) }) != true else { return }
        errands.add(.missing(child: child.id), for: reference)
        owe()
    }

    /// For one that comes back after its parent.
    private func relateToParent(_ session: Session, _ reference: SessionReference) {
        let name = session.name
        guard family.link(of: reference) == nil, let (parentName, id) = Self.parent(ofNamed: name) else { return }
        if isApart(parentName, from: name) { return relateToFarParent(session, reference, parentName, id) }
        guard let parent = find(parentName), let child = parent.machine.children.first(where: { $0.id == id }) else { return }
        link(session, child, parent, self.reference(to: parent.machine))
    }

    /// Whether it is its child, the parent knows. One that is final has told so when it became that.
    private func relateToFarParent(_ session: Session, _ reference: SessionReference, _ parent: String, _ id: String) {
        guard family.far.link(of: reference) == nil else { return }
        family.far.add(
            reference, FarFamily.Link(parent: parent, id: id, invocation: nil, isDone: session.machine.isFinal))
    }

    /// One that has become final while its parent was away tells so now.
    private func link(_ session: Session, _ child: ChildSession, _ parent: Session, _ reference: SessionReference) {
        let own = self.reference(to: session.machine)
        let isDone = child.stage.map { $0 == .done } ?? session.machine.isFinal
        family.add(own, child.id, of: reference, isDone: isDone)
        expiries?.remove(own.slot)
        if child.stage == .lost { note(.runs, ofChild: child.id, parent.machine) }
        if !isDone, session.machine.isFinal { follow(own) }
    }

    func missing(_ id: String, of parent: Session) -> Notice {
        let name = Self.name(of: id, below: parent.name)
        let problem =
            unrestored[ByteString(name)]?.error ?? CommandError(.noSession, "'\(name.shortened)' is not there any more")
        return Self.loss(of: id, problem, .lost)
    }
}

extension AnyMachine {
    /// What has come of it.
    fileprivate var outputHere: JSON { output ?? (try? shownData())?.withoutTimers ?? .null }

    /// Children of states that it has left, and that are not dropped yet.
    var childrenToDrop: [ChildSession] {
        (outgoing?.errands ?? []).compactMap { errand in
            switch errand {
            case .drop(let id): ChildSession(id, .done)
            case .begin, .send: nil
            }
        }
    }
}

extension Errand {
    fileprivate func begins(_ id: String) -> Bool {
        switch self {
        case .begin(let child, _, _): child == id
        case .send, .drop: false
        }
    }
}

/// A child that is about to begin.
struct NewChild {
    enum Parent {
        case near(SessionReference)
        case far(FarFamily.Link)
    }

    let id: String
    let parent: Parent
    let parentName: String
}

extension CommandError {
    static func tooDeep(_ name: String) -> CommandError {
        CommandError(
            .limit, "'\(name.shortened)' would be \(Family.deepest + 1) sessions deep, and \(Family.deepest) are allowed")
    }
}
