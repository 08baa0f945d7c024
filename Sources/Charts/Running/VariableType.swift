// What a variable of the context may hold.

import GameFlow

/// The type of a variable, checked at every assignment.
enum VariableType: Sendable {
    case anything
    case integer
    /// With bounds, or of another type.
    case bounded(PayloadKind)

    init(_ variable: ContextVariable) {
        guard let kind = variable.kind else {
            self = .anything
            return
        }
        self = kind == PayloadKind.integer(variable.name) ? .integer : .bounded(kind)
    }

    /// The value as the variable holds it; nil if it may not. Lua's division gives a number with a fraction even where that is zero.
    func accepted(_ value: JSON) -> JSON? {
        switch self {
        case .anything: return value
        case .integer: return value.integer.map { .integer($0) }
        case .bounded(let kind):
            guard kind.allows(value) else { return nil }
            return kind.shape == .integer ? value.integer.map { .integer($0) } : value
        }
    }
}

extension ContextVariable {
    /// Its type, in words.
    var words: String { kind.map { Parameter(name, like: $0, default: initial).allowed } ?? "anything" }
}
