// Events from session to session. Those for a session in another shard are sent as messages, and applied here at the other end.

import GameFlow
import Texts

extension EffectRunner {
    func isApart(_ name: String, from other: String) -> Bool { mail?.isRemote(name, from: other) ?? false }

    /// Posts a message that must not be refused; the limit of children bounds their number.
    func post(_ content: Message.Content, to receiver: String, from sender: String) {
        mail?.post(Message(from: sender, to: receiver, after: queue.steps + 1, content))
    }

    // MARK: Sending

    func send(
        _ event: String, _ data: JSON?, to name: String, for sender: Session, _ reference: SessionReference
    ) {
        do throws(SessionError) {
            if isApart(name, from: sender.name) {
                if let refusal = mail?.refusal(to: name) { throw refusal }
                post(.event(event, data: data), to: name, from: sender.name)
            } else {
                try deliver(event, data, to: name, by: sender.name)
            }
            counts.sent += 1
        } catch {
            counts.failed += 1
            schedule(.deliver(Self.undelivered(event, to: name, error)), for: reference)
        }
    }

    private static func undelivered(_ event: String, to name: String, _ problem: SessionError) -> Notice {
        let data: JSON = ["event": .string(event), "session": .string(name), "message": .string(problem.sentence)]
        return Notice(event: "error.communication", data: data, problem: problem)
    }

    /// Throws if there is no such session or event. A refusal by the session itself is an entry of its history.
    private func deliver(_ event: String, _ data: JSON?, to name: String, by sender: String) throws(SessionError) {
        guard let receiver = host.find(name) else {
            throw host.setAsideError(name) ?? SessionError(.noSession, "there is no session '\(name.shortened)'")
        }
        guard let place = receiver.machine.kind.index(ofEvent: event) else {
            throw SessionError(.badEvent, receiver.machine.kind.unknownEvent(event, from: .orchestrator).description)
        }
        let (payload, actor) = (data.map { Payload($0) }, host.actor(named: sender))
        host.sessionWillReceive(receiver.machine)
        do throws(Refusal) {
            try receiver.machine.send(at: place, payload: payload, from: .orchestrator, by: actor)
        } catch {
            receiver.record(error, of: event, carrying: payload, from: .orchestrator, by: actor)
        }
    }

    // MARK: Receiving

    /// Does what a message says, and all that must be done together with it. Never fails: whoever sent it is told what went wrong.
    func apply(_ message: Message) {
        queue.incomingSteps = message.hops
        defer { queue.incomingSteps = 0 }
        switch message.content {
        case .event(let event, let data): deliver(event, data, message)
        case .begin(let flow, let context, let invocation): begin(flow, context, invocation, message)
        case .drop: applyDrop(message)
        case .child(let news): apply(news, of: message)
        case .returned(let event, let code, let sentence):
            guard let sender = host.find(message.receiver) else { break }
            deliver(Self.undelivered(event, to: message.sender, SessionError(code, sentence)), to: sender)
        }
        if timekeeper.needsFollowUp { run() }
    }

    private func deliver(_ event: String, _ data: JSON?, _ message: Message) {
        do throws(SessionError) {
            try deliver(event, data, to: message.receiver, by: message.sender)
        } catch {
            counts.failed += 1
            post(
                .returned(event: event, code: error.code, sentence: error.sentence), to: message.sender, from: message.receiver)
        }
    }

    private func begin(_ flow: String, _ context: JSON, _ invocation: UInt64, _ message: Message) {
        guard let (parent, id) = ChildName.split(message.receiver) else { return }
        let link = ParentLink(parent: .apart(name: parent, invocation: invocation), id: id)
        do throws(SessionError) {
            guard message.receiver.count(where: { $0 == "/" }) <= Family.deepest else { throw .tooDeep(message.receiver) }
            try host.beginChild(message.receiver, flow, context, of: parent, link)
        } catch {
            report(.lost(error.code, sentence: error.sentence), of: message.receiver, link)
        }
    }

    /// The parent, which is kept apart, has the child no more.
    private func applyDrop(_ message: Message) {
        if let child = host.find(message.receiver) {
            let reference = host.reference(to: child.machine)
            if family.parent(of: reference) == nil { _ = family.unlink(reference) }
        }
        dropHere(message.receiver, by: message.sender)
    }

    /// Ignores news of a child that the parent no longer has, or has begun again. Delivers the rest at once, as events are: the limit of
    /// messages does not hold it back, since a child's end is told once.
    private func apply(_ news: ChildUpdate, of message: Message) {
        guard let parent = host.find(message.receiver) else { return }
        let reference = host.reference(to: parent.machine)
        guard let child = parent.machine.children.first(where: { $0.id == news.id }),
            family.isCurrent(news.invocation, news.id, of: reference)
        else { return }
        switch (news.fate, knowsTheEnd: child.stage == .done) {
        case (.done, true), (.setAside, true): return
        case (.lost, true), (.forgotten, _): setStage(nil, ofChild: news.id, in: parent.machine)
        case (.lost, false), (.done, false), (.setAside, false):
            if case .lost = news.fate { family.forgetInvocation(news.id, by: reference) }
            if let notice = Self.notice(of: news.fate, news.id) { deliver(notice, to: parent) }
        }
    }
}
