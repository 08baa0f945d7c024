// ADVANCE: advances virtual time.

import RESP
import Sessions
import Texts
import Timers

extension Command {
    package static let advance: Command = Command(
        name: "ADVANCE", group: .time,
        syntax: "ADVANCE duration",
        summary: "Advances virtual time, and fires every timer on the way. Replies with how many fired.",
        details: """
            Every timer fires at its own instant, in order, as if the time had really passed. Only where the daemon was \
            started with --time virtual, for tests; every client may do it there.
            """,
        examples: ["ADVANCE 29.999s", "ADVANCE 10m"],
        words: 2...2, flags: [.changes]
    ) { call throws(CommandError) in
        guard let clock = call.host.virtualClock else {
            throw CommandError(
                .generic, "time passes by itself here; only a daemon started with --time virtual can be advanced")
        }
        let duration = try call.duration(1)
        guard duration >= .zero else {
            throw CommandError(.generic, "time cannot go backwards: '\(call.text(1).shortened)' is negative")
        }
        let end = call.host.timekeeper.now.duration(to: .last)
        guard duration <= end else {
            throw CommandError(.generic, "time ends in \(end.milliseconds) ms, and '\(call.text(1).shortened)' is longer")
        }
        call.reply.append(integer: try call.advance(clock, by: duration))
    }
}

extension Call {
    /// Bounded, so that a client asking for a century of ticks does not block all others.
    fileprivate func advance(_ clock: VirtualClock, by duration: Duration) throws(CommandError) -> Int {
        let goal = host.timekeeper.now.advanced(by: duration)
        let (most, whenTimeMoves) = (host.limits.advanceFirings, host.whenTimeMoves)
        var fired = 0
        defer { host.sessions.keepRunning() }
        do {
            return try host.timekeeper.advance(clock, by: duration) {
                guard fired < most else { throw CommandError(.limit, "") }
                let now = host.timekeeper.fireDue(atMost: most)
                fired += now
                whenTimeMoves()
                return now
            }
        } catch {
            let left = host.timekeeper.now.duration(to: goal).milliseconds
            throw CommandError(.limit, "\(fired) timers have fired and \(left) ms are left to go; ADVANCE \(left) goes on")
        }
    }
}
