// PAUSE: stops a session's clock or a timer.

import GameFlow
import Memory
import RESP
import Sessions

extension Command {
    package static let pause = Command(
        name: "PAUSE", group: .time, needs: .masters(.session),
        summary: "Pauses a session's clock, or one of its timers.",
        details: """
            A session's timers stop and keep their remaining time; events are still accepted. A timer that was paused \
            individually stays paused when the session is resumed.
            """,
        examples: ["PAUSE room", "PAUSE room lobby"],
        flags: [.changes],
        Form(PauseRequest.self))
}

package struct PauseRequest: SessionRequest {
    package let name: ByteString
    let timer: String?

    package init(session: ByteString, timer: String?) { (name, self.timer) = (session, timer) }

    package static let form = CommandForm(.session, .timer) { PauseRequest(session: $0, timer: $1) }
    package static var command: Command { .pause }

    package func run(_ call: Call) throws(CommandError) -> EncodedReply {
        let session = try call.session(name)
        if let timer { pause(try session.timer(named: timer), of: session, call) } else { pauseClock(of: session, call) }
        return .ok
    }

    private func pauseClock(of session: Session, _ call: Call) {
        guard !session.machine.isFrozen else { return }
        session.machine.clock.freeze()
        call.record(.paused, session)
    }

    private func pause(_ timer: StateTimer, of session: Session, _ call: Call) {
        let wasPaused = timer.isPaused
        timer.pause()
        if !wasPaused { call.record(.paused, session, timer) }
    }
}

extension Command {
    package static let resume = Command(
        name: "RESUME", group: .time, needs: .masters(.session),
        summary: "Resumes a session's clock, or one of its timers, with the remaining time.",
        examples: ["RESUME room", "RESUME room lobby"],
        flags: [.changes],
        Form(ResumeRequest.self))
}

package struct ResumeRequest: SessionRequest {
    package let name: ByteString
    let timer: String?

    package init(session: ByteString, timer: String?) { (name, self.timer) = (session, timer) }

    package static let form = CommandForm(.session, .timer) { ResumeRequest(session: $0, timer: $1) }
    package static var command: Command { .resume }

    package func run(_ call: Call) throws(CommandError) -> EncodedReply {
        let session = try call.session(name)
        if let timer {
            try resume(try session.timer(named: timer), of: session, call)
        } else {
            try resumeClock(of: session, call)
        }
        return .ok
    }

    private func resumeClock(of session: Session, _ call: Call) throws(CommandError) {
        let machine = session.machine
        for timer in machine.timers where !timer.isPaused { try check(timer) }
        guard machine.isFrozen else { return }
        machine.clock.resume()
        call.record(.resumed, session)
    }

    private func resume(_ timer: StateTimer, of session: Session, _ call: Call) throws(CommandError) {
        try check(timer)
        let wasPaused = timer.isPaused
        timer.resume()
        if wasPaused { call.record(.resumed, session, timer) }
    }

    private func check(_ timer: StateTimer) throws(CommandError) {
        do throws(TimerError) { try timer.checkThatItCanRun() } catch { throw CommandError(.generic, error.description) }
    }
}
