// RESUME: a clock goes on.

import GameFlow
import RESP
import Timers

extension Command {
    static let resume: Command = Command(
        name: "RESUME", group: .time,
        syntax: "RESUME session [timer]",
        summary: "Lets a session's clock go on, or one of its timers, with what was left.",
        examples: ["RESUME room", "RESUME room lobby"],
        words: 2...3, flags: [.changes]
    ) { call throws(CommandError) in
        if call.count == 2 { try call.session().machine.clock.resume() } else { try call.timer(2).resume() }
        try call.session().timersHaveChanged()
        call.reply.append(.ok)
    }
}
