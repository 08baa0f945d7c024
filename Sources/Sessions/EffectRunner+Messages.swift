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
        guard let index = receiver.machine.kind.index(ofEvent: event) else {
            throw SessionError(.badEvent, receiver.machine.kind.unknownEvent(event, from: .orchestrator).description)
        }
        let (payload, actor) = (data.map { Payload($0) }, host.actor(named: sender))
        host.sessionWillReceive(receiver.machine)
        do throws(Refusal) {
            try receiver.machine.send(at: index, payload: payload, from: .orchestrator, by: actor)
        } catch {
            receiver.record(receiver.machine.refused(event, error), carrying: payload, from: .orchestrator, by: actor)
        }
    }

    // MARK: Receiving

    /// Applies a message, together with everything that must happen with it. Never fails: errors are reported to the sender.
    func apply(_ message: Message) {
        queue.incomingSteps = message.hops
        defer { queue.incomingSteps = 0 }
        switch message.content {
        case .event(let event, let data): deliver(event, data, message)
        case .begin(let flow, let context, let invocation): begin(flow, context, invocation, message)
        case .drop: dropHere(message.receiver, by: message.sender)
        case .child(let update): apply(update, of: message)
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

    /// Ignores news of a child that the parent no longer has, or has begun again. Delivers the rest at once, as events are: the limit of
    /// messages does not hold it back, since a child's end is reported once.
    private func apply(_ update: ChildUpdate, of message: Message) {
        guard let parent = host.find(message.receiver) else { return }
        let reference = host.reference(to: parent.machine)
        guard let child = parent.machine.children.first(where: { $0.id == update.id }),
            family.isCurrent(update.invocation, update.id, of: reference)
        else { return }
        switch (update.outcome, knowsTheEnd: child.stage == .done) {
        case (.done, true), (.setAside, true): return
        case (.lost, true), (.forgotten, _): setStage(nil, ofChild: update.id, in: parent.machine)
        case (.lost, false), (.done, false), (.setAside, false):
            if case .lost = update.outcome { family.forgetInvocation(update.id, by: reference) }
            if let notice = Self.notice(of: update.outcome, update.id) { deliver(notice, to: parent) }
        }
    }
}

// MARK: - Messages between shards

/// A message is written together with its sender's step, and applied together with its effect on the receiver.
package struct Message: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// An event that a session sends.
        case event(String, data: JSON?)
        /// The receiver is to begin, as the sender's child.
        case begin(flow: String, context: JSON, invocation: UInt64)
        /// The receiver is the sender's child, and is to be dropped.
        case drop
        /// The outcome of the sender, which is a child of the receiver.
        case child(ChildUpdate)
        /// An event that the receiver has sent could not be delivered.
        case returned(event: String, code: ErrorCode, sentence: String)
    }

    package let sender: String
    package let receiver: String
    /// How many messages have led to this one, one after the other, without any time between them.
    package let hops: Int
    package let content: Content

    package init(from sender: String, to receiver: String, after steps: Int = 0, _ content: Content) {
        (self.sender, self.receiver, self.hops, self.content) = (sender, receiver, steps, content)
    }
}

/// The outcome of a child, sent to its parent in another shard.
package struct ChildUpdate: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case done(output: JSON)
        /// It is gone, or could not begin.
        case lost(ErrorCode, sentence: String)
        /// It is set aside, and may be reinstated.
        case setAside(sentence: String)
        /// It was done before, and is gone now.
        case forgotten
    }

    /// The child's id in its parent.
    package let id: String
    /// The number of the child's creation, so that an earlier child of the same name is not mistaken for it; nil if it is unknown.
    package let invocation: UInt64?
    package let outcome: Outcome

    package init(_ id: String, _ invocation: UInt64?, _ outcome: Outcome) {
        (self.id, self.invocation, self.outcome) = (id, invocation, outcome)
    }
}

/// Brings messages to sessions that are kept apart.
package protocol MailTransport: AnyObject {
    /// Whether effects from one session to the other travel as messages, even if both are on this node now.
    func isRemote(_ name: String, from other: String) -> Bool

    /// Why this session cannot receive messages for now; nil if it can.
    func refusal(to name: String) -> SessionError?

    /// Posts a message in this turn, together with the sender's records.
    func post(_ message: Message)
}
