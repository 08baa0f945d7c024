// Executable content: what actions do to the step in the making.

import GameFlow
import Texts

extension Macrostep {
    mutating func executeContent(_ actions: [ChartAction]) throws(FlowError) {
        for action in actions { try execute(action) }
    }

    private mutating func execute(_ action: ChartAction) throws(FlowError) {
        try countAction()
        if case .assign(let variable, let formula) = action { return try assign(try value(of: formula), to: variable) }
        if isForced { guard case .choose = action else { return } }
        switch action {
        case .assign: break
        case .raise(let event): try raise(event)
        case .emit(let event): try emit(event)
        case .send(let event, let recipient): try send(event, to: text(of: recipient))
        case .cancel(let id): cancel(id)
        case .log(let formula): try log(formula)
        case .extend(let timer, let length): try extend(timer, by: length)
        case .pause(let timer): if runs(timer) { try change(timer) { $0.pause() } }
        case .resume(let timer): if runs(timer) { try change(timer) { $0.resume() } }
        case .choose(let condition, let then, let otherwise):
            try executeContent(isTrue(condition) ? then : otherwise)
        }
    }

    // MARK: Values

    private mutating func setWorld() {
        if chart.asksForSession { world.set(configuration, timers, rest, clock) }
    }

    mutating func isTrue(_ condition: Expression) throws(FlowError) -> Bool {
        setWorld()
        return try expressions.isTrue(condition, in: scope)
    }

    mutating func value(of formula: Formula) throws(FlowError) -> JSON {
        setWorld()
        let value = try formula.value(expressions, in: scope)
        try countBytes(value.minSize)
        return value
    }

    mutating func text(of template: Template) throws(FlowError) -> String {
        setWorld()
        let text = try template.text(expressions, in: scope)
        try countBytes(text.utf8.count)
        return text
    }

    /// A length of time that is fixed or computed, in milliseconds.
    mutating func duration(of length: Length) throws(FlowError) -> Duration {
        switch length {
        case .fixed(let duration): return duration
        case .computed(let expression):
            let found = try value(of: .expression(expression))
            if let duration = found.double.flatMap({ Duration(milliseconds: $0) }) { return duration }
            let value = found.double == nil ? found.description.shortened : "longer than a century"
            throw .refused(
                "'\(chart.definition.expressions[expression.number].text.shortened)' is \(value), and a length of time is a number "
                    + "of milliseconds, a century at most")
        }
    }

    // MARK: The context

    mutating func assign(_ value: JSON, to variable: Int) throws(FlowError) {
        guard let accepted = chart.types[variable].accepted(value) else {
            throw .refused(chart.definition.context[variable].refusal(of: value.description.shortened))
        }
        if !accepted.isSurelyShort, let complaint = chart.definition.context[variable].complaint(aboutLengthOf: accepted) {
            throw .refused(complaint)
        }
        scope.variables[variable] = accepted
        hasAssigned = true
    }

    // MARK: Events

    private mutating func data(of event: EventToSend) throws(FlowError) -> JSON? {
        try event.data.map { formula throws(FlowError) in try value(of: formula) }
    }

    private mutating func raise(_ event: EventToSend) throws(FlowError) {
        let data = try data(of: event)
        if let delay = event.delay, try raiseLater(event, data, nil, delay) { return }
        try countRaised()
        guard let spec = chart.events.named(event.event) else { return }
        internalQueue.append(ChartEvent(spec, data))
    }

    private mutating func send(_ event: EventToSend, to recipient: String) throws(FlowError) {
        let data = try data(of: event)
        if let delay = event.delay, try raiseLater(event, data, recipient, delay) { return }
        try countOutgoing()
        outgoing().effects.append(.send(event: event.event, data: data, to: recipient))
    }

    private mutating func emit(_ event: EventToSend) throws(FlowError) {
        try countOutgoing()
        outgoing().emissions.append(Emission(event: event.event, data: try data(of: event)))
    }

    private mutating func log(_ formula: Formula) throws(FlowError) {
        try countOutgoing()
        let value = try value(of: formula)
        outgoing().logs.append(value.text ?? value.description)
    }
}
