// The variables of the context, with their types and initial values.

import GameFlow
import Texts

struct ContextTable {
    var all: [ContextVariable] = []
    var numbers: [String: Int] = [:]

    var names: [String] { all.map(\.name) }

    func advice(for name: String) -> String {
        all.isEmpty ? "declare it: context: { \(name.shortened): 0 }" : names.nearest(to: name)
    }
}

extension ChartReader {
    func readContext(_ value: LocatedJSON) {
        for member in problems.members(value, "'context'") {
            let (number, most) = (context.all.count, ChartBounds.variables)
            guard problems.hasRoom(number, atMost: most, "variables", of: "a context has", at: member.offset) else { return }
            if let complaint = NameRules.complaint(aboutVariable: member.name) { problems.error(member.offset, complaint) }
            context.numbers[member.name] = number
            let variable = variable(member)
            if let complaint = variable.complaint(aboutLengthOf: variable.initial) {
                problems.error(member.value.offset, complaint)
            }
            context.all.append(variable)
        }
    }

    private func variable(_ member: LocatedJSON.Member) -> ContextVariable {
        guard let fields = declaration(member), let initial = fields.value(.standard) else {
            let initial = member.value.json
            return ContextVariable(name: member.name, initial: initial, kind: PayloadKind(member.name, natural: initial))
        }
        let kind = valueKind(member.name, fields)
        let variable = ContextVariable(
            name: member.name, initial: kind?.normalized(initial.json) ?? initial.json, kind: kind)
        if kind.map({ !$0.allows(initial.json) }) ?? isOtherType(initial, fields) {
            let allowed = kind == nil ? "an \(fields.value(.type)?.text ?? "")" : variable.words
            problems.error(
                initial.offset,
                "the default of \(member.name.quoted) is \(initial.typeInWords), which does not fit its type: \(allowed)")
        }
        return variable
    }

    /// Whether a declared array or object has a default of another type.
    private func isOtherType(_ initial: LocatedJSON, _ fields: Fields<ValueKey>) -> Bool {
        switch (fields.value(.type)?.text, initial.content) {
        case ("array", .array), ("object", .object): false
        case ("array", _), ("object", _): true
        default: false
        }
    }

    /// The declaration of a type and bounds: an object with `type` and `default`. Any other object is a value.
    private func declaration(_ member: LocatedJSON.Member) -> Fields<ValueKey>? {
        let keys = (member.value.members ?? []).map(\.name)
        let (type, standard) = (ValueKey.type.rawValue, ValueKey.standard.rawValue)
        guard keys.contains(type), keys.contains(standard) else {
            if keys.contains(type) || keys.contains(standard), keys.allSatisfy({ ValueKey(rawValue: $0) != nil }) {
                let missing = keys.contains(type) ? standard : type
                problems.warning(
                    member.value.offset,
                    "\(member.name.quoted) is this object; to declare a type, write its '\(missing)' beside it")
            }
            return nil
        }
        let fields = problems.fields(member.value, ValueKey.self)
        for (key, member) in fields.list where key == .optional {
            problems.error(member.offset, "a variable always has a value, and no '\(key.rawValue)'")
        }
        return fields
    }
}

extension PayloadKind {
    /// The type of an initial value; nil for a value that may be anything, and for arrays and objects, which no such type describes.
    fileprivate init?(_ name: String, natural value: JSON) {
        switch value {
        case .bool: self = .boolean(name)
        case .integer: self = .integer(name)
        case .number: self = .number(name)
        case .string: self = .text(name)
        case .null, .array, .object: return nil
        }
    }
}

// MARK: - Other flows that run as long as a state is active.

struct InvocationTable {
    var all: [Invocation] = []
    var numbers: [String: Int] = [:]
}

