// FLOWS: the names of the flows.

import RESP

extension Command {
    package static let flows = Command(
        name: "FLOWS", group: .flows, needs: .reads(.nothing),
        summary: "Lists the names of the flows.",
        examples: ["FLOWS"],
        FlowsRequest.self)
}

struct FlowsRequest: PromptRequest {
    static let form = CommandForm { FlowsRequest() }
    static var command: Command { .flows }

    func run(_ call: Call) throws(CommandError) -> [String] { call.host.sessions.flows.map(\.name) }
}
