// Options that name flows, checked against those that are hosted.

import Commands
import Posix
import RESP
import Sessions

extension Options {
    /// Throws if the flow of a session, or of a rule, does not exist; called before anything is restored.
    func checkSessions(_ daemon: Daemon) throws {
        for session in sessions where daemon.sessions.flow(named: session.flow) == nil {
            let error = UsageError(CommandError.noFlow(session.flow, daemon.sessions.flows).sentence)
            throw located(error, "session", session.text)
        }
        for rule in expiries { try checkFlow(of: rule, daemon) }
    }

    func checkFlow(of rule: ExpiryRule, _ daemon: Daemon) throws(UsageError) {
        guard daemon.sessions.flow(named: rule.flow) == nil else { return }
        throw UsageError("--expire: \(CommandError.noFlow(rule.flow, daemon.sessions.flows).sentence)")
    }
}
