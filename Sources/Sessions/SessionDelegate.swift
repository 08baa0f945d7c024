// The daemon around the sessions, as they know it.

import GameFlow
import Memory

/// Receives what concerns the daemon, and answers what only the daemon knows. Methods without an implementation do nothing.
package protocol SessionDelegate: AnyObject {
    /// The daemon has stopped the clock of a session whose timers would never let time pass.
    func sessionClockDidStop(_ session: Session)

    /// A session that has expired cannot begin anew.
    func session(_ session: Session, didFailToRestart reason: String)

    /// The session's flow has written this for the log.
    func session(_ session: Session, didLog text: String)

    /// Messages between sessions have been stopped, as the sentence says.
    func messagesDidStop(_ sentence: String)

    /// A flow of this name has changed so often that entries from before its oldest changes can be shown no more.
    func historyDidLoseEntries(ofFlow name: String)

    /// A session of this name that was set aside has been dropped.
    func setAsideSessionDidDrop(_ name: ByteString)

    /// Called soon after a session was dropped that can be brought back: `expireDrops` is to be called.
    func dropDidBecomeRestorable()

    /// Called before a session gets a message from another.
    func sessionWillReceive(_ machine: AnyMachine)

    /// Whether another thing that sessions ask for may still be done in this turn.
    func mayPerformEffect() -> Bool
}

extension SessionDelegate {
    package func sessionClockDidStop(_ session: Session) {}
    package func session(_ session: Session, didFailToRestart reason: String) {}
    package func session(_ session: Session, didLog text: String) {}
    package func messagesDidStop(_ sentence: String) {}
    package func historyDidLoseEntries(ofFlow name: String) {}
    package func setAsideSessionDidDrop(_ name: ByteString) {}
    package func dropDidBecomeRestorable() {}
    package func sessionWillReceive(_ machine: AnyMachine) {}
    package func mayPerformEffect() -> Bool { true }
}
