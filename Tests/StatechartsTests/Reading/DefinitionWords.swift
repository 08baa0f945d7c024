// Definitions in words, for tests: an expression stands in parentheses.

import JSON

@testable import Statecharts

extension ChartDefinition {
    func words(_ action: ChartAction) -> String {
        switch action {
        case .assign(let variable, let formula): "\(context[variable].name) = \(words(formula))"
        case .raise(let event): "raise " + words(event)
        case .emit(let event): "emit " + words(event)
        case .send(let event, let session): "send \(words(event)) to \(words(session))"
        case .cancel(let id): "cancel \(id)"
        case .log(let formula): "log " + words(formula)
        case .extend(let timer, let length): "extend \(timers[timer].name) by \(words(length))"
        case .pause(let timer): "pause " + timers[timer].name
        case .resume(let timer): "resume " + timers[timer].name
        case .choose(let condition, let then, let otherwise):
            "if \(words(.expression(condition))) \(words(then)) else \(words(otherwise))"
        }
    }

    func words(_ formula: Formula) -> String {
        switch formula {
        case .constant(let value): value.description
        case .expression(let expression): "(\(expressions[expression.number].text))"
        case .object(let members): "{" + members.map { "\($0.name): \(words($0.value))" }.joined(separator: ", ") + "}"
        case .array(let formulas): "[" + formulas.map { words($0) }.joined(separator: ", ") + "]"
        }
    }

    func words(_ template: Template) -> String {
        template.parts.map { part in
            switch part {
            case .text(let text): text
            case .expression(let expression): words(.expression(expression))
            }
        }.joined()
    }

    func words(_ length: Length) -> String {
        switch length {
        case .fixed(let duration): "\(duration)"
        case .computed(let expression): words(.expression(expression))
        }
    }

    private func words(_ actions: [ChartAction]) -> String { "[" + actions.map { words($0) }.joined(separator: ", ") + "]" }

    private func words(_ event: EventToSend) -> String {
        event.event + (event.data.map { " \(words($0))" } ?? "") + (event.delay.map { " after \(words($0))" } ?? "")
            + (event.id.map { " as \($0)" } ?? "")
    }
}
