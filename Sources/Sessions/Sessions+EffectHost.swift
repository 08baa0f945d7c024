// The registry as the host of the effect runner.

import GameFlow
import Memory

extension Sessions: EffectHost {
    var isRecording: Bool { recorder != nil }

    var hasEffectBudget: Bool { delegate?.mayPerformEffect() ?? true }

    func setAsideError(_ name: String) -> SessionError? { setAsideSessions[ByteString(name)]?.error }

    func beginChild(_ name: String, _ flow: String, _ context: JSON, _ link: ParentLink) throws(SessionError) {
        guard let kind = self.flow(named: flow) else { throw .noFlow(flow, flows) }
        let data: JSON? = context == .null || context == .object([]) ? nil : ["context": context]
        _ = try begin(ByteString(name), kind, data, from: .orchestrator, by: actor(named: link.parent), as: link)
    }

    func didBecomeChild(_ session: SessionReference) { expiries?.remove(session.slot) }

    func drop(_ session: Session, by parent: String) {
        // Its link is gone, or is not known yet after a restart.
        drop(session, asChildOf: parent, by: actor(named: parent), from: .orchestrator)
    }

    func dropSetAside(_ name: String, by parent: String) {
        removeSetAside(ByteString(name), by: actor(named: parent), from: .orchestrator)
    }

    func sessionWillReceive(_ machine: AnyMachine) { delegate?.sessionWillReceive(machine) }

    func messagesDidStop(_ sentence: String) { delegate?.messagesDidStop(sentence) }
}

// MARK: For the journal

extension Sessions {
    /// Messages that one step may lead to, over all sessions.
    package static var maxMessages: Int { EffectRunner.maxMessages }

    /// Events that sessions have sent each other.
    package var messages: MessageCounts { effects.counts }

    /// Brings messages to sessions in other shards; nil if there is one shard.
    package var mail: (any MailTransport)? {
        get { effects.mail }
        set { effects.mail = newValue }
    }

    /// Applies a message from a remote session.
    package func apply(_ message: Message) { effects.apply(message) }

    /// Finds the children and the parents of all sessions that were reinstated since the last call.
    package func relinkReturned() { effects.relinkReturned(atMost: .max) }
}
