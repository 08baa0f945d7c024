// A state, by its name and its data: what is stored, shown, and given by whoever starts a session somewhere.

import Timers

/// Where a session is: an enum whose cases carry what belongs to each state, timers among it. It can be saved and restored.
public protocol FlowState: Codable, SendableMetatype {
    /// The name of a state that is no enum's case; nil where the case is the name.
    var ownName: String? { get }

    /// The names of all states. An enum's are known; another type lists them.
    static var allNames: [String] { get }

    /// Whether the state carries this timer. The machine asks after a step about timers that it does not see in the value itself:
    /// those in an indirect case, a class or a collection. The default looks by reflection, which takes some microseconds; a state
    /// that keeps its timers there and is in a hurry says it itself.
    func carries(_ timer: StateTimer) -> Bool

    /// The state of that name with this data.
    static func restored(_ name: String, _ data: JSON, _ restoring: Restoring) throws -> Self
}

extension FlowState {
    @inlinable public var ownName: String? { nil }
    public func carries(_ timer: StateTimer) -> Bool { TimerSearch(for: timer).finds(in: self) }

    /// What clients are told. A machine knows the name of its state faster: it learns each case's name once.
    public var name: String { ownName ?? caseName(of: self) }

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
