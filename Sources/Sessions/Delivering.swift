// Carries out messages from sessions that are kept apart.

import GameFlow
import RESP
import Texts

extension Sessions {
    /// Does what a message says, and all that must be done together with it. Never fails: whoever sent it is told what went wrong.
    package func carryOut(_ message: Message) {
        errands.arriving = message.steps
        defer { errands.arriving = 0 }
        switch message.content {
        case .event(let event, let data): deliver(event, data, message)
        case .begin(let flow, let context, let invocation): begin(flow, context, invocation, message)
        case .drop: dropFar(message)
        case .child(let news): take(news, of: message)
        case .returned(let event, let code, let sentence):
            guard let sender = find(message.receiver) else { break }
            let problem = CommandError(code, sentence)
            tell(Self.undelivered(event, to: message.sender, problem), sender)
        }
        if timekeeper.hasFollowUp { carryOut() }
    }

    private func deliver(_ event: String, _ data: JSON?, _ message: Message) {
        do throws(CommandError) {
            try deliver(event, data, to: message.receiver, by: message.sender)
        } catch {
            messages.failed += 1
            post(
                .returned(event: event, code: error.code, sentence: error.sentence), to: message.sender, from: message.receiver)
        }
    }

    // MARK: For children

    private func begin(_ flow: String, _ context: JSON, _ invocation: UInt64, _ message: Message) {
        guard let (parent, id) = Self.parent(ofNamed: message.receiver) else { return }
        let link = FarFamily.Link(parent: parent, id: id, invocation: invocation)
        do throws(CommandError) {
            guard message.receiver.count(where: { $0 == "/" }) <= Family.deepest else {
                throw .tooDeep(message.receiver)
            }
            try beginChild(message.receiver, flow, context, as: NewChild(id: id, parent: .far(link), parentName: parent))
        } catch {
            tell(.lost(error.code, sentence: error.sentence), of: message.receiver, link)
        }
    }

    private func dropFar(_ message: Message) {
        if let child = find(message.receiver) { _ = family.far.leave(reference(to: child.machine)) }
        dropHere(ByteString(message.receiver), by: message.sender)
    }

    // MARK: For parents

    /// Of a child that it has no more, or that it has begun again, the parent hears nothing.
    private func take(_ news: ChildNews, of message: Message) {
        guard let parent = find(message.receiver) else { return }
        let reference = reference(to: parent.machine)
        guard let child = parent.machine.children.first(where: { $0.id == news.id }),
            family.far.isCurrent(news.invocation, news.id, of: reference)
        else { return }
        let knowsTheEnd = child.stage == .done
        switch news.fate {
        case .forgotten: note(nil, ofChild: news.id, parent.machine)
        case .done(let output):
            guard !knowsTheEnd else { return }
            tell(Notice(event: "done.invoke." + news.id, data: output, problem: nil, child: (news.id, .done)), parent)
        case .lost(let code, let sentence):
            guard !knowsTheEnd else { return note(nil, ofChild: news.id, parent.machine) }
            family.far.forget(news.id, of: reference)
            tell(Self.loss(of: news.id, CommandError(code, sentence), nil), parent)
        case .setAside(let sentence):
            guard !knowsTheEnd else { return }
            tell(Self.loss(of: news.id, CommandError(.setAside, sentence), .lost), parent)
        }
    }
}
