// The target `expressions`. Text that does not compile has an error with a place in it. Other text gives a value or an error, the
// same twice, in bounded time and memory, and leaves the engine as it was.

import GameFlow
import JSON
@testable import Statecharts

func checkExpression(_ input: [UInt8]) {
    guard let text = String(validating: input, as: UTF8.self) else { return }
    let problem = bounded("checking an expression") { compilingProblem(of: text) }
    do throws(TextProblem) {
        let engine = try ExpressionEngine(
            [ExpressionSource(text: text, state: 0), ExpressionSource(text: "round + 1", state: 0)], variables: names)
        promise(problem == nil, "text that compiles is refused: \(problem?.sentence ?? "")")
        evaluate(engine)
    } catch {
        promise(error.sentence == problem?.sentence, "the compiler says \(problem as Any)")
        promise((0...text.utf8.count).contains(problem?.offset ?? -1), "byte \(problem?.offset ?? -1) of \(text.utf8.count)")
    }
}

private func compilingProblem(of text: String) -> TextProblem? {
    do throws(TextProblem) {
        _ = try Compiler(variables: names).mentions(in: text)
        return nil
    } catch {
        return error
    }
}

private let names = ["round", "name", "list", "a", "b"]

private func evaluate(_ engine: ExpressionEngine) {
    let world = World()
    let scope = Scope(
        variables: [3, "Ada", [1, "x", ["deep": []]], true, .null], event: ["choice": "b", "name": "x"], eventName: "answer",
        source: .network, world: world)
    let before = engine.memory
    let first = outcome(engine, 0, scope)
    promise(outcome(engine, 0, scope) == first, "the second time it is not \(first)")
    promise(engine.memory < before + (2 << 20), "\(engine.memory - before) bytes stay")
    promise(outcome(engine, 1, scope) == "4", "the engine is broken")
}

private func outcome(_ engine: ExpressionEngine, _ number: Int, _ scope: borrowing Scope) -> String {
    do throws(FlowError) {
        let value = try bounded("evaluating an expression") { () throws(FlowError) in
            try engine.value(of: Expression(number), in: scope).description
        }
        promise(value.utf8.count < 1 << 20, "the value has \(value.utf8.count) bytes")
        return value
    } catch {
        let sentence = "\(error)"
        promise(sentence.utf8.count < 8192, "a sentence of \(sentence.utf8.count) bytes")
        return sentence
    }
}

private final class World: ExpressionEnvironment {
    func elapsed(inState state: Int) -> Int { 5 }
    func isActive(_ path: String) -> Bool { path.utf8.count > 3 }
    func remaining(_ timer: String) -> Int? { timer == "idle" ? nil : 1500 }
    var sessionName: String { "room" }
    var parentName: String? { nil }
}
