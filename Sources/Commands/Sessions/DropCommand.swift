// DROP: ends a session.

import Memory
import RESP

extension Command {
    package static let drop = Command(
        name: "DROP", group: .sessions, needs: .masters(.session),
        summary: "Ends a session and its timers. Replies with 1, or 0 if there is no such session.",
        details: """
            Its history can still be read, for as long as its lines are kept and no other session has the name. UNDROP takes it \
            back, for ten seconds (undo-ms, a limit).
            """,
        examples: ["DROP room"],
        flags: [.changes],
        DropRequest.self)
}

package struct DropRequest: SessionRequest {
    package let name: ByteString

    package init(session: ByteString) { name = session }

    package static let form = CommandForm(.session) { DropRequest(session: $0) }
    package static var command: Command { .drop }

    /// Returns the number of sessions that were there.
    package func run(_ call: Call) throws(CommandError) -> Int {
        let sessions = call.host.sessions
        if let session = sessions.find(name) { call.mark(session) }
        let isGone =
            name.withBytes { sessions.drop(Argument($0), by: call.actor, from: call.source) }
            || sessions.dropSetAside(name, by: call.actor, from: call.source)
        return isGone ? 1 : 0
    }
}
