// JSON values are unchanged by a round trip through Lua: integers stay integers, and empty objects stay objects.

import JSON
import Seeds
import Testing

@testable import Statecharts

@Suite struct `Values over Lua and back` {
    @Test(
        arguments: [
            (.null, .null), (true, true), (.integer(.max), .integer(.max)), (.integer(.min), .integer(.min)),
            (.number(1), .number(1)),
            (.number(-0.0), .number(-0.0)), (.number(1e308), .number(1e308)), ("", ""), ("grün \u{1F600}", "grün \u{1F600}"),
            ([], []),
            (.object([]), .object([])), ([[], .object([])], [[], .object([])]), ([1, .null, 3], [1, .null, 3]),
            ([1, .null], [1]),
            ([.null, 2], [.null, 2]), (["b": 1, "a": 2], .object([.init("a", 2), .init("b", 1)])), (["a": .null], .object([])),
            (.object([.init("a", 1), .init("a", 2)]), ["a": 2]), (["1": "x"], ["1": "x"]),
        ] as [(JSON, JSON)])
    func `A JSON value keeps its type and value through Lua and back`(_ value: JSON, _ result: JSON) throws {
        let back = try evaluated("value", ["value": value])
        #expect(back.description == result.description && back == result)
        #expect(try evaluated("{ value }", ["value": value]) == (result == .null ? [] : [result]))
    }

    @Test func `Random JSON values are equal after a round trip through Lua`() throws {
        var random = SeededGenerator.announced("values over Lua and back", seed: 12)
        let expressions = try ExpressionsUnderTest(
            ["value", "event.deep", "(function() return value end)()"], ["value": .null])
        for _ in 0..<2000 {
            let value = JSON.random(depth: 4, &random)
            expressions.scope.variables[0] = value
            expressions.scope.event = .object([.init("deep", value)])
            for number in 0..<3 { #expect(try expressions.value(number).description == value.sorted.description) }
        }
    }
}

extension JSON {
    /// Without nulls inside: Lua's tables do not have them.
    static func random(depth: Int, _ random: inout SeededGenerator) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: .bool(.random(using: &random))
        case 1: .integer(Int.random(in: -9...9, using: &random))
        case 2: .integer(Int(bitPattern: UInt(random.next())))
        case 3: .number(Double.random(in: -1e6...1e6, using: &random))
        case 4: .string(randomText(&random))
        case 5: .array((0..<Int.random(in: 0...4, using: &random)).map { _ in .random(depth: depth - 1, &random) })
        default:
            .object(
                Set((0..<Int.random(in: 0...4, using: &random)).map { _ in randomText(&random) })
                    .map { .init($0, .random(depth: depth - 1, &random)) })
        }
    }

    private static func randomText(_ random: inout SeededGenerator) -> String {
        let letters = ["a", "B", "1", " ", "ä", "\n", "\"", "\u{1F600}", "_", String(repeating: "long", count: 12)]
        return (0..<Int.random(in: 0...5, using: &random)).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)]
        }.joined()
    }

    /// With members in the order of their names' bytes.
    var sorted: JSON {
        switch self {
        case .object(let members):
            .object(
                members.map { .init($0.name, $0.value.sorted) }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
        case .array(let values): .array(values.map(\.sorted))
        case .null, .bool, .integer, .number, .string: self
        }
    }
}
