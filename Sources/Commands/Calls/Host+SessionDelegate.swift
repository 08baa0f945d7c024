// The daemon as the delegate of its sessions: their reports, and the limits that it gives them.

import GameFlow
import Logging
import Memory
import Sessions

extension Host: SessionDelegate {
    package func sessionClockDidStop(_ session: Session) { SessionLog.warn(log, of: session, SessionLog.stopped(session)) }

    package func session(_ session: Session, didFailToRestart reason: String) {
        SessionLog.warn(log, of: session, SessionLog.cannotBeginAnew(session, reason))
    }

    package func session(_ session: Session, didLog text: String) {
        log.write(.info, provokedBy: .sessionWords, about: SessionLog.subject(session), SessionLog.line(text, of: session))
    }

    package func messagesDidStop(_ sentence: String) { log.write(.warning, provokedBy: .sessionTrouble, sentence) }

    package func historyDidLoseEntries(ofFlow name: String) { log.warning(SessionLog.pastIsLost(name)) }

    package func setAsideSessionDidDrop(_ name: ByteString) { feed.sessionDidChange(name) }

    package func dropDidBecomeRestorable() { expireDrops(after: 50) }

    package func limitHooks(_ end: @escaping (_ limit: Duration) -> Void) -> AnyObject? {
        let milliseconds = limits.hookMilliseconds
        return turns?.schedule(after: milliseconds) { end(.milliseconds(milliseconds)) }
    }

    /// Its due timers fire first, also while an ADVANCE is in the middle of an instant.
    package func sessionWillReceive(_ machine: AnyMachine) { if isMidInstant { advances.fireDue(of: machine) } }

    /// Counts a message between sessions as a piece of the turn's work; false once the turn has no time for another.
    package func mayPerformEffect() -> Bool {
        guard let turns, turns.isUnderWay else { return true }
        turns.charge(pieces: 1)
        return !turns.isBudgetExhausted
    }
}
