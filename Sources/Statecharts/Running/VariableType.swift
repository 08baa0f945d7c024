// What a variable of the context may hold.

import GameFlow

/// The type of a variable, checked at every assignment.
enum VariableType: Sendable {
    case anything
    case array
    case object
    case integer
    /// With bounds, or of another type.
    case bounded(PayloadKind)

    init(_ variable: ContextVariable) {
        guard let kind = variable.kind else {
            switch variable.initial {
            case .array: self = .array
            case .object: self = .object
            case .null, .bool, .integer, .number, .string: self = .anything
            }
            return
        }
        self = kind == PayloadKind.integer(variable.name) ? .integer : .bounded(kind)
    }

    /// The value as the variable holds it; nil if it may not. Lua's division gives a number with a fraction even where that is zero, and its
    /// empty table is an array or an object, whichever is wanted.
    func accepted(_ value: JSON) -> JSON? {
        switch self {
        case .anything: return value
        case .array:
            guard case .array = value else { return nil }
            return value
        case .object:
            if case .object = value { return value }
            return value == .array([]) ? .object([]) : nil
        case .integer: return value.integer.map { .integer($0) }
        case .bounded(let kind):
            guard kind.allows(value) else { return nil }
            return kind.shape == .integer ? value.integer.map { .integer($0) } : value
        }
    }
}

extension ContextVariable {
    /// Its type, in words.
    var words: String {
        if let kind { return Parameter(name, like: kind, default: initial).allowed }
        return switch initial {
        case .array: "an array"
        case .object: "an object"
        case .null, .bool, .integer, .number, .string: "anything"
        }
    }
}