extension ChartReader {
    func readInvocation(_ value: LocatedJSON, of state: Int) {
        let fields = problems.fields(value, InvokeKey.self)
        guard value.members != nil, let flow = invokedFlow(fields), let id = invocationId(fields, flow.name) else { return }
        let (number, most) = (invocations.all.count, ChartBounds.invocations)
        guard problems.hasRoom(number, atMost: most, "times", of: "a flow invokes others", at: value.offset) else { return }
        if invocations.numbers.updateValue(number, forKey: id.name) != nil {
            problems.error(id.offset, "something is invoked as \(id.name.quoted) already; give one of them another 'id'")
        }
        var invocation = Invocation(
            id: id.name, state: state, flow: flow.name, position: document.positions[flow.offset])
        for (key, member) in fields.list {
            switch key {
            case .context, .input: readContext(member.value, key, of: &invocation)
            case .onDone: addTransitions(member.value, from: state, on: .event(.exact(Platform.done(child: id.name))))
            case .onError: addTransitions(member.value, from: state, on: .event(.exact(Platform.failed(child: id.name))))
            case .flow, .src, .id: break
            }
        }
        invocations.all.append(invocation)
        tree.states[state].invocations.append(number)
    }

    private func invokedFlow(_ fields: Fields<InvokeKey>) -> (name: String, offset: Int)? {
        for (name, alias) in [(InvokeKey.flow, InvokeKey.src), (.context, .input)] where fields.has(name) {
            guard let other = fields[alias] else { continue }
            problems.error(other.offset, "'\(alias.rawValue)' means the same as '\(name.rawValue)', which is already given")
        }
        guard let value = fields.value(.flow) ?? fields.value(.src) else {
            problems.missing(from: fields, "an invocation names its flow: invoke: { flow: \"round\", id: \"round\" }")
            return nil
        }
        return problems.name(value, "the name of a flow", NameRules.complaint(aboutFlow:)).map { ($0, value.offset) }
    }

    /// The flow's name, if no id is given.
    private func invocationId(_ fields: Fields<InvokeKey>, _ flow: String) -> (name: String, offset: Int)? {
        guard let value = fields.value(.id) else { return (flow, fields.offset) }
        let id = problems.name(value, "an 'id'") { NameRules.complaint(about: $0, of: "an invocation") }
        return id.map { ($0, value.offset) }
    }

    private func readContext(_ value: LocatedJSON, _ key: InvokeKey, of invocation: inout Invocation) {
        for member in problems.members(value, "'\(key.rawValue)'") {
            let formula = formula(member.value, of: invocation.state)
            invocation.context.append(
                Invocation.Value(
                    name: member.name, value: formula, literal: literal(formula),
                    namePosition: document.positions[member.offset], position: document.positions[member.value.offset]))
        }
    }
}

// MARK: - Invoked flows: flows that do not exist, and contexts with names and literals that a flow never accepts

extension ChartDefinition {
    /// A warning for each flow that it invokes and that is not among these names.
    package func missingFlowProblems(among names: Set<String>) -> [FlowFileProblem] {
        var known = names
        return invocations.filter { known.insert($0.flow).inserted }.map { invocation in
            let advice = Suggestion.closest(to: invocation.flow, among: names.sorted()).map { "; did you mean \($0.quoted)?" }
            return FlowFileProblem(
                .warning, at: invocation.position,
                "it invokes the flow \(invocation.flow.quoted), which does not exist here\(advice ?? "")")
        }
    }

    /// The errors in the contexts that it gives to the flows that it invokes. A flow that is not among these is not checked.
    package func invokedContextProblems(_ flows: [String: ChartDefinition]) -> [FlowFileProblem] {
        invocations.flatMap { invocation in invocation.context.compactMap { flows[invocation.flow]?.problem(with: $0) } }
    }

    private func problem(with given: Invocation.Value) -> FlowFileProblem? {
        guard let variable = context.first(where: { $0.name == given.name }) else {
            let advice = context.isEmpty ? "it has none" : context.map(\.name).nearest(to: given.name)
            return FlowFileProblem(
                .error, at: given.namePosition,
                "the context of the flow \(name.quoted) has no variable \(given.name.quoted); \(advice)")
        }
        guard let literal = given.literal, let complaint = variable.complaint(about: literal) else { return nil }
        return FlowFileProblem(.error, at: given.position, "in the flow \(name.quoted), \(complaint)")
    }
}
