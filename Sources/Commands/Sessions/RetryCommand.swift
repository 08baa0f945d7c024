// RETRY: tries to restore a quarantined session.

import GameFlow
import Memory
import RESP
import Sessions
import Texts

extension Command {
    package static let retry = Command(
        name: "RETRY", group: .sessions, needs: .masters(.session),
        summary: "Tries to restore a session that was set aside. Replies with its state, or with the reason for the failure.",
        details: """
            A session is quarantined if the daemon died while it handled one of its events, timers or commands, or restored \
            it, or if its row was damaged and --accept-loss was given. SESSIONS 0 STATE ! lists it, STATE shows the reason, \
            HISTORY the entries before. A restart does not retry it; RETRY does. If the daemon dies of it again, it stays \
            quarantined. Sessions that were set aside because their flow does not fit them are retried at each start, and by \
            RELOAD when the flow has changed. The log names each running timer that ends because the changed flow lacks it, \
            each variable whose value is lost and each child that is dropped for that reason.
            """,
        examples: ["RETRY room"],
        flags: [.changes],
        Form(RetryRequest.self))
}

package struct RetryRequest: SessionRequest {
    package let name: ByteString

    package static let form = CommandForm(.session) { RetryRequest(name: $0) }
    package static var command: Command { .retry }

    package func run(_ call: Call) throws(CommandError) -> SimpleText {
        let (host, text) = (call.host, name.text.shortened)
        if let session = host.sessions.find(name) {
            throw CommandError(
                .generic,
                "'\(text)' runs in '\(session.machine.stateName)', and RETRY is for sessions that are set aside; SESSIONS 0 STATE ! lists them"
            )
        }
        guard let aside = host.sessions.setAsideSessions[name] else {
            throw .noSession(name, for: call.client.grant, in: host.sessions)
        }
        guard !host.sessions.isFull(for: aside) else {
            throw .limit(\.sessions, host.sessions.limitProblem)
        }
        do {
            guard let restored = try host.restore(aside) else { throw RestorationError("nothing of it is stored") }
            var lost = LostParts(of: aside.flow)
            lost.add(restored.lost, of: name.text)
            host.sessionsDidLose(lost)
            host.feed.sessionDidChange(name)
            return SimpleText(restored.machine.stateName)
        } catch {
            let how = aside.isQuarantined ? "quarantined" : "set aside"
            throw CommandError(
                .setAside, "'\(text)' still cannot be restored: \(error); it stays \(how): DROP \(text.shellWord) discards it")
        }
    }
}

extension Host {
    fileprivate func restore(_ session: SetAsideSession) throws -> RestoredMachine? {
        guard let flow = sessions.flow(named: session.flow) else {
            throw RestorationError(CommandError.noFlow(session.flow, sessions.flows).sentence)
        }
        guard let back = try sessions.reinstate(session, as: flow) else { return try persistence?.retry(session) }
        sessions.relinkReturned()
        return back
    }
}
