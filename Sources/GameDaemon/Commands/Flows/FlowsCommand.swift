// FLOWS: the names of the flows.

import RESP

extension Command {
    static let flows: Command = Command(
        name: "FLOWS", group: .flows,
        syntax: "FLOWS",
        summary: "The names of the flows that sessions can be made of.",
        examples: ["FLOWS"],
        words: 1...1
    ) { call throws(CommandError) in
        call.reply.append(arrayOf: call.daemon.sessions.flows.count)
        for flow in call.daemon.sessions.flows { call.reply.append(bulk: flow.name) }
    }
}
