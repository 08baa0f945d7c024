// ADVANCE: advances virtual time.

import RESP
import Sessions
import Texts
import Timers

extension Command {
    package static let advance: Command = Command(
        name: "ADVANCE", group: .time, needs: .masters(.everything),
        syntax: "ADVANCE duration",
        summary: "Advances virtual time and fires every timer on the way. Replies with the number of fired timers.",
        details: """
            Every timer fires at its own instant, in order, as if the time had really passed. Only where the daemon was \
            started with --time virtual, for tests; every client may do it there. What takes long goes on over several turns: \
            others are served meanwhile, at the instant that has been reached, and another ADVANCE begins when this one has \
            ended. Within MULTI it stops after some thousand timers, and says how to go on.
            """,
        examples: ["ADVANCE 29.999s", "ADVANCE 10m"],
        words: 2...2, flags: [.changes]
    ) { call throws(CommandError) in
        guard let clock = call.host.virtualClock else {
            throw CommandError(
                .generic, "ADVANCE needs virtual time; start gamed with --time virtual")
        }
        let duration = try call.duration(1)
        guard duration >= .zero else {
            throw CommandError(.generic, "time cannot go backwards: '\(call.text(1).shortened)' is negative")
        }
        let end = call.host.timekeeper.now.duration(to: .last)
        guard duration <= end else {
            throw CommandError(.generic, "time ends in \(end.milliseconds) ms, and '\(call.text(1).shortened)' is longer")
        }
        call.host.advancing.begin(clock, by: duration, call)
    }
}
