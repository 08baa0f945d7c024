// States compared, apart from the time that has passed in them.

extension JSON {
    /// The data without what changes with every second.
    package var withoutTimers: JSON {
        switch self {
        case .object(let members):
            .object(members.filter { $0.value["timer"] == nil }.map { Member($0.name, $0.value.withoutTimers) })
        case .array(let values): .array(values.map(\.withoutTimers))
        default: self
        }
    }
}
