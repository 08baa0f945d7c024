// Limits of one sandbox: time, work and memory.

import Commands
import RESP
import Texts
import Timers

/// The bounds of a sandbox. Many can be walked at once in a daemon that has other things to do.
package enum SandboxBounds {
    /// How far its time goes, in milliseconds: 30 days.
    static let time = 30 * 86_400_000
    /// Timers fired between the beginning and the instant at which it stands, so that any instant can be walked to again.
    static let firings = 20_000
    /// Steps, and the bytes of all of them.
    static let (steps, stepBytes) = (500, 1 << 20)
    /// Lines that are shown.
    static let lines = 200
    /// Real time of one call, unless a single step of the flow takes longer.
    package static let slice = Duration.milliseconds(4)
    /// Jobs of stand-ins between two looks at the clock.
    static let jobs = 64

    /// Those of its sessions.
    static var limits: Limits {
        var limits = Limits()
        limits.sessions = 64
        limits.historyLines = 4_096
        limits.sessionHistory = lines
        limits.historyBytes = 512 << 10
        limits.payloadBytes = 64 << 10
        limits.waitingBytes = 256 << 10
        // A step back takes anything back.
        limits.undoMilliseconds = 0
        return limits
    }
}

extension CommandError {
    static let sandboxIsBusy = CommandError(
        .busy, "the sandbox is still on its way; send this again when it has arrived")

    static func sandboxFired(_ now: Duration) -> CommandError {
        CommandError(
            .limit,
            "\(SandboxBounds.firings) timers have fired by \(now.written), as many as a sandbox fires; go back, or begin it anew"
        )
    }

    static let sandboxHasManySteps = CommandError(
        .limit,
        "a sandbox takes \(SandboxBounds.steps) steps with \(SandboxBounds.stepBytes) bytes; begin it anew, or go back before the next one"
    )

    static func sandboxEnds(_ what: String) -> CommandError {
        CommandError(
            .limit, "\(what); a sandbox's time goes from 0 to \(SandboxBounds.time) ms, which is 30 days")
    }

    static func sandboxPayload(_ bytes: Int) -> CommandError {
        CommandError(
            .limit, "a sandbox takes data of \(SandboxBounds.limits.payloadBytes) bytes at most, and not \(bytes)")
    }
}
