// TIMERS: a session's timers.

import GameFlow
import RESP
import Sessions
import Timers

extension Command {
    package static let timers: Command = Command(
        name: "TIMERS", group: .time, needs: .reads(.session),
        syntax: "TIMERS session",
        summary: "Shows a session's timers, with the time left on each.",
        details: """
            `generation` changes whenever a timer is armed, stopped or extended: data with a lower number is older. `length_ms` \
            is how long it lasts when nobody extends it; `deadline_ms`, which counts from 1970, is when it fires, and null \
            while it stands still. Milliseconds are whole, and rounded up.
            """,
        examples: ["TIMERS room"],
        words: 2...2
    ) { call throws(CommandError) in
        let machine = try call.session().machine
        let timers = machine.timers.filter { $0.remaining != nil }
        call.reply.append(arrayOf: timers.count)
        let now = call.host.timekeeper.wallNanoseconds
        for timer in timers { append(timer, of: machine, at: now, to: call.reply) }
    }

    private static func append(_ timer: StateTimer, of machine: AnyMachine, at now: Int64, to reply: ReplyBuffer) {
        var map = reply.beginMap()
        map.field("name", timer.plan.name)
        map.field("kind", timer.plan.kind.rawValue)
        map.field("remaining_ms", timer.remaining?.milliseconds ?? 0)
        map.field("period_ms", timer.plan.kind == .pendulum ? timer.plan.length.milliseconds : nil)
        map.field("event", timer.plan.messageName)
        map.field("paused", timer.isPaused || machine.isFrozen)
        map.field("generation", Int(timer.generation))
        map.field("length_ms", timer.plan.length.milliseconds)
        map.field("deadline_ms", timer.wallDeadline(from: now))
        map.end()
    }
}
