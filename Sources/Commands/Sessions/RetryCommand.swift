// RETRY: tries to restore a quarantined session.

import GameFlow
import RESP
import Sessions
import Texts

extension Command {
    package static let retry: Command = Command(
        name: "RETRY", group: .sessions,
        syntax: "RETRY session",
        summary: "Tries to restore a quarantined session. Replies with its state, or with why it cannot be restored.",
        details: """
            A session is quarantined if the daemon died while it handled one of its events, timers or commands, or restored it, or \
            if its row was damaged and --accept-loss was given: SESSIONS 0 STATE ! names it, STATE says why, HISTORY shows what \
            happened before. A restart does not try it again; RETRY does. If the daemon dies of it again, it stays quarantined.
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
                "'\(name.text.shortened)' is in '\(session.machine.stateName)' and is not quarantined; SESSIONS 0 STATE ! names those that are set aside"
            )
        }
        guard let unrestored = host.sessions.unrestored[name] else { throw .noSession(name.text) }
        guard unrestored.isQuarantined, let persistence = host.persistence else {
            throw CommandError(
                .setAside, "\(unrestored.error.sentence); it is not quarantined: each start tries it again by itself")
        }
        guard host.sessions.count < min(host.limits.sessions, SessionTable.mostSessions) else {
            throw .limit(\.sessions, "there are \(host.sessions.count) sessions, as many as are allowed")
        }
        do {
            return try persistence.retry(unrestored)
        } catch {
            throw CommandError(
                .setAside,
                "'\(name.text.shortened)' still cannot be restored: \(error); it stays quarantined: DROP \(name.text.shortened) gives it up"
            )
        }
    }
}
