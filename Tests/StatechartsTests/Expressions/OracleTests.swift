// Random expressions against an evaluator of a few lines, which follows the words of Lua's manual.

import JSON
import Seeds
import Testing

@testable import Statecharts

/// A tree that is written as Lua and evaluated here. Its value is nil if Lua reports an error.
private indirect enum Tree {
    case constant(JSON)
    case variable(Int)
    case not(Tree)
    case negative(Tree)
    case length(Tree)
    case both(Tree, String, Tree)

    static let variables: [JSON] = [3, -7, "text", true, .null, 0]
    static let names = ["a", "b", "c", "d", "e", "f"]
    private static let operators = [
        "+", "-", "*", "//", "%", "==", "~=", "<", "<=", ">", ">=", "and", "or", "..", "&", "|", "~",
    ]
    private static let constants: [JSON] = [1, 2, 10, -3, .integer(.max), .integer(.min), "x", "", "ä", true, false, .null]

    static func random(depth: Int, _ random: inout SeededGenerator) -> Tree {
        switch Int.random(in: 0..<(depth > 0 ? 12 : 2), using: &random) {
        case 0: .constant(constants[Int.random(in: 0..<constants.count, using: &random)])
        case 1: .variable(Int.random(in: 0..<names.count, using: &random))
        case 2: .not(.random(depth: depth - 1, &random))
        case 3: .negative(.random(depth: depth - 1, &random))
        case 4: .length(.random(depth: depth - 1, &random))
        default:
            .both(
                .random(depth: depth - 1, &random), operators[Int.random(in: 0..<operators.count, using: &random)],
                .random(depth: depth - 1, &random))
        }
    }

    var text: String {
        switch self {
        case .constant(.integer(.min)): "math.mininteger"
        case .constant(.null): "nil"
        case .constant(let value): value.description
        case .variable(let number): Self.names[number]
        case .not(let tree): "not (\(tree.text))"
        case .negative(let tree): "- (\(tree.text))"
        case .length(let tree): "#(\(tree.text))"
        case .both(let left, let sign, let right): "(\(left.text)) \(sign) (\(right.text))"
        }
    }

    var value: JSON? {
        switch self {
        case .constant(let value): return value
        case .variable(let number): return Self.variables[number]
        case .not(let tree): return tree.value.map { .bool(!$0.isTrue) }
        case .negative(let tree): return tree.value?.exactInteger.map { .integer(0 &- $0) }
        case .length(let tree): return tree.value?.text.map { .integer($0.utf8.count) }
        case .both(let left, "and", let right): return left.value.flatMap { $0.isTrue ? right.value : $0 }
        case .both(let left, "or", let right): return left.value.flatMap { $0.isTrue ? $0 : right.value }
        case .both(let left, let sign, let right):
            guard let left = left.value, let right = right.value else { return nil }
            return Self.combined(left, sign, right)
        }
    }

    private static func combined(_ left: JSON, _ sign: String, _ right: JSON) -> JSON? {
        switch sign {
        case "==": return .bool(left == right)
        case "~=": return .bool(left != right)
        case "..": return joined(left, right)
        default: break
        }
        if let left = left.exactInteger, let right = right.exactInteger { return integers(left, sign, right) }
        guard let left = left.text, let right = right.text else { return nil }
        return texts(Array(left.utf8), sign, Array(right.utf8))
    }

    private static func joined(_ left: JSON, _ right: JSON) -> JSON? {
        guard let left = left.text ?? left.exactInteger.map(String.init),
            let right = right.text ?? right.exactInteger.map(String.init)
        else {
            return nil
        }
        return .string(left + right)
    }

    private static func texts(_ left: [UInt8], _ sign: String, _ right: [UInt8]) -> JSON? {
        switch sign {
        case "<": .bool(left.lexicographicallyPrecedes(right))
        case ">": .bool(right.lexicographicallyPrecedes(left))
        case "<=": .bool(!right.lexicographicallyPrecedes(left))
        case ">=": .bool(!left.lexicographicallyPrecedes(right))
        default: nil
        }
    }

    private static func integers(_ left: Int, _ sign: String, _ right: Int) -> JSON? {
        switch sign {
        case "+": .integer(left &+ right)
        case "-": .integer(left &- right)
        case "*": .integer(left &* right)
        case "//": right == 0 ? nil : .integer(floored(left, right))
        case "%": right == 0 ? nil : .integer(left &- floored(left, right) &* right)
        case "&": .integer(left & right)
        case "|": .integer(left | right)
        case "~": .integer(left ^ right)
        case "<": .bool(left < right)
        case "<=": .bool(left <= right)
        case ">": .bool(left > right)
        default: .bool(left >= right)
        }
    }

    /// Rounded towards minus infinity.
    private static func floored(_ left: Int, _ right: Int) -> Int {
        let (quotient, overflow) = left.dividedReportingOverflow(by: right)
        if overflow { return left }
        return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient
    }
}

extension JSON {

    fileprivate var exactInteger: Int? {
        if case .integer(let value) = self { value } else { nil }
    }
}

@Suite struct `Expressions against an oracle` {
    @Test func `Random expressions evaluate to the oracle's values`() throws {
        var random = SeededGenerator.announced("expressions against an oracle", seed: 54)
        let trees = (0..<4000).map { _ in Tree.random(depth: Int.random(in: 1...5, using: &random), &random) }
        let expressions = try ExpressionsUnderTest(trees.map(\.text), [:], names: Tree.names)
        expressions.scope.variables = Tree.variables
        var good = 0
        for (number, tree) in trees.enumerated() {
            guard let value = tree.value else {
                #expect(expressions.evaluationError(number) != nil, "\(tree.text)")
                continue
            }
            good += 1
            #expect(
                expressions.evaluationError(number) == nil && (try? expressions.value(number)) == value,
                "\(tree.text) is \(value)")
            #expect((try? expressions.isTrue(number)) == value.isTrue, "\(tree.text)")
        }
        #expect(good > 1000)
    }

    /// The engine copies such values without running Lua.
    @Test(
        arguments: [
            1, -3, true, false, .null, "", "text", "ä€😀", "it's", "a\\b", .string(String(repeating: "x", count: 5_000)),
            .number(1.5), .number(2),
            [1, 2], ["a": 1], [], .object([]),
        ] as [JSON])
    func `A variable or field that is copied without Lua has the value that Lua gives`(value: JSON) throws {
        let expressions = try ExpressionsUnderTest(
            ["it", "(function() return it end)()", "event.it", "(function() return event.it end)()"], ["it": value])
        expressions.scope.event = ["it": value]
        #expect(try expressions.value(0) == expressions.value(1))
        #expect(try expressions.value(2) == expressions.value(3))
        #expect(try expressions.isTrue(0) == expressions.isTrue(1))
    }

    @Test(arguments: [
        "'ann'", "\"it's\"", "''", "'ä'", "'a\\nb'", "'\\65'", "[[two\nlines]]", "[[\ntext]]", "[[\rtext]]", "[=[\r\ntext]=]",
        "[[\n\rtext]]", "[[two\rlines]]", "[[two\r\nlines]]", "[[two\n\rlines]]", "[[two\r\rlines\r]]", "[[]]",
    ])
    func `A text literal alone has the value that Lua gives`(text: String) throws {
        let expressions = try ExpressionsUnderTest([text, "(function() return \(text) end)()"])
        #expect(try expressions.value(0) == expressions.value(1))
    }
}
