// Expressions that need no Lua: arithmetic and comparisons of whole numbers, truth values and texts. Most guards and assignments are such, and
// entering Lua takes ten times as long as they do. Any value that is not so simple, such as a fraction, is left to Lua. Both give the same result,
// and the tests compare them.

import GameFlow

/// A program for a small stack. It is read from an expression's tokens, which Lua has parsed.
final class SimpleExpression: Sendable {
    enum Operation: UInt8 {
        case integer, truth, nothing, variable, field
        /// Whether a variable or a field is a text.
        case variableIsText, fieldIsText
        case add, subtract, multiply, divide, remainder, negate, not
        case less, lessOrEqual, greater, greaterOrEqual, equal, unequal
        /// For `and` and `or`: goes on behind the other operand if this one decides, and forgets this one otherwise.
        case skipIfFalse, skipIfTrue
    }

    struct Step {
        var operation: Operation
        /// A number, a variable, a field, or where to go on.
        var operand = 0
        /// The text to compare with, among `texts`.
        var text = 0
    }

    /// A value on the stack.
    struct Value {
        enum Kind: UInt8 {
            case nothing, truth, integer
        }

        var kind = Kind.nothing
        var bits = 0

        static func truth(_ value: Bool) -> Value { Value(kind: .truth, bits: value ? 1 : 0) }
        static func integer(_ value: Int) -> Value { Value(kind: .integer, bits: value) }

        /// Lua's truth.
        var isTrue: Bool { kind == .integer || kind == .truth && bits == 1 }
    }

    /// As deep as the stack may grow.
    static let deepest = 16

    /// An expression that is one value, which is copied.
    private enum Copied {
        case text(String)
        case variable(Int)
        case field(String)

        init?(_ step: Step, _ texts: [String]) {
            if step.operation == .variable {
                self = .variable(step.operand)
            } else if step.operation == .field {
                self = .field(texts[step.operand])
            } else {
                return nil
            }
        }
    }

    let steps: [Step]
    let texts: [String]
    private let copied: Copied?

    init(steps: [Step], texts: [String]) {
        self.steps = steps
        self.texts = texts
        copied = steps.count == 1 ? Copied(steps[0], texts) : nil
    }

    /// A text.
    init(_ text: String) {
        (steps, texts, copied) = ([], [], .text(text))
    }

    /// A value that is no text, fraction, array or object.
    init?(constant: JSON) {
        guard let value = constant.simple else { return nil }
        let operation: Operation =
            switch value.kind {
            case .integer: .integer
            case .truth: .truth
            case .nothing: .nothing
            }
        steps = [Step(operation: operation, operand: value.bits)]
        (texts, copied) = ([], nil)
    }

    /// The value; nil where Lua has to make it.
    func json(in scope: borrowing Scope) -> JSON? {
        // A copy of `copied` counts references, so it is made only where there is one.
        steps.count > 1 ? evaluate(in: scope)?.json : copiedValue(in: scope)
    }

    private func copiedValue(in scope: borrowing Scope) -> JSON? {
        switch copied {
        case nil: evaluate(in: scope)?.json
        case .text(let text): .string(text)
        case .variable(let number): scope.variables[number].scalar
        case .field(let name): scope.eventField(name).scalar
        }
    }

