// The sessions, as far as their effects need them.

import GameFlow
import Memory
import Timers

extension Sessions {
    /// Whether another effect may still be performed in this turn.
    var hasEffectBudget: Bool { delegate?.mayPerformEffect() ?? true }

    /// Why the session of that name is set aside; nil if it is not.
    func setAsideError(_ name: String) -> SessionError? { setAsideSessions[ByteString(name)]?.error }

    /// Begins a session of this name as a child.
    func beginChild(_ name: String, _ flow: String, _ context: JSON, of parent: String, _ link: ParentLink) throws(SessionError)
    {
        guard let kind = self.flow(named: flow) else { throw .noFlow(flow, flows) }
        let data: JSON? = context == .null || context == .object([]) ? nil : ["context": context]
        _ = try begin(
            ByteString(name), kind, data, from: .orchestrator, by: actor(named: parent),
            as: NewChild(link: link, parent: parent))
    }

    /// The session is a child from now on, and lives as long as its parent does.
    func didBecomeChild(_ session: SessionReference) { expiries?.remove(session.slot) }

    /// Drops a session for its parent.
    func drop(_ session: Session, by parent: String) {
        drop(session, by: actor(named: parent), from: .orchestrator)
    }

    /// The same of one that is set aside.
    func dropSetAside(_ name: String, by parent: String) {
        removeSetAside(ByteString(name), by: actor(named: parent), from: .orchestrator)
    }
}

/// A child that is about to begin.
struct NewChild {
    let link: ParentLink
    /// Its parent's name.
    let parent: String
}

// MARK: For the journal

extension Sessions {
    /// Messages that one step may lead to, over all sessions.
    package static var maxMessages: Int { EffectRunner.maxMessages }

    /// Events that sessions have sent each other.
    package var messages: MessageCounts { effects.counts }

    /// Brings messages to sessions that are kept apart; nil if all are together.
    package var mail: (any MailTransport)? {
        get { effects.mail }
        set { effects.mail = newValue }
    }

    /// Does what a message from a session that is kept apart says.
    package func apply(_ message: Message) { effects.apply(message) }

    /// Finds the children and the parents of all sessions that have come back since the last call.
    package func relinkReturned() { effects.relinkReturned(atMost: .max) }
}
