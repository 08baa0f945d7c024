// DESCRIBE: what a flow is made of.

import GameFlow
import RESP
import Sessions
import Timers

extension Command {
    static let describe: Command = Command(
        name: "DESCRIBE", group: .flows,
        syntax: "DESCRIBE flow",
        summary: "A flow's states, events and timers, and what its sessions can be begun with.",
        details: """
            Events are told with what they carry and who may send them, timers with their length and what becomes of them \
            over a restart. A flow with parameters tells each with what it may be and what it is if nobody says so: NEW takes \
            them as `context`.
            """,
        examples: ["DESCRIBE game"],
        words: 2...2
    ) { call throws(CommandError) in
        let kind = try call.flow()
        call.reply.append(mapOf: kind.parameters.isEmpty ? 4 : 5)
        call.reply.append(bulk: "flow")
        call.reply.append(bulk: kind.name)
        call.reply.append(bulk: "states")
        call.reply.append(arrayOf: kind.states.count)
        for state in kind.states { call.reply.append(bulk: state) }
        call.reply.append(bulk: "events")
        call.reply.append(arrayOf: kind.events.count)
        for event in kind.events { describe(event, to: call.reply) }
        call.reply.append(bulk: "timers")
        call.reply.append(arrayOf: kind.timers.count)
        for timer in kind.timers { describe(timer, to: call.reply) }
        guard !kind.parameters.isEmpty else { return }
        call.reply.append(bulk: "parameters")
        call.reply.append(arrayOf: kind.parameters.count)
        for parameter in kind.parameters { describe(parameter, to: call.reply) }
    }

    private static func describe(_ parameter: Parameter, to reply: ReplyBuffer) {
        reply.append(mapOf: 3)
        reply.append(bulk: "name")
        reply.append(bulk: parameter.name)
        reply.append(bulk: "allowed")
        reply.append(bulk: parameter.allowed)
        reply.append(bulk: "default")
        if let standard = parameter.standard { reply.append(bulk: standard.description) } else { reply.appendNull() }
    }

    private static func describe(_ event: AcceptedEvent, to reply: ReplyBuffer) {
        let sources = EventSource.allCases.filter { event.sources.contains($0) }
        reply.append(mapOf: 3)
        reply.append(bulk: "name")
        reply.append(bulk: event.name)
        reply.append(bulk: "payload")
        if let payload = event.payload {
            reply.append(bulk: "\(payload.name): \(payload.shape.rawValue)\(payload.hint.map { ", \($0)" } ?? "")")
        } else {
            reply.appendNull()
        }
        reply.append(bulk: "from")
        reply.append(arrayOf: sources.count)
        for source in sources { reply.append(bulk: source.name) }
    }

    private static func describe(_ timer: TimerPlan, to reply: ReplyBuffer) {
        reply.append(mapOf: 4)
        reply.append(bulk: "name")
        reply.append(bulk: timer.name)
        reply.append(bulk: "kind")
        reply.append(bulk: timer.kind.rawValue)
        reply.append(bulk: "length_ms")
        reply.append(integer: timer.length.milliseconds)
        reply.append(bulk: "restart")
        reply.append(bulk: timer.restart.rawValue)
    }
}
