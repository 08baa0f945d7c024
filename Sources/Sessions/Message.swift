// What one session has to say to another that is kept apart from it: in another shard, perhaps on another node.

import GameFlow

/// Written together with its sender's step, and carried out together with what it does to its receiver.
package struct Message: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// An event that a session sends.
        case event(String, data: JSON?)
        /// The receiver is to begin, as the sender's child.
        case begin(flow: String, context: JSON, invocation: UInt64)
        /// The receiver is the sender's child, and is to be dropped.
        case drop
        /// What has become of a child of the receiver's: the sender.
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

/// What a parent is told of a child that is kept apart from it.
package struct ChildUpdate: Equatable, Sendable {
    package enum Outcome: Equatable, Sendable {
        case done(output: JSON)
        /// It is gone, or could not begin.
        case lost(ErrorCode, sentence: String)
        /// It is set aside, and may come back.
        case setAside(sentence: String)
        /// It was done before, and is gone now.
        case forgotten
    }

    /// What its parent calls it.
    package let id: String
    /// The beginning that it goes back to, so that an earlier child of the same name is not taken for this one; nil if that is not known
    /// any more.
    package let invocation: UInt64?
    package let fate: Outcome

    package init(_ id: String, _ invocation: UInt64?, _ fate: Outcome) {
        (self.id, self.invocation, self.fate) = (id, invocation, fate)
    }
}

/// Brings messages to sessions that are kept apart.
package protocol MailTransport: AnyObject {
    /// Whether what goes from one session to the other is a message, wherever both are at the moment.
    func isRemote(_ name: String, from other: String) -> Bool

    /// Why this session can be sent no more for now; nil if it can.
    func refusal(to name: String) -> SessionError?

    /// Posts a message in this turn, together with what is recorded of its sender.
    func post(_ message: Message)
}
