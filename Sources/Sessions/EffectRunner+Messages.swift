// Messages from session to session: events, and what parents and children send each other. A message is applied to its receiver at once, or posted to
// another shard and applied there in the same way.

import GameFlow
import Texts

extension EffectRunner {
    /// Whether they are in different shards.
    func isRemote(_ name: String, from other: String) -> Bool { mail?.isRemote(name, from: other) ?? false }

    func find(_ name: String, inShardOf other: String) -> Session? { isRemote(name, from: other) ? nil : host.find(name) }

    // MARK: Sending

    /// Sends a message. Throws if its receiver is here and cannot get it, or if the transport refuses it.
    func transmit(_ content: Message.Content, to receiver: String, from sender: String) throws(SessionError) {
        guard isRemote(receiver, from: sender) else { return try receive(content, for: receiver, from: sender) }
        if content.mayBeRefused, let refusal = mail?.refusal(to: receiver) { throw refusal }
        mail?.post(Message(from: sender, to: receiver, after: queue.steps + 1, content))
    }

    func send(
        _ event: String, _ data: JSON?, to name: String, for sender: Session, _ reference: SessionReference
    ) {
        do throws(SessionError) {
            let link = family.link(of: reference)
            let invocation = link?.parent == name ? link?.invocation : nil
            try transmit(.event(event, data: data, ofChild: invocation), to: name, from: sender.name)
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

    // MARK: Receiving

    /// Applies a message from another shard, together with everything that must happen with it. Never fails: errors are reported to the sender.
    func apply(_ message: Message) {
        queue.incomingSteps = message.hops
        defer { queue.incomingSteps = 0 }
        do throws(SessionError) {
            try receive(message.content, for: message.receiver, from: message.sender)
        } catch {
            answer(message, with: error)
        }
        if timekeeper.needsFollowUp { run() }
    }

    /// Applies a message to its receiver, which is here.
    private func receive(_ content: Message.Content, for receiver: String, from sender: String) throws(SessionError) {
        switch content {
        case .event(let event, let data, let invocation):
            try deliver(event, data, to: receiver, by: sender, ofChild: invocation)
        case .begin(let flow, let context, let invocation):
            try beginHere(receiver, flow, context, invocation, of: sender)
        case .drop: dropHere(receiver, by: sender)
        case .relink(let invocation, let stage): relinkHere(receiver, invocation, stage, to: sender)
        case .child(let update):
            guard let parent = host.find(receiver) else { return }
            // The parent gets an event later: by then it may have dropped the child.
            if update.hasEvent {
                schedule(.report(update), for: host.reference(to: parent.machine))
            } else {
                apply(update, to: parent)
            }
        case .returned(let event, let code, let sentence):
            let notice = Self.undelivered(event, to: sender, SessionError(code, sentence))
            // The limit of messages does not count it: it is sent once, and its cause was counted.
            if let receiver = host.find(receiver) { schedule(.deliver(notice), for: host.reference(to: receiver.machine)) }
        }
    }

    /// Throws if there is no such session or event. A refusal by the session itself is an entry of its history. `invocation` is the number of the
    /// sender's beginning if the sender is a child of the receiver: an event of an earlier child is ignored.
    private func deliver(
        _ event: String, _ data: JSON?, to name: String, by sender: String, ofChild invocation: UInt64?
    ) throws(SessionError) {
        guard let receiver = host.find(name) else {
            throw host.setAsideError(name) ?? SessionError(.noSession, "there is no session '\(name.shortened)'")
        }
        guard let index = receiver.machine.kind.index(ofEvent: event) else {
            throw SessionError(.badEvent, receiver.machine.kind.unknownEvent(event, from: .orchestrator).description)
        }
        if let invocation, !isCurrent(ChildName.id(of: sender, below: name), invocation, of: receiver, sending: .event) {
            return
        }
        let (payload, actor) = (data.map { Payload($0) }, host.actor(named: sender))
        host.sessionWillReceive(receiver.machine)
        do throws(Refusal) {
            try receiver.machine.send(at: index, payload: payload, from: .orchestrator, by: actor)
        } catch {
            receiver.record(receiver.machine.refused(event, error), carrying: payload, from: .orchestrator, by: actor)
        }
    }

    /// Answers a message from another shard that failed.
    private func answer(_ message: Message, with error: SessionError) {
        let answer: Message.Content
        switch message.content {
        case .event(let event, _, _):
            counts.failed += 1
            answer = .returned(event: event, code: error.code, sentence: error.sentence)
        case .begin(_, _, let invocation):
            let id = ChildName.id(of: message.receiver, below: message.sender)
            answer = .child(ChildUpdate(id, invocation, .lost(error.code, sentence: error.sentence)))
        case .drop, .relink, .child, .returned: return
        }
        try? transmit(answer, to: message.sender, from: message.receiver)
    }
}

// MARK: - Messages

/// A message to another shard is written together with its sender's step, and applied together with its effect on the receiver.
package struct Message: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// An event that a session sends; to its parent with the number of its beginning.
        case event(String, data: JSON?, ofChild: UInt64? = nil)
        /// The receiver is to begin, as the sender's child.
        case begin(flow: String, context: JSON, invocation: UInt64)
        /// The receiver is the sender's child, and is to be dropped.
        case drop
        /// The receiver is the sender's child. One of them was restored, and the sender may have missed a report after the one of this stage.
        case relink(invocation: UInt64, stage: ChildSession.Stage?)
        /// The outcome of the sender, which is a child of the receiver.
        case child(ChildUpdate)
        /// An event that the receiver has sent could not be delivered.
        case returned(event: String, code: ErrorCode, sentence: String)

        /// Whether it is refused while too many messages are queued. The number of the others is bounded by the limit of children and by these.
        var mayBeRefused: Bool {
            switch self {
            case .event, .begin: true
            case .drop, .relink, .child, .returned: false
            }
        }
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

/// The outcome of a child, sent to its parent.
package struct ChildUpdate: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case done(output: JSON)
        /// It is gone, or could not begin.
        case lost(ErrorCode, sentence: String)
        /// It is set aside, and may be reinstated.
        case setAside(sentence: String)
        /// It is gone, and its parent knows its end.
        case forgotten
        /// It was set aside or missing, and is there again.
        case restored
    }

    /// The child's id in its parent.
    package let id: String
    /// The number of the child's creation, so that an earlier child of the same name is not mistaken for it; nil if it is unknown.
    package let invocation: UInt64?
    package let outcome: Outcome

    /// Whether the parent may get an event for it.
    var hasEvent: Bool {
        switch outcome {
        case .done, .lost, .setAside: true
        case .forgotten, .restored: false
        }
    }

    package init(_ id: String, _ invocation: UInt64?, _ outcome: Outcome) {
        (self.id, self.invocation, self.outcome) = (id, invocation, outcome)
    }
}

/// Brings messages to sessions in other shards.
package protocol MailTransport: AnyObject {
    /// Whether effects from one session to the other travel as messages, even if both are on this node now.
    func isRemote(_ name: String, from other: String) -> Bool

    /// Why this session cannot receive messages for now; nil if it can.
    func refusal(to name: String) -> SessionError?

    /// Posts a message in this turn, together with the sender's records.
    func post(_ message: Message)
}
