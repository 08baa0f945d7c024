// A state's name and its data, apart: what is stored, shown, and given by whoever starts a session somewhere.

import Timers

extension FlowState {
    /// The state's data as JSON, without its name: the values that its case carries, timers among them.
    func savedData() throws -> JSON {
        let whole = try StateEncoder.encode(self)
        return whole[name] ?? whole
    }

    public static func restored(_ name: String, _ data: JSON, _ restoring: Restoring) throws -> Self {
        guard case .object(let members) = data else { throw RestoringError("the data of '\(name)' must be an object") }
        if members.isEmpty, name == restoring.stateName { return try restoring.decode(from: restoring.bareState) }
        return try restoring.decode(from: .object([.init(name, data)]))
    }
}
