// EXTEND: adds time to a timer, or takes it away.

import RESP
import Sessions
import Timers

extension Command {
    package static let extend: Command = Command(
        name: "EXTEND", group: .time, needs: .masters(.session),
        syntax: "EXTEND session timer duration",
        summary: "Adds time to a timer, or takes it away (-10s). Replies with the time left, in ms.",
        details: """
            Works beyond the timer's original length, and while it is paused. Taking more than is left fires it now.
            """,
        examples: ["EXTEND room lobby 90s", "EXTEND room lobby 1m30s", "EXTEND room lobby -10s"],
        words: 4...4, flags: [.changes]
    ) { call throws(CommandError) in
        let timer = try call.timer(2)
        let duration = try call.duration(3)
        do throws(TimerError) {
            try timer.extend(by: duration)
        } catch {
            throw CommandError(.generic, error.description)
        }
        call.note(.extended, try call.session(), timer, payload: "\(duration.milliseconds)")
        call.reply.append(integer: timer.remaining?.milliseconds ?? 0)
    }
}
