// STATE: where a session is.

import RESP
import Sessions
import Timers

extension Command {
    package static let state: Command = Command(
        name: "STATE", group: .sessions,
        syntax: "STATE session",
        summary: "Where a session is: flow, state, data, since_ms, life, version, postponed, paused, final.",
        details: """
            `since_ms` is the time in the state, `version` the number of changes so far, `data` what the state carries, \
            timers included. `life` is another one for each session that begins, also where an earlier one had the name. \
            `postponed` are the events that its flow has put off until the state changes. Where the flow has parameters, \
            `context` tells those of this session.
            """,
        examples: ["STATE room"],
        words: 2...2
    ) { call throws(CommandError) in
        let session = try call.session()
        let machine = session.machine
        let reply = call.reply
        let context = machine.contextText
        reply.append(mapOf: context == nil ? 9 : 10)
        reply.append(bulk: "flow")
        reply.append(bulk: machine.flowName)
        reply.append(bulk: "state")
        reply.append(bulk: machine.stateName)
        reply.append(bulk: "data")
        reply.append(bulk: (try? machine.stateData().description) ?? "null")
        reply.append(bulk: "since_ms")
        reply.append(integer: machine.since.duration(to: machine.timekeeper.now).milliseconds)
        reply.append(bulk: "life")
        reply.append(integer: Int(session.life))
        reply.append(bulk: "version")
        reply.append(integer: Int(machine.version))
        reply.append(bulk: "postponed")
        let postponed = machine.waitingEvents.filter(\.isPostponed)
        reply.append(arrayOf: postponed.count)
        for event in postponed { reply.append(bulk: event.event) }
        reply.append(bulk: "paused")
        reply.append(boolean: machine.isFrozen)
        reply.append(bulk: "final")
        reply.append(boolean: machine.isFinal)
        guard let context else { return }
        reply.append(bulk: "context")
        reply.append(bulk: context)
    }
}
