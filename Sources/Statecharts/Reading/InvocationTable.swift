// Other flows that run as long as a state is active.

import JSON

struct InvocationTable {
    var all: [Invocation] = []
    var numbers: [String: Int] = [:]
    /// Whether the file has more than a flow can have, which is an error.
    var hasTooMany = false
}

extension ChartReader {
    /// An object, or several in an array.
    func readInvocations(_ value: LocatedJSON, of state: Int) {
        if case .array(let values) = value.content {
            for value in values { readInvocation(value, of: state) }
        } else {
            readInvocation(value, of: state)
        }
    }

    private func readInvocation(_ value: LocatedJSON, of state: Int) {
        let fields = problems.fields(value, InvokeKey.self)
        guard value.members != nil, let flow = invokedFlow(fields), let id = invocationId(fields, flow) else { return }
        let number = invocations.all.count
        guard number < ChartBounds.invocations else {
            if !invocations.hasTooMany {
                problems.error(
                    value.offset, "a flow invokes others at most \(ChartBounds.invocations) times, and here comes one more")
            }
            invocations.hasTooMany = true
            return
        }
        if invocations.numbers.updateValue(number, forKey: id.name) != nil {
            problems.error(id.offset, "something is invoked as \(id.name.quoted) already; give one of them another 'id'")
        }
        var invocation = Invocation(id: id.name, state: state, flow: flow)
        for (key, member) in fields.list {
            switch key {
            case .context, .input: invocation.context = members(member.value, key, of: state)
            case .onDone: addTransitions(member.value, from: state, on: .event(.exact("done.invoke." + id.name)))
            case .onError: addTransitions(member.value, from: state, on: .event(.exact("error.invoke." + id.name)))
            case .flow, .src, .id: break
            }
        }
        invocations.all.append(invocation)
        tree.states[state].invocations.append(number)
    }

    private func invokedFlow(_ fields: Fields<InvokeKey>) -> String? {
        for (name, alias) in [(InvokeKey.flow, InvokeKey.src), (.context, .input)] where fields.has(name) {
            guard let other = fields[alias] else { continue }
            problems.error(other.offset, "'\(alias.rawValue)' is another word for '\(name.rawValue)', which is there already")
        }
        guard let value = fields.value(.flow) ?? fields.value(.src) else {
            problems.error(fields.offset, "an invocation says which flow: invoke: { flow: \"round\", id: \"round\" }")
            return nil
        }
        guard let flow = problems.text(value, "the name of a flow") else { return nil }
        if let complaint = NameRules.complaint(aboutFlow: flow) { problems.error(value.offset, complaint) }
        return flow
    }

    /// The flow's name, if no id is given.
    private func invocationId(_ fields: Fields<InvokeKey>, _ flow: String) -> (name: String, offset: Int)? {
        guard let value = fields.value(.id) else { return (flow, fields.offset) }
        guard let id = problems.text(value, "an 'id'") else { return nil }
        if let complaint = NameRules.complaint(about: id, of: "an invocation") { problems.error(value.offset, complaint) }
        return (id, value.offset)
    }

    private func members(_ value: LocatedJSON, _ key: InvokeKey, of state: Int) -> [Formula.Member] {
        problems.members(value, "'\(key.rawValue)'").map { Formula.Member($0.name, formula($0.value, of: state)) }
    }
}
