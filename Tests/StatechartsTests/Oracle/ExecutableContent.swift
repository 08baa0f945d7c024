// Not SCXML: the actions of flow files. Effects are recorded in order.

import Statecharts
import JSON
import Timers

extension OracleSession {
    func executeContent(_ content: [ChartAction]) throws {
        for action in content { try execute(action) }
    }

    private func execute(_ action: ChartAction) throws {
        switch action {
        case .assign(let variable, let formula): try assign(variable, evaluate(formula))
        case .raise(let event): try raise(event)
        case .emit(let event): effects.emissions.append(event.event + described(try event.data.map(evaluate)))
        case .send(let event, let session): try send(event, to: session)
        case .cancel(let id): timers.removeAll { $0.id == id }
        case .log(let formula): effects.logs.append("\(try evaluate(formula))")
        case .extend(let timer, let length): try extend(timer, by: try nanoseconds(length))
        case .pause(let timer): pause(timer)
        case .resume(let timer): resume(timer)
        case .choose(let condition, let then, let otherwise):
            try executeContent(evaluate(condition).isTrue ? then : otherwise)
        }
    }

    private func assign(_ variable: Int, _ value: JSON) throws {
        let declared = doc.context[variable]
        if let kind = declared.kind, !kind.allows(value) { throw OracleError.value(variable: declared.name) }
        datamodel[variable] = value
    }

    private func raise(_ event: EventToSend) throws {
        let data = try event.data.map(evaluate)
        guard let delay = event.delay else { return try enqueue(.named(event.event, data)) }
        try self.delay(.raising(event.event, data), id: event.id ?? event.event, by: nanoseconds(delay))
    }

    /// Not SCXML: an endless macrostep is an error.
    private func enqueue(_ event: OracleEvent) throws {
        raised += 1
        guard raised <= maxRounds else {
            wasEndless = true
            throw OracleError.endless
        }
        internalQueue.enqueue(event)
    }

    private func send(_ event: EventToSend, to session: Template) throws {
        let data = try event.data.map(evaluate)
        let request = "send \(event.event)\(described(data)) to \(try text(of: session))"
        guard let delay = event.delay else { return effects.requests.append(request) }
        try self.delay(.sending(request), id: event.id ?? event.event, by: nanoseconds(delay))
    }

    private func described(_ data: JSON?) -> String { data.map { "(\($0))" } ?? "" }

    private func text(of template: Template) throws -> String {
        try template.parts.map { part in
            switch part {
            case .text(let text): text
            case .expression(let expression): "\(try evaluate(expression))"
            }
        }
        .joined()
    }

    /// The payload that a final state passes to its parent's event.
    func output(of state: Int) throws -> JSON? { try doc.states[state].output.map(evaluate) }

    // MARK: Child sessions

    func invoke(_ invocation: Int) {
        invoked.add(invocation)
        effects.requests.append("begin \(doc.invocations[invocation].id)")
    }

    func cancelInvoke(_ invocation: Int) {
        guard invoked.isMember(invocation) else { return }
        invoked.delete(invocation)
        effects.requests.append("drop \(doc.invocations[invocation].id)")
    }
}
