// NEW's JSON: the parameters, the state and the data that a session begins with.

import GameFlow
import Texts
import Timers

extension FlowKind {
    /// Begins with the parameters in `context`, in the state named by `state`. The state's values are in `data`, or else in the
    /// object itself.
    package func begin(on timekeeper: Timekeeper, where json: JSON) throws -> AnyMachine {
        let context = json["context"]
        if let state = json["state"]?.text {
            let image = SessionImage(state: state, data: json["data"] ?? json.stateData, context: context)
            return try begin(on: timekeeper, at: image)
        }
        guard case .object(let members) = json, let context, members.allSatisfy({ $0.name == "context" }) else {
            let more = parameters.isEmpty ? "" : ", or gives the flow's parameters: {\"context\":{\"\(parameters[0].name)\":…}}"
            throw RestorationError(
                "NEW's JSON is an object that names the state to begin in: {\"state\":\"\(states[0])\"}\(more)")
        }
        return try begin(on: timekeeper, context: context)
    }
}

extension JSON {
    /// All members but the state and the parameters.
    fileprivate var stateData: JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != "state" && $0.name != "context" })
    }
}
