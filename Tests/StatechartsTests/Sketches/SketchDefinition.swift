// From a sketch to the definition that the reader would make of its text.

import GameFlow
import JSON
import Timers

@testable import Statecharts

struct SketchError: Error, CustomStringConvertible {
    let description: String
}

extension ChartSketch {
    /// Throws if the sketch names a state, variable or timer that does not exist.
    func definition() throws -> ChartDefinition {
        var writer = DefinitionWriter(self)
        try writer.write()
        return writer.definition
    }
}

/// Numbers everything in document order, then fills in the references.
private struct DefinitionWriter {
    private let sketch: ChartSketch
    private(set) var definition: ChartDefinition
    private var sketches: [StateSketch] = []

    init(_ sketch: ChartSketch) {
        self.sketch = sketch
        definition = ChartDefinition(
            name: sketch.name, states: [],
            context: sketch.context.map {
                ContextVariable(name: $0.name, initial: .integer($0.initial), kind: .integer($0.name, in: $0.range))
            },
            events: sketch.events.map { ChartEventEntry(name: $0, carriesAnything: true, sources: .anyone) })
    }

    mutating func write() throws {
        number(sketch.root, path: "", parent: nil)
        for state in definition.states.indices { addTimers(of: state) }
        for state in definition.states.indices { try fill(state) }
    }

    private mutating func number(_ state: StateSketch, path: String, parent: Int?) {
        let index = definition.states.count
        let key = parent == nil ? sketch.name : state.key
        definition.states.append(ChartStateNode(key: key, path: path, kind: state.kind, parent: parent))
        sketches.append(state)
        if let parent { definition.states[parent].children.append(index) }
        for child in state.children { number(child, path: path.isEmpty ? child.key : path + "." + child.key, parent: index) }
    }

    private mutating func addTimers(of state: Int) {
        let path = state == 0 ? sketch.name : definition.states[state].path
        for (index, timer) in sketches[state].timers.enumerated() {
            definition.states[state].timers.append(definition.timers.count)
            definition.timers.append(
                ChartTimer(
                    name: index == 0 ? path : "\(path)#\(index + 1)", kind: timer.kind, state: state,
                    length: .fixed(timer.length),
                    milestones: timer.milestones.map(\.left)))
        }
    }

    // MARK: References

    private mutating func fill(_ state: Int) throws {
        let own = sketches[state]
        if !own.initial.isEmpty {
            let transition = TransitionSketch(targets: own.initial, actions: own.initialActions)
            definition.states[state].initial = try add(transition, .initial, from: state)
        }
        definition.states[state].entry = try actions(own.entry, of: state)
        definition.states[state].exit = try actions(own.exit, of: state)
        definition.states[state].output = own.output.map { .expression(expression($0, of: state)) }
        for handler in own.on { try fill(handler, of: state) }
        for transition in own.always { try addOwn(transition, .always, to: state) }
        for (index, timer) in own.timers.enumerated() { try fill(timer, definition.states[state].timers[index]) }
        for id in own.invocations {
            definition.states[state].invocations.append(definition.invocations.count)
            definition.invocations.append(Invocation(id: id, state: state, flow: sketch.name))
        }
    }

    private mutating func fill(_ handler: HandlerSketch, of state: Int) throws {
        for transition in handler.transitions { try addOwn(transition, .event(handler.descriptor), to: state) }
        guard handler.transitions.isEmpty else { return }
        definition.states[state].transitions.append(definition.transitions.count)
        definition.transitions.append(
            ChartTransition(source: state, trigger: .event(handler.descriptor), isForbidden: true))
    }

    private mutating func fill(_ timer: TimerSketch, _ number: Int) throws {
        let state = definition.timers[number].state
        if let text = timer.computed { definition.timers[number].length = .computed(expression(text, of: state)) }
        for transition in timer.transitions { try addOwn(transition, .timer(number), to: state) }
        for (index, milestone) in timer.milestones.enumerated() {
            try addOwn(TransitionSketch(actions: milestone.actions), .milestone(timer: number, index), to: state)
        }
    }

    private mutating func addOwn(_ transition: TransitionSketch, _ trigger: Trigger, to state: Int) throws {
        definition.states[state].transitions.append(try add(transition, trigger, from: state))
    }

    private mutating func add(_ transition: TransitionSketch, _ trigger: Trigger, from state: Int) throws -> Int {
        let condition = transition.condition.map { expression($0, of: state) }
        definition.transitions.append(
            ChartTransition(
                source: state, trigger: trigger, guardExpression: condition, targets: try transition.targets.map(find),
                reenters: transition.reenters, actions: try actions(transition.actions, of: state)))
        return definition.transitions.count - 1
    }

    private mutating func expression(_ text: String, of state: Int) -> Expression {
        definition.expressions.append(ExpressionSource(text: text, state: state))
        return Expression(definition.expressions.count - 1)
    }

    // MARK: Actions

    private mutating func actions(_ sketches: [ActionSketch], of state: Int) throws -> [ChartAction] {
        var actions: [ChartAction] = []
        for sketch in sketches { actions.append(try action(sketch, of: state)) }
        return actions
    }

    private mutating func action(_ sketch: ActionSketch, of state: Int) throws -> ChartAction {
        switch sketch {
        case .assign(let name, let text):
            .assign(variable: try variable(name), .expression(expression(text, of: state)))
        case .raise(let name, let data, let delay): .raise(event(name, data, delay, of: state))
        case .emit(let name, let data): .emit(event(name, data, nil, of: state))
        case .send(let name, let data, let session, let delay):
            .send(event(name, data, delay, of: state), to: Template(parts: [.text(session)]))
        case .cancel(let id): .cancel(id: id)
        case .log(let text): .log(.expression(expression(text, of: state)))
        case .extend(let name, let length): .extend(timer: try timer(name), by: .fixed(length))
        case .pause(let name): .pause(timer: try timer(name))
        case .resume(let name): .resume(timer: try timer(name))
        case .choose(let condition, let then, let otherwise):
            .choose(
                if: expression(condition, of: state), then: try actions(then, of: state),
                otherwise: try actions(otherwise, of: state))
        }
    }

    private mutating func event(_ name: String, _ data: String?, _ delay: Duration?, of state: Int) -> EventToSend {
        let value = data.map { Formula.expression(expression($0, of: state)) }
        return EventToSend(event: name, data: value, delay: delay.map { .fixed($0) })
    }

    // MARK: Finding

    private func find(_ state: String) throws -> Int {
        if let exact = definition.states.firstIndex(where: { $0.path == state && $0.parent != nil }) { return exact }
        let named = definition.states.indices.filter { definition.states[$0].key == state && $0 > 0 }
        guard let only = named.first, named.count == 1 else { throw SketchError(description: "no state \(state)") }
        return only
    }

    private func variable(_ name: String) throws -> Int {
        guard let found = definition.context.firstIndex(where: { $0.name == name }) else {
            throw SketchError(description: "no variable \(name)")
        }
        return found
    }

    private func timer(_ name: String) throws -> Int {
        guard let found = definition.timers.firstIndex(where: { $0.name == name }) else {
            throw SketchError(description: "no timer \(name)")
        }
        return found
    }
}
