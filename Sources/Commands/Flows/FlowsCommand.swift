// FLOWS: the names of the flows.

import RESP

extension Command {
    package static let flows: Command = Command(
        name: "FLOWS", group: .flows, needs: .reads(.nothing),
        syntax: "FLOWS",
        summary: "Lists the names of the flows.",
        examples: ["FLOWS"],
        words: 1...1
    ) { call throws(CommandError) in
        call.reply.append(arrayOf: call.host.sessions.flows.count)
        for flow in call.host.sessions.flows { call.reply.append(bulk: flow.name) }
    }
}
