// How a session begins that is not simply begun: NEW's JSON, with parameters, a state and its data.

import GameFlow
import RESP
import Texts
import Timers

extension FlowKind {
    /// With the parameters that `context` gives, and in the state that `state` names. That state's own values are in `data`, or else
    /// in the object itself.
    package func begin(on timekeeper: Timekeeper, where json: JSON) throws -> AnyMachine {
        let context = json["context"]
        if let state = json["state"]?.text {
            return try begin(
                on: timekeeper, context: context, at: SessionImage(state: state, data: json["data"] ?? json.stateData))
        }
        guard case .object(let members) = json, let context, members.allSatisfy({ $0.name == "context" }) else {
            let more = parameters.isEmpty ? "" : ", or gives the flow's parameters: {\"context\":{\"\(parameters[0].name)\":…}}"
            throw RestoringError(
                "a session is begun somewhere with an object that names the state: {\"state\":\"\(states[0])\"}\(more)")
        }
        return try begin(on: timekeeper, context: context)
    }
}

extension JSON {
    /// What stands beside the state and the parameters.
    fileprivate var stateData: JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != "state" && $0.name != "context" })
    }
}

extension CommandError {
    package static func noFlow(_ name: String, _ flows: [FlowKind]) -> CommandError {
        CommandError("NOFLOW", "there is no flow '\(name.shortened)'; there are \(flows.map(\.name).joined(separator: ", "))")
    }
}
