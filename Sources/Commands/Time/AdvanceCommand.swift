// ADVANCE: virtual time passes.

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
            Every timer fires at its own instant, in order, as if the time had really passed. Only where gamed was started \
            with --time virtual, for tests: there, every client may do it.
            """,
        examples: ["ADVANCE 29.999s", "ADVANCE 10m"],
        words: 2...2, flags: [.changes]
    ) { call throws(CommandError) in
        guard let clock = call.host.virtualClock else {
            throw CommandError("ERR", "time passes by itself here; only a gamed started with --time virtual can be advanced")
        }
        let duration = try call.duration(1)
        guard duration >= .zero else {
            throw CommandError("ERR", "time cannot go back: '\(call.text(1).shortened)' is negative")
        }
        let end = call.host.timekeeper.now.duration(to: .last)
        guard duration <= end else {
            throw CommandError("ERR", "time ends in \(end.milliseconds) ms, and '\(call.text(1).shortened)' is longer")
        }
        call.reply.append(integer: try call.advance(clock, by: duration))
    }
}

extension Call {
    /// A client that asks for a century of ticks must not keep all others waiting for it.
    fileprivate func advance(_ clock: VirtualClock, by duration: Duration) throws(CommandError) -> Int {
        let goal = host.timekeeper.now.advanced(by: duration)
        let (most, whenTimeMoves) = (host.limits.advanceFirings, host.whenTimeMoves)
        var fired = 0
        defer { host.sessions.keepRunning() }
        do {
            return try host.timekeeper.advance(clock, by: duration) {
                guard fired < most else { throw CommandError("LIMIT", "") }
                let now = host.timekeeper.fireDue(atMost: most)
                fired += now
                whenTimeMoves()
                return now
            }
        } catch {
            let left = host.timekeeper.now.duration(to: goal).milliseconds
            throw CommandError("LIMIT", "\(fired) timers have fired and \(left) ms are left to go; ADVANCE \(left) goes on")
        }
    }
}
