// RETRY: tries to restore a quarantined session.

import GameFlow
import Memory
import RESP
import Sessions
import Texts

extension Command {
    package static let retry: Command = Command(
        name: "RETRY", group: .sessions, needs: .masters(.session),
        syntax: "RETRY session",
        summary: "Tries to restore a session that was set aside. Replies with its state, or with the reason of the failure.",
        details: """
            A session is quarantined if the daemon died while it handled one of its events, timers or commands, or restored it, or \
            if its row was damaged and --accept-loss was given: SESSIONS 0 STATE ! names it, STATE says why, HISTORY shows what \
            happened before. A restart does not try it again; RETRY does. If the daemon dies of it again, it stays quarantined. Sessions \
            that were set aside because their flow does not fit them are tried again by each start, and by RELOAD when it has changed.
            """,
        examples: ["RETRY room"],
        words: 2...2, flags: [.changes]
    ) { call throws(CommandError) in
        let machine = try call.retry(call.name(1))
        call.reply.append(simple: machine.stateName)
    }
}

extension Call {
    fileprivate func retry(_ name: ByteString) throws(CommandError) -> AnyMachine {
        if let session = host.sessions.find(name) {
            throw CommandError(
                .generic,
                "'\(name.text.shortened)' runs in '\(session.machine.stateName)', and RETRY is for sessions that are set aside; SESSIONS 0 STATE ! lists them"
            )
        }
        guard let unrestored = host.sessions.unrestored[name] else { throw .noSession(name.text, for: client.grant) }
        guard host.sessions.count < min(host.limits.sessions, SessionTable.mostSessions) else {
            throw .limit(\.sessions, "there are \(host.sessions.count) sessions, as many as are allowed")
        }
        do {
            guard let machine = try restore(unrestored) else { throw RestoringError("nothing is kept of it") }
            return machine
        } catch {
            let how = unrestored.isQuarantined ? "quarantined" : "set aside"
            throw CommandError(
                .setAside,
                "'\(name.text.shortened)' still cannot be restored: \(error); it stays \(how): DROP \(name.text.shortened) gives it up"
            )
        }
    }

    private func restore(_ session: SetAsideSession) throws -> AnyMachine? {
        guard let flow = host.sessions.flow(named: session.flow) else {
            throw RestoringError(CommandError.noFlow(session.flow, host.sessions.flows).sentence)
        }
        guard let machine = try host.sessions.reinstate(session, as: flow) else { return try host.persistence?.retry(session) }
        host.sessions.relinkReturned()
        return machine
    }
}
