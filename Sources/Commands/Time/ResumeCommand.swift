// RESUME: restarts a session's clock or a timer.

import RESP
import Timers

extension Command {
    package static let resume: Command = Command(
        name: "RESUME", group: .time, needs: .masters(.session),
        syntax: "RESUME session [timer]",
        summary: "Resumes a session's clock, or one of its timers, with the time that was left.",
        examples: ["RESUME room", "RESUME room lobby"],
        words: 2...3, flags: [.changes]
    ) { call throws(CommandError) in
        if call.count == 2 { try call.resumeClock() } else { try call.resume(try call.timer(2)) }
        call.reply.append(.ok)
    }
}

extension Call {
    fileprivate func resumeClock() throws(CommandError) {
        let session = try session()
        let machine = session.machine
        for timer in machine.timers where !timer.isPaused { try check(timer) }
        guard machine.isFrozen else { return }
        machine.clock.resume()
        note(.resumed, session)
    }

    fileprivate func resume(_ timer: StateTimer) throws(CommandError) {
        try check(timer)
        let wasPaused = timer.isPaused
        timer.resume()
        if wasPaused { note(.resumed, try session(), timer) }
    }

    private func check(_ timer: StateTimer) throws(CommandError) {
        do throws(TimerError) { try timer.checkThatItCanRun() } catch { throw CommandError(.generic, error.description) }
    }
}
