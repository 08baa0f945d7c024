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
        let timer = try timer.map { name throws(CommandError) in try session.timer(named: name) }
        let wasPaused = timer?.isPaused ?? session.machine.isFrozen
        if let timer { timer.pause() } else { session.machine.clock.freeze() }
        if !wasPaused { call.record(.paused, session, timer) }
        return .ok
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
        let machine = session.machine
        let timer = try timer.map { name throws(CommandError) in try session.timer(named: name) }
        do throws(TimerError) {
            for timer in timer.map({ [$0] }) ?? machine.timers.filter({ !$0.isPaused }) { try timer.checkThatItCanRun() }
        } catch {
            throw CommandError(.generic, error.description)
        }
        let wasPaused = timer?.isPaused ?? machine.isFrozen
        if let timer { timer.resume() } else { machine.clock.resume() }
        if wasPaused { call.record(.resumed, session, timer) }
        return .ok
    }
}