    /// Nil where Lua has to evaluate it.
    func evaluate(in scope: borrowing Scope) -> Value? {
        var stack = InlineArray<16, Value>(repeating: Value())
        var (top, next) = (-1, 0)
        guard !steps.isEmpty else { return nil }
        while next < steps.count {
            let step = steps[next]
            next &+= 1
            switch step.operation {
            case .integer: push(&stack, &top, .integer(step.operand))
            case .truth: push(&stack, &top, .truth(step.operand == 1))
            case .nothing: push(&stack, &top, Value())
            case .variable:
                guard let value = scope.variables[step.operand].simple else { return nil }
                push(&stack, &top, value)
            case .field:
                guard let value = scope.eventField(texts[step.operand]).simple else { return nil }
                push(&stack, &top, value)
            case .variableIsText: push(&stack, &top, .truth(scope.variables[step.operand].isText(texts[step.text])))
            case .fieldIsText: push(&stack, &top, .truth(scope.eventField(texts[step.operand]).isText(texts[step.text])))
            case .negate:
                guard stack[top].kind == .integer else { return nil }
                stack[top].bits = 0 &- stack[top].bits
            case .not: stack[top] = .truth(!stack[top].isTrue)
            case .skipIfFalse: if stack[top].isTrue { top &-= 1 } else { next = step.operand }
            case .skipIfTrue: if stack[top].isTrue { next = step.operand } else { top &-= 1 }
            case .add, .subtract, .multiply, .divide, .remainder, .less, .lessOrEqual, .greater, .greaterOrEqual, .equal,
                .unequal:
                guard let value = Self.combine(stack[top &- 1], stack[top], step.operation) else { return nil }
                top &-= 1
                stack[top] = value
            }
        }
        return stack[top]
    }

    @inline(__always)
    private func push(_ stack: inout InlineArray<16, Value>, _ top: inout Int, _ value: Value) {
        top &+= 1
        stack[top] = value
    }

    @inline(__always)
    private static func combine(_ left: Value, _ right: Value, _ operation: Operation) -> Value? {
        if operation == .equal { return .truth(left.kind == right.kind && left.bits == right.bits) }
        if operation == .unequal { return .truth(left.kind != right.kind || left.bits != right.bits) }
        guard left.kind == .integer, right.kind == .integer else { return nil }
        switch operation {
        case .add: return .integer(left.bits &+ right.bits)
        case .subtract: return .integer(left.bits &- right.bits)
        case .multiply: return .integer(left.bits &* right.bits)
        case .divide: return divided(left.bits, right.bits).map { .integer($0.quotient) }
        case .remainder: return divided(left.bits, right.bits).map { .integer($0.remainder) }
        case .less: return .truth(left.bits < right.bits)
        case .lessOrEqual: return .truth(left.bits <= right.bits)
        case .greater: return .truth(left.bits > right.bits)
        case .greaterOrEqual: return .truth(left.bits >= right.bits)
        case .integer, .truth, .nothing, .variable, .field, .variableIsText, .fieldIsText, .negate, .not, .equal, .unequal,
            .skipIfFalse, .skipIfTrue:
            return nil
        }
    }

    /// Rounded down, as Lua does; nil by zero, which is an error that Lua tells.
    private static func divided(_ left: Int, _ right: Int) -> (quotient: Int, remainder: Int)? {
        guard right != 0 else { return nil }
        guard right != -1 else { return (0 &- left, 0) }
        let (quotient, remainder) = left.quotientAndRemainder(dividingBy: right)
        return remainder != 0 && (remainder < 0) != (right < 0) ? (quotient - 1, remainder + right) : (quotient, remainder)
    }
}

extension JSON {
    /// Nil for a value that is not so simple.
    @inline(__always)
    fileprivate var simple: SimpleExpression.Value? {
        switch self {
        case .integer(let value): .integer(value)
        case .bool(let value): .truth(value)
        case .null: SimpleExpression.Value()
        case .number, .string, .array, .object: nil
        }
    }

    /// Nil for a value that Lua may refuse, or hand back as another one.
    fileprivate var scalar: JSON? {
        switch self {
        case .null, .bool, .integer: self
        case .string(let text): text.utf8.count <= 1_024 && !text.utf8.contains(0) ? self : nil
        case .number, .array, .object: nil
        }
    }

    /// Texts are compared byte by byte, as Lua does.
    fileprivate func isText(_ other: String) -> Bool {
        guard case .string(let text) = self else { return false }
        return text.utf8.elementsEqual(other.utf8)
    }
}

extension SimpleExpression.Value {
    var json: JSON {
        switch kind {
        case .nothing: .null
        case .truth: .bool(bits == 1)
        case .integer: .integer(bits)
        }
    }
}
