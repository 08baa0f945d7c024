// VIEW: everything that a user interface needs of a session.

import Memory
import RESP

extension Command {
    package static let view = Command(
        name: "VIEW", group: .sessions, needs: .reads(.session),
        summary: "Shows a session's view: one JSON object with all that a user interface needs.",
        details: """
            Its fields are session, flow, state, life, version, data, title, text, progress, paused, final, actions, timers and \
            at_ms. `actions` are the events that a client may send now, each with a label and what it carries, as JSON Schema \
            says it; null if that is nothing. `timers` are as TIMERS shows them. Who keeps the newest view and counts \
            `remaining_ms` down, except where `paused`, shows what is true; `at_ms` is when that was, and counts from 1970.
            """,
        examples: ["VIEW room"],
        ViewRequest.self)
}

package struct ViewRequest: SessionRequest {
    package let name: ByteString

    package init(session: ByteString) { name = session }

    package static let form = CommandForm(.session) { ViewRequest(session: $0) }
    package static var command: Command { .view }

    package func run(_ call: Call) throws(CommandError) -> JSONReply {
        let text = viewText(of: try call.session(name))
        // A thousand bytes take some microseconds.
        call.charge(requests: text.utf8.count / 128)
        return JSONReply(text)
    }
}
