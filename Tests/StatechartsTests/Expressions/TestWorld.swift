// A world and an engine for tests of expressions.

import GameFlow
import JSON

@testable import Statecharts

final class TestWorld: ExpressionEnvironment {
    var active: Set = ["a"]
    var timers = ["round": 1500]
    var sessionName = "room"
    var parentName: String?

    func elapsed(inState state: Int) -> Int { 1000 * state + 7 }
    func isActive(_ path: String) -> Bool { active.contains(path) }
    func remaining(_ timer: String) -> Int? { timers[timer] }
}

/// Expressions with the variables that they may mention.
final class ExpressionsUnderTest {
    let engine: ExpressionEngine
    let world = TestWorld()
    var scope: Scope

    init(_ texts: [String], _ variables: KeyValuePairs<String, JSON> = [:], names: [String] = []) throws {
        engine = try ExpressionEngine(
            texts.enumerated().map { ExpressionSource(text: $1, state: 3, line: $0 + 1) },
            variables: variables.map(\.key) + names)
        scope = Scope(variables: variables.map(\.value), world: world)
    }

    func value(_ number: Int = 0) throws -> JSON { try engine.value(of: Expression(number), in: scope) }
    func isTrue(_ number: Int = 0) throws -> Bool { try engine.isTrue(Expression(number), in: scope) }

    /// The evaluation's error message; nil if there is a value.
    func evaluationError(_ number: Int = 0) -> String? {
        do throws(FlowError) {
            _ = try engine.value(of: Expression(number), in: scope)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// The value of one expression.
func evaluated(_ text: String, _ variables: KeyValuePairs<String, JSON> = [:]) throws -> JSON {
    try ExpressionsUnderTest([text], variables).value()
}

/// The error message of one expression's evaluation; nil if there is a value.
func evaluationError(_ text: String, _ variables: KeyValuePairs<String, JSON> = [:]) throws -> String? {
    try ExpressionsUnderTest([text], variables).evaluationError()
}

/// The problem of a text; nil if it is valid.
func problem(_ text: String, _ variables: [String] = []) -> String? {
    do throws(TextProblem) {
        _ = try Compiler(variables: variables).mentions(in: text)
        return nil
    } catch {
        return "\(error.offset): \(error.sentence)"
    }
}
