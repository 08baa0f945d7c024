// TIMERS: a session's timers.

import GameFlow
import RESP
import Sessions
import Timers

extension Command {
    package static let timers: Command = Command(
        name: "TIMERS", group: .time,
        syntax: "TIMERS session",
        summary: "Shows a session's timers, with the time left on each.",
        details: """
            `generation` changes whenever a timer is armed, stopped or extended: data with a lower number is older.
            """,
        examples: ["TIMERS room"],
        words: 2...2
    ) { call throws(CommandError) in
        let machine = try call.session().machine
        let timers = machine.timers.filter { $0.remaining != nil }
        call.reply.append(arrayOf: timers.count)
        for timer in timers { append(timer, of: machine, to: call.reply) }
    }

    private static func append(_ timer: StateTimer, of machine: AnyMachine, to reply: ReplyBuffer) {
        var map = reply.beginMap()
        map.field("name", timer.plan.name)
        map.field("kind", timer.plan.kind.rawValue)
        map.field("remaining_ms", timer.remaining?.milliseconds ?? 0)
        map.field("period_ms", timer.plan.kind == .pendulum ? timer.plan.length.milliseconds : nil)
        map.field("event", timer.plan.messageName)
        map.field("paused", timer.isPaused || machine.isFrozen)
        map.field("generation", Int(timer.generation))
        map.end()
    }
}
