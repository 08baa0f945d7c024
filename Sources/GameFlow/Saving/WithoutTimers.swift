// States without their timers, to compare them regardless of the time passed.

extension JSON {
    /// The data without timers.
    package var withoutTimers: JSON {
        switch self {
        case .object(let members):
            .object(members.filter { $0.value["timer"] == nil }.map { Member($0.name, $0.value.withoutTimers) })
        case .array(let values): .array(values.map(\.withoutTimers))
        default: self
        }
    }
}
