// RESTART: begins a session anew.

import RESP
import Sessions

extension Command {
    package static let restart: Command = Command(
        name: "RESTART", group: .sessions, needs: .masters(.session),
        syntax: "RESTART session [json]",
        summary:
            "Restarts a session in its flow's first state, with its original parameters. Replies with the state.",
        details: """
            It is DROP and NEW in one turn: the session's life and history are new, its timers and events that wait are gone, and its \
            children end; a session that has begun it keeps it as its child. With JSON it begins as NEW begins it with that, and with \
            no parameters but those. If it cannot begin so, nothing changes. The history shows who did it.
            """,
        examples: ["RESTART room", #"RESTART room '{"context":{"minutes":45}}'"#],
        words: 2...3, flags: [.changes], longWord: 2
    ) { call throws(CommandError) in
        let session = try call.session()
        let data = try call.payload(2)?.json
        do throws(SessionError) {
            let anew = try call.host.sessions.restart(session, data, by: call.actor, from: call.source)
            call.reply.append(simple: anew.machine.stateName)
        } catch {
            throw CommandError(error)
        }
    }
}
