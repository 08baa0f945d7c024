// Does what sessions' steps have asked for, one thing after the other: no machine is called from within another one's step.

import GameFlow
import RESP
import Texts
import Timers

extension Sessions {
    /// Messages that one step may lead to, over all sessions, before they are taken for a circle.
    package static let mostMessages = 4_096

    /// There is something to do, in this turn.
    func owe() { timekeeper.hasFollowUp = true }

    /// Does it, unless it takes too long for this turn. What is left then is saved with its sessions; the rest is done first.
    func carryOut() {
        guard !isCarryingOut else { return }
        isCarryingOut = true
        while let entry = errands.begin(onlyUnsaved: !(delegate?.mayPerformEffect() ?? true)) {
            carryOut(entry)
            errands.end()
        }
        isCarryingOut = false
        timekeeper.hasFollowUp = !errands.isEmpty
        keepChanged()
    }

    /// The session is recorded once for all that is done now: that is one batch, and so each errand in it is done once, too.
    func keepSoon(_ machine: AnyMachine) {
        guard isCarryingOut else { return keep(machine) }
        guard recorder != nil, isHere(machine) else { return }
        let reference = reference(to: machine)
        if unkept.insert(reference).inserted { unkeptInOrder.append(reference) }
    }

    private func keepChanged() {
        for reference in unkeptInOrder { session(reference)?.withMachine { keep($0) } }
        unkept.removeAll()
        unkeptInOrder.removeAll()
    }

    private func carryOut(_ entry: ErrandQueue.Entry) {
        guard let session = session(entry.session) else { return }
        switch entry.duty {
        case .errand: carryOutErrand(of: session, entry.session)
        case .look: look(at: session, entry.session)
        case .tell(let notice): if mayGoOn(session, notice.event, to: session.name) { tell(notice, session) }
        case .missing(let id): tell(missing(id, of: session), session)
        }
    }

    /// The first of the session's errands. It is done together with being struck off: both are in one batch.
    private func carryOutErrand(of session: Session, _ reference: SessionReference) {
        guard let errand = session.machine.outgoing?.nextErrand else { return }
        switch errand {
        case .send(let event, let data, let name):
            if mayGoOn(session, event, to: name) { send(event, data, to: name, for: session, reference) }
        case .begin(let child, let flow, let context):
            // Creating or dropping a session takes as long as many messages.
            timekeeper.mayHaveTakenLong = true
            if mayGoOn(session, nil, to: child) { begin(child, flow, context, for: session, reference) }
        case .drop(let child):
            timekeeper.mayHaveTakenLong = true
            drop(child, of: session, reference)
        }
        // It may have been forced or dropped meanwhile.
        guard let machine = self.session(reference)?.machine, let outgoing = machine.outgoing, outgoing.nextErrand == errand
        else { return }
        outgoing.finishErrand()
        keepSoon(machine)
    }

    // MARK: Messages

    private func send(
        _ event: String, _ data: JSON?, to name: String, for sender: Session, _ reference: SessionReference
    ) {
        do throws(CommandError) {
            if isApart(name, from: sender.name) {
                try post(event: event, data, to: name, from: sender.name)
            } else {
                try deliver(event, data, to: name, by: sender.name)
                messages.sent += 1
            }
        } catch {
            messages.failed += 1
            errands.add(.tell(Self.undelivered(event, to: name, error)), for: reference)
        }
    }

    static func undelivered(_ event: String, to name: String, _ problem: CommandError) -> Notice {
        let data: JSON = ["event": .string(event), "session": .string(name), "message": .string(problem.sentence)]
        return Notice(event: "error.communication", data: data, problem: problem)
    }

    /// Throws where there is no such session or event. What the session itself refuses stands in its history.
    func deliver(_ event: String, _ data: JSON?, to name: String, by sender: String) throws(CommandError) {
        let receiver = try receiver(name)
        guard let place = receiver.machine.kind.place(ofEvent: event) else {
            throw CommandError(.badEvent, receiver.machine.kind.unknownEvent(event, from: .orchestrator).description)
        }
        deliver(place, event, data, to: receiver, by: actor(named: sender))
    }

    private func receiver(_ name: String) throws(CommandError) -> Session {
        if let session = find(name) { return session }
        throw unrestored[ByteString(name)]?.error
            ?? CommandError(.noSession, "there is no session '\(name.shortened)'")
    }

    private func deliver(_ place: Int, _ event: String, _ data: JSON?, to receiver: Session, by sender: ActorNumber) {
        let payload = data.map { Payload($0) }
        delegate?.sessionWillReceive(receiver.machine)
        do throws(Refusal) {
            try receiver.machine.send(at: place, payload: payload, from: .orchestrator, by: sender)
        } catch {
            receiver.note(error, of: event, carrying: payload, from: .orchestrator, by: sender)
        }
    }

    /// An event about another session. Where the session does not take it, its history has what there is to know.
    func tell(_ notice: Notice, _ session: Session) {
        isTelling = true
        defer { isTelling = false }
        let (machine, payload) = (session.machine, Payload(notice.data))
        if let child = notice.child { note(child.stage, ofChild: child.id, machine) }
        let place = machine.kind.place(ofEvent: notice.event)
        var problem = notice.problem
        if let place {
            do throws(Refusal) {
                try machine.send(at: place, payload: payload, from: .orchestrator)
                return
            } catch {
                problem = problem ?? CommandError(error.code, error.description)
            }
        }
        let refused =
            problem.map { Refused(event: notice.event, code: $0.code, sentence: $0.sentence) }
            ?? machine.kind.refusedUnknown(notice.event, from: .orchestrator)
        session.note(
            HistoryEntry.Detail(refused: refused, payload: payload.kept),
            event: place.map(UInt16.init) ?? HistoryEntry.Cause.none, from: .orchestrator)
    }

    // MARK: The bound

    /// False where one step has led to too many messages already: they are a circle, in which time would never pass.
    private func mayGoOn(_ sender: Session, _ event: String?, to name: String) -> Bool {
        switch errands.count(atMost: Self.mostMessages) {
        case .some: return true
        case .noMore: stop(sender, event, to: name)
        case .none: break
        }
        messages.failed += 1
        return false
    }

    private func stop(_ sender: Session, _ event: String?, to name: String) {
        let sentence =
            "one step has led to \(Self.mostMessages) messages between sessions, so this one, from '\(sender.name.shortened)' to '\(name.shortened)', is not delivered, nor is what comes after it: they seem to go in a circle"
        sender.note(
            HistoryEntry.Detail(refused: Refused(event: event ?? "", code: .limit, sentence: sentence)),
            event: event.flatMap { sender.machine.kind.place(ofEvent: $0) }.map(UInt16.init) ?? HistoryEntry.Cause.none,
            from: .orchestrator)
        delegate?.messagesDidStop(sentence)
    }
}

/// Events that sessions have sent each other, since the start.
package struct MessageCounts {
    package var sent = 0
    /// There was no such session, or no such event, or there were too many.
    package var failed = 0
}
