// The daemon as the delegate of its sessions: their reports, and the limits that it gives them.

import GameFlow
import Logging
import Memory
import Sessions
import Texts

extension Host: SessionDelegate {
    package func sessionClockDidStop(_ session: Session) {
        warn(
            of: session,
            "the clock of '\(session.name.shortened)' was stopped: its timers of zero length fire in a cycle; HISTORY names them, RESUME resumes it"
        )
    }

    /// It still counts against the quota of the token that created it.
    package func session(_ session: Session, didRestartFrom life: Life) {
        access.tokens.countRestart(of: session.nameBytes, from: life, to: session.life)
    }

    package func sessionWillEnd(_ name: ByteString) { access.tokens.forget(name) }

    package func session(_ session: Session, didFailToRestart reason: String) {
        warn(
            of: session,
            "'\(session.name.shortened)' has expired and cannot restart: \(reason); it is unchanged and will be retried")
    }

    /// Logs with a budget: a client that can provoke this for one session can do so for many.
    private func warn(of session: Session, _ text: @autoclosure () -> String) {
        log.write(.warning, provokedBy: .sessionTrouble, about: LogSubject(of: session), text())
    }

    package func sessionExpiryDidRestart(_ session: Session) { feed.sessionDidChange(session.nameBytes) }

    /// The longest line that a session may write.
    private static let maxLineBytes = 1_024

    /// The log makes the line readable.
    package func session(_ session: Session, didLog text: String) {
        log.write(
            .info, provokedBy: .sessionWords, about: LogSubject(of: session),
            "\(session.name.shortened): \(text.cut(to: Self.maxLineBytes))")
    }

    package func sessionsDidLose(_ lost: LostParts) {
        for named in lost.named {
            log.write(
                .warning, provokedBy: .sessionTrouble, about: LogSubject(session: named.session, flow: lost.flow),
                named.sentence())
        }
        // Without a budget: the warnings above may have used it up.
        for others in lost.otherWarnings() { log.write(.warning, about: LogSubject(flow: lost.flow), others) }
    }

    package func messagesDidStop(_ sentence: String) { log.write(.warning, provokedBy: .sessionTrouble, sentence) }

    package func historyDidLoseEntries(ofFlow name: String) {
        log.warning(
            "the flow '\(name.shortened)' has changed more than \(FlowVersions.maxCount) times: until the next start, HISTORY cannot show entries from before the oldest of these changes"
        )
    }

    package func setAsideSessionDidDrop(_ name: ByteString, _ last: DropEntry?) {
        access.tokens.forget(name)
        feed.setAsideSessionDidDrop(name, last)
    }

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
