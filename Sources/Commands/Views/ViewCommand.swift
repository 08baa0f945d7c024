// VIEW: everything that a user interface needs of a session.

import Memory
import Posix
import RESP
import Timers

extension Command {
    package static let view = Command(
        name: "VIEW", group: .sessions, needs: .reads(.session),
        summary: "Shows a session's view: one JSON object with everything that a user interface needs.",
        details: """
            Its fields are session, flow, state, life, version, data, title, text, progress, paused, final, actions, \
            timers, postponed and at_ms. `actions` are the events that a client may send now, each with a label and the JSON \
            Schema of its payload, or null if it has none. An action also has `sources` if `ui` is not among them: people may \
            not send it. `timers` are as in TIMERS, each with a label and without `deadline_ms`, and `postponed` are the \
            events that WITHDRAW can withdraw. A client that counts `remaining_ms` of the newest view down, except where \
            `paused`, shows the current state; `at_ms` is the time of the view, in ms since 1970. If the flow's sessions \
            expire (--expire), the view also has `expires_ms` and `expires`, as in STATE.
            """,
        examples: ["VIEW room"],
        Form(ViewRequest.self))
}

package struct ViewRequest: SessionRequest {
    package let name: ByteString

    package init(session: ByteString) { name = session }

    package static let form = CommandForm(.session) { ViewRequest(session: $0) }
    package static var command: Command { .view }

    package func run(_ call: Call) throws(CommandError) -> String {
        let text = viewText(of: try call.session(name))
        // A thousand bytes take some microseconds.
        call.charge(requests: text.utf8.count / 128)
        return text
    }
}
