// TIMERS: a session's timers.

import GameFlow
import RESP
import Sessions
import Timers

extension Command {
    package static let timers: Command = Command(
        name: "TIMERS", group: .time,
        syntax: "TIMERS session",
        summary: "A session's timers, with what is left of each.",
        details: """
            `generation` changes whenever a timer is armed anew, stopped or extended: an older number means older data.
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
        reply.append(mapOf: 7)
        reply.append(bulk: "name")
        reply.append(bulk: timer.plan.name)
        reply.append(bulk: "kind")
        reply.append(bulk: timer.plan.kind.rawValue)
        reply.append(bulk: "remaining_ms")
        reply.append(integer: timer.remaining?.milliseconds ?? 0)
        reply.append(bulk: "period_ms")
        if timer.plan.kind == .pendulum { reply.append(integer: timer.plan.length.milliseconds) } else { reply.appendNull() }
        reply.append(bulk: "event")
        reply.append(bulkOrNull: timer.plan.messageName)
        reply.append(bulk: "paused")
        reply.append(boolean: timer.isPaused || machine.isFrozen)
        reply.append(bulk: "generation")
        reply.append(integer: Int(timer.generation))
    }
}
