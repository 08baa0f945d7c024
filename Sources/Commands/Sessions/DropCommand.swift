// DROP: ends a session.

import GameFlow
import Memory
import RESP
import Sessions

extension Command {
    package static let drop = Command(
        name: "DROP", group: .sessions, needs: .masters(.session),
        summary: "Ends a session and its timers. Replies with 1, or 0 if there is no such session.",
        details: """
            Its history can be read while its entries are kept and no other session has the name. UNDROP undoes it within \
            ten seconds (undo-ms, a limit), except for a session that was set aside.
            """,
        examples: ["DROP room"],
        flags: [.changes],
        Form(DropRequest.self))
}

package struct DropRequest: SessionRequest {
    package let name: ByteString

    package init(session: ByteString) { name = session }

    package static let form = CommandForm(.session) { DropRequest(session: $0) }
    package static var command: Command { .drop }

    /// Returns the number of sessions that were there.
    package func run(_ call: Call) throws(CommandError) -> Int {
        let sessions = call.host.sessions
        // Marks it; in the middle of an ADVANCE its due timers fire first.
        if sessions.find(name) != nil { _ = try call.session(name) }
        let isGone =
            name.withBytes { sessions.drop(Argument($0), by: call.actor, from: call.source) }
            || sessions.dropSetAside(name, by: call.actor, from: call.source)
        return isGone ? 1 : 0
    }
}

extension Command {
    package static let undrop = Command(
        name: "UNDROP", group: .sessions, needs: .masters(.session),
        summary: "Undoes a DROP of the last 10 s (limit undo-ms): restarts the session where it was. Replies with the state.",
        details: """
            Its state, its data, the remaining time of its timers and its postponed events are as they were when it was \
            dropped; a paused session stays paused. Its life and history are new, and version counts from 0. Children that \
            were dropped with it are restored with it; one that is no longer kept causes error.invoke. NOSESSION: it is too late \
            (undo-ms, a limit), 64 or more others were dropped since, it and these carry more than 4 MiB, the daemon was \
            restarted, it was set aside, or it was a child, which is restored only with its parent. EXISTS: the name is in use.
            """,
        examples: ["UNDROP room"],
        flags: [.changes],
        Form(UndropRequest.self))
}

package struct UndropRequest: SessionRequest {
    package let name: ByteString

    package static let form = CommandForm(.session) { UndropRequest(name: $0) }
    package static var command: Command { .undrop }

    package func run(_ call: Call) throws(CommandError) -> SimpleText {
        // There is no session yet: if this traps, nothing is on disk that could trap again.
        call.mark(nil)
        let session = try call.beginWithinQuota { () throws(CommandError) in
            do throws(SessionError) {
                return try call.host.sessions.undrop(name, by: call.actor, from: call.source)
            } catch {
                throw error.code == .limit ? .limit(\.sessions, error.sentence) : CommandError(error)
            }
        }
        // It counts against the quota of the token that created it again, which may be another.
        call.host.countSessionsOfTokens(among: [session])
        return SimpleText(session.machine.stateName)
    }
}
