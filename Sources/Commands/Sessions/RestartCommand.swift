// RESTART: restarts a session.

import GameFlow
import Memory
import RESP
import Sessions

extension Command {
    package static let restart = Command(
        name: "RESTART", group: .sessions, needs: .masters(.session),
        summary:
            "Restarts a session in its flow's first state, with its original parameters. Replies with the state.",
        details: """
            It is DROP and NEW in one turn: the session's life and history are new, its timers and events that wait are gone, and its \
            children end; a session that has begun it keeps it as its child. With JSON it begins as NEW begins it with that, and with \
            no parameters but those. If it cannot begin so, nothing changes. The history shows who did it.
            """,
        examples: ["RESTART room", #"RESTART room '{"context":{"minutes":45}}'"#],
        flags: [.changes], longWord: 2,
        RestartRequest.self)
}

package struct RestartRequest: SessionRequest {
    package let name: ByteString
    let beginning: JSON?

    package init(session: ByteString, beginning: JSON?) { (name, self.beginning) = (session, beginning) }

    package static let form = CommandForm(.session, .beginning) { RestartRequest(session: $0, beginning: $1) }
    package static var command: Command { .restart }

    package func run(_ call: Call) throws(CommandError) -> SimpleText {
        let session = try call.session(name)
        do throws(SessionError) {
            let anew = try call.host.sessions.restart(session, beginning, by: call.actor, from: call.source)
            return SimpleText(anew.machine.stateName)
        } catch {
            throw CommandError(error)
        }
    }
}
