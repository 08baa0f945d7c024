// PAUSE: stops a session's clock or a timer.

import GameFlow
import RESP
import Sessions
import Timers

extension Command {
    package static let pause: Command = Command(
        name: "PAUSE", group: .time, needs: .masters(.session),
        syntax: "PAUSE session [timer]",
        summary: "Pauses a session's clock, or one of its timers.",
        details: """
            A session's timers stop and keep the time they have left; events are still accepted. A timer that was paused by \
            itself stays paused when the session is resumed.
            """,
        examples: ["PAUSE room", "PAUSE room lobby"],
        words: 2...3, flags: [.changes]
    ) { call throws(CommandError) in
        if call.count == 2 { try call.pauseClock() } else { try call.pause(try call.timer(2)) }
        call.reply.append(.ok)
    }
}

extension Call {
    fileprivate func pauseClock() throws(CommandError) {
        let session = try session()
        guard !session.machine.isFrozen else { return }
        session.machine.clock.freeze()
        note(.paused, session)
    }

    fileprivate func pause(_ timer: StateTimer) throws(CommandError) {
        let (session, wasPaused) = (try session(), timer.isPaused)
        timer.pause()
        if !wasPaused { note(.paused, session, timer) }
    }
}
