// Posts what is for sessions that are kept apart.

import GameFlow
import RESP
import Texts

extension Sessions {
    func isApart(_ name: String, from other: String) -> Bool { mail?.isApart(name, from: other) ?? false }

    /// What must not be refused: its number is bounded by that of children.
    func post(_ content: Message.Content, to receiver: String, from sender: String) {
        mail?.post(Message(from: sender, to: receiver, after: errands.steps + 1, content))
    }

    func post(event: String, _ data: JSON?, to receiver: String, from sender: String) throws(CommandError) {
        if let refusal = mail?.refusal(to: receiver) { throw refusal }
        post(.event(event, data: data), to: receiver, from: sender)
        messages.sent += 1
    }

    func postBeginning(
        of id: String, _ flow: String, _ context: JSON, as name: String, for parent: Session, _ reference: SessionReference
    ) throws(CommandError) {
        guard parent.machine.children.count <= Family.mostChildren else { throw .tooManyChildren }
        if let refusal = mail?.refusal(to: name) { throw refusal }
        let invocation = family.far.invoke(id, by: reference)
        post(.begin(flow: flow, context: context, invocation: invocation), to: name, from: parent.name)
    }

    func tell(_ fate: ChildNews.Fate, of child: String, _ link: FarFamily.Link) {
        post(.child(ChildNews(link.id, link.invocation, fate)), to: link.parent, from: child)
    }

    /// A parent's name and what it calls its child; nil if the name cannot be that of a child.
    static func parent(ofNamed name: String) -> (name: String, id: String)? {
        guard let slash = name.lastIndex(of: "/") else { return nil }
        return (String(name[..<slash]), String(name[name.index(after: slash)...]))
    }
}

extension CommandError {
    static var tooManyChildren: CommandError {
        CommandError(.limit, "a session has \(Family.mostChildren) children at most")
    }
}
