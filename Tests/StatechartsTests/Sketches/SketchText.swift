// A sketch as the text of a flow file.

import Statecharts
import Timers

extension ChartSketch {
    /// JSON5 as written by hand.
    var text: String {
        let variables = context.map { variable in
            let bounds = variable.range.map { ", minimum: \($0.lowerBound), maximum: \($0.upperBound)" } ?? ""
            return "\(variable.name): { type: \"integer\"\(bounds), default: \(variable.initial) }"
        }
        let catalogue = events.map { "\(quoted($0)): { payload: { value: { type: \"integer\", optional: true } } }" }
        var members = ["id: \(quoted(name))"]
        if !variables.isEmpty { members.append("context: " + object(variables)) }
        if !catalogue.isEmpty { members.append("events: " + object(catalogue)) }
        return object(members + root.members) + "\n"
    }
}

extension StateSketch {
    /// The text between the braces of a state.
    fileprivate var members: [String] {
        var members = kindMembers
        if !entry.isEmpty { members.append("entry: " + list(entry.map(\.text))) }
        if !exit.isEmpty { members.append("exit: " + list(exit.map(\.text))) }
        if !on.isEmpty { members.append("on: " + object(on.map(\.text))) }
        if !always.isEmpty { members.append("always: " + list(always.map(\.text))) }
        for (kind, name) in [(TimerPlan.Kind.countdown, "after"), (.pendulum, "every")] {
            let own = timers.filter { $0.kind == kind }
            if !own.isEmpty { members.append("\(name): " + object(own.map(\.text))) }
        }
        if !invocations.isEmpty {
            members.append("invoke: " + list(invocations.map { "{ id: \(quoted($0)), flow: \"other\" }" }))
        }
        if let output { members.append("output: \(quoted(output))") }
        if !children.isEmpty {
            members.append("states: " + object(children.map { "\($0.key): " + object($0.members) }))
        }
        return members
    }

    private var kindMembers: [String] {
        let plain = list(initial.map(quoted))
        let actions = initialActions.isEmpty ? [] : ["actions: " + list(initialActions.map(\.text))]
        let targets = actions.isEmpty ? plain : "{ target: \(plain), \(actions[0]) }"
        switch kind {
        case .atomic: return []
        case .compound: return ["initial: " + targets]
        case .parallel: return ["type: \"parallel\""]
        case .final: return ["type: \"final\""]
        case .history(let isDeep):
            return ["type: \"history\"", "history: \"\(isDeep ? "deep" : "shallow")\"", "target: " + plain] + actions
        }
    }
}

extension HandlerSketch {
    fileprivate var text: String {
        "\(quoted(descriptor.text)): \(transitions.isEmpty ? "null" : list(transitions.map(\.text)))"
    }
}

extension TransitionSketch {
    fileprivate var text: String { object(members) }

    fileprivate var members: [String] {
        var members: [String] = []
        if let condition { members.append("guard: \(quoted(condition))") }
        if !targets.isEmpty { members.append("target: " + list(targets.map(quoted))) }
        if !reenters { members.append("reenter: false") }
        if !actions.isEmpty { members.append("actions: " + list(actions.map(\.text))) }
        return members
    }
}

extension TimerSketch {
    /// The timer's own keys are written in its first transition.
    fileprivate var text: String {
        var own: [String] = []
        if let computed { own.append("delay: \(quoted(computed))") }
        if !milestones.isEmpty {
            own.append(
                "milestones: " + object(milestones.map { "\"\($0.left.written)\": " + list($0.actions.map(\.text)) }))
        }
        let members = transitions.first?.members ?? []
        // An entry that only has the timer's own keys is not a transition.
        let first = object(own + (members.isEmpty && !own.isEmpty ? ["actions: []"] : members))
        return "\"\(length.written)\": " + list([first] + transitions.dropFirst().map(\.text))
    }
}

extension ActionSketch {
    fileprivate var text: String {
        switch self {
        case .assign(let name, let text): "{ assign: { \(name): \(quoted(text)) } }"
        case .raise(let name, let data, let delay): "{ raise: \(event(name, data, delay, [])) }"
        case .emit(let name, let data): "{ emit: \(event(name, data, nil, [])) }"
        case .send(let name, let data, let session, let delay):
            "{ send: \(event(name, data, delay, ["session: \(quoted(session))"])) }"
        case .cancel(let id): "{ cancel: \(quoted(id)) }"
        case .log(let text): "{ log: \(quoted(text)) }"
        case .extend(let timer, let length): "{ extend: { timer: \(quoted(timer)), by: \"\(length.written)\" } }"
        case .pause(let timer): "{ pause: \(quoted(timer)) }"
        case .resume(let timer): "{ resume: \(quoted(timer)) }"
        case .choose(let condition, let then, let otherwise):
            "{ if: \(quoted(condition)), then: \(list(then.map(\.text)))"
                + (otherwise.isEmpty ? " }" : ", else: \(list(otherwise.map(\.text))) }")
        }
    }

    private func event(_ name: String, _ data: String?, _ delay: Duration?, _ others: [String]) -> String {
        var members = others + ["event: \(quoted(name))"]
        if let data { members.append("data: \(quoted(data))") }
        if let delay { members.append("delay: \"\(delay.written)\"") }
        return "{ " + members.joined(separator: ", ") + " }"
    }
}

// MARK: Layout

private func quoted(_ text: String) -> String { "\"\(text)\"" }

/// In one line if it fits.
private func object(_ members: [String]) -> String { laidOut(members, "{", "}", blank: " ") }

/// One alone stands without brackets.
private func list(_ elements: [String]) -> String { elements.count == 1 ? elements[0] : laidOut(elements, "[", "]", blank: "") }

private func laidOut(_ parts: [String], _ open: String, _ close: String, blank: String) -> String {
    guard !parts.isEmpty else { return open + close }
    let line = open + blank + parts.joined(separator: ", ") + blank + close
    if line.count <= 100, !line.contains("\n") { return line }
    let indented = parts.map { part in
        part.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }.joined(separator: "\n")
    }
    return open + "\n" + indented.map { $0 + ",\n" }.joined() + close
}
