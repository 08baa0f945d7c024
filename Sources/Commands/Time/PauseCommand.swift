// PAUSE: stops a session's clock or a timer.

import RESP

extension Command {
    package static let pause: Command = Command(
        name: "PAUSE", group: .time,
        syntax: "PAUSE session [timer]",
        summary: "Stops a session's clock, or one of its timers.",
        details: """
            A session's timers stop and keep the time they have left; events are still accepted. A timer that was paused by \
            itself stays paused when the session is resumed.
            """,
        examples: ["PAUSE room", "PAUSE room lobby"],
        words: 2...3, flags: [.changes]
    ) { call throws(CommandError) in
        if call.count == 2 { try call.session().machine.clock.freeze() } else { try call.timer(2).pause() }
        try call.session().timersHaveChanged()
        call.reply.append(.ok)
    }
}
