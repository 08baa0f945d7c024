// RETRY: a session that the daemon has died of is tried once more.

import GameFlow
import RESP
import Sessions
import Texts

extension Command {
    package static let retry: Command = Command(
        name: "RETRY", group: .sessions,
        syntax: "RETRY session",
        summary: "Tries a quarantined session again. Replies with its state, or why it still cannot be.",
        details: """
            A session is quarantined if gamed died while it handled one of its events, timers or commands, or restored it: \
            SESSIONS 0 STATE ! names it, STATE says why, HISTORY shows what happened before. No start tries it again; this \
            does, as a start would have done it. If gamed dies of it once more, it is quarantined as it was.
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
                "ERR",
                "'\(name.text.shortened)' is in '\(session.machine.stateName)' and is not quarantined; SESSIONS 0 STATE ! names those that are set aside"
            )
        }
        guard let unrestored = host.sessions.unrestored[name] else { throw .noSession(name.text) }
        guard unrestored.isQuarantined, let persistence = host.persistence else {
            throw CommandError(
                "ASIDE", "\(unrestored.error.sentence); it is not quarantined: each start tries it again by itself")
        }
        guard host.sessions.count < min(host.limits.sessions, SessionTable.mostSessions) else {
            throw .limit(\.sessions, "there are \(host.sessions.count) sessions, as many as are allowed")
        }
        do {
            return try persistence.retry(unrestored)
        } catch {
            throw CommandError(
                "ASIDE",
                "'\(name.text.shortened)' still cannot be restored: \(error); it stays quarantined: DROP \(name.text.shortened) gives it up"
            )
        }
    }
}
