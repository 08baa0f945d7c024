// Evaluates expressions in a session of the oracle, with Lua 5.4's rules for integers.

import Statecharts
import JSON

extension OracleSession {
    func evaluate(_ expression: Expression) throws -> JSON { try evaluate(expressions[expression.number]) }

    func evaluate(_ formula: Formula) throws -> JSON {
        switch formula {
        case .constant(let value): value
        case .expression(let expression): try evaluate(expression)
        case .object(let members): .object(try members.map { JSON.Member($0.name, try evaluate($0.value)) })
        case .array(let elements): .array(try elements.map(evaluate))
        }
    }

    private func evaluate(_ expression: OracleExpression) throws -> JSON {
        switch expression {
        case .constant(let value): return value
        case .variable(let name): return datamodel[try variable(named: name)]
        case .event(let member): return value(ofEvent: member)
        case .state(let path): return .bool(doc.states.indices.contains { isActive($0, path) })
        case .not(let inner): return .bool(try !evaluate(inner).isTrue)
        case .negated(let inner): return .integer(0 &- (try integer(inner)))
        case .binary("and", let left, let right):
            let first = try evaluate(left)
            return first.isTrue ? try evaluate(right) : first
        case .binary("or", let left, let right):
            let first = try evaluate(left)
            return first.isTrue ? first : try evaluate(right)
        case .binary("==", let left, let right): return .bool(try evaluate(left) == evaluate(right))
        case .binary("~=", let left, let right): return .bool(try evaluate(left) != evaluate(right))
        case .binary(let sign, let left, let right): return try calculate(sign, integer(left), integer(right))
        }
    }

    private func calculate(_ sign: String, _ left: Int, _ right: Int) throws -> JSON {
        switch sign {
        case "+": return .integer(left &+ right)
        case "-": return .integer(left &- right)
        case "*": return .integer(left &* right)
        case "<": return .bool(left < right)
        case ">": return .bool(left > right)
        case "<=": return .bool(left <= right)
        case ">=": return .bool(left >= right)
        default:
            guard right > 0 else { throw OracleError.expression("\(left) \(sign) \(right)") }
            let remainder = left % right
            let floored = remainder < 0 ? remainder + right : remainder
            return .integer(sign == "%" ? floored : (left - floored) / right)
        }
    }

    private func integer(_ expression: OracleExpression) throws -> Int {
        let value = try evaluate(expression)
        guard case .integer(let number) = value else { throw OracleError.expression("\(value) is no integer") }
        return number
    }

    private func variable(named name: String) throws -> Int {
        guard let found = doc.context.firstIndex(where: { $0.name == name }) else { throw OracleError.expression(name) }
        return found
    }

    private func isActive(_ state: Int, _ path: String) -> Bool {
        doc.states[state].path == path && configuration.isMember(state)
    }

    /// `event.value`, or a member of the event's payload.
    private func value(ofEvent member: String) -> JSON {
        guard let data = event?.data else { return .null }
        if case .object = data { return data[member] ?? .null }
        return member == "value" ? data : .null
    }
}

extension JSON {
    /// Lua's truth: all values but nil and false.
    var isTrue: Bool { self != .null && self != .bool(false) }
}
