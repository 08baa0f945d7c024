// Transitions: a target, an object, candidates in an array; or actions alone, where nothing is left.

import JSON

extension ChartReader {
    /// All transitions that one trigger has in a state. `place` is where the trigger stands.
    func addTransitions(_ value: LocatedJSON, from source: Int, on trigger: Trigger, in place: Int? = nil) {
        guard case .array(let candidates) = value.content else {
            addTransition(value, from: source, on: trigger)
            return
        }
        let actions = candidates.count(where: \.isAction)
        if candidates.isEmpty {
            problems.error(
                place ?? value.offset, "this array is empty; write null for an event that is not valid here, or leave it out")
        } else if actions == candidates.count {
            add(ChartTransition(source: source, trigger: trigger, actions: self.actions(value, of: source)), at: value.offset)
        } else if actions > 0 {
            let first = candidates.first(where: \.isAction)?.offset ?? value.offset
            problems.error(first, "an array has transitions, or the actions of one; put these into 'actions' of a transition")
        } else {
            for candidate in candidates { addTransition(candidate, from: source, on: trigger) }
        }
    }

    private func addTransition(_ value: LocatedJSON, from source: Int, on trigger: Trigger) {
        var transition = ChartTransition(source: source, trigger: trigger)
        switch value.content {
        case .text: transition.targets = targets(value, from: source)
        case .object where value.isAction:
            guard !tellsMixture(value) else { return }
            transition.actions = actions(value, of: source)
        case .object: read(value, into: &transition)
        case .null, .bool, .integer, .number, .array, .unreadable:
            problems.wrong(value, "a transition is a target, or an object { target, guard, actions }")
            return
        }
        add(transition, at: value.offset)
    }

    private func read(_ value: LocatedJSON, into transition: inout ChartTransition) {
        let source = transition.source
        let others = transition.trigger.isTimer ? TimerKey.names : []
        for (key, member) in problems.fields(value, TransitionKey.self, others: others).list {
            switch key {
            case .target: transition.targets = targets(member.value, from: source)
            case .guardExpression: transition.guardExpression = condition(member.value, "a guard", of: source)
            case .actions: transition.actions = actions(member.value, of: source)
            case .reenter: transition.reenters = problems.boolean(member.value, "'reenter'") ?? true
            case .description: _ = problems.text(member.value, "a 'description'")
            }
        }
    }

    /// Whether an action has members that belong to a transition; reports them.
    private func tellsMixture(_ value: LocatedJSON) -> Bool {
        let members = value.members ?? []
        guard members.contains(where: { TransitionKey(rawValue: $0.name) != nil }),
            let action = members.first(where: { ActionKey(rawValue: $0.name) != nil })
        else { return false }
        let hint =
            action.name == ActionKey.condition.rawValue
            ? "the condition of a transition is its 'guard'" : "put it into actions: [{ \(action.name): … }]"
        problems.error(action.offset, "'\(action.name)' is an action, and stands beside what a transition has; \(hint)")
        return true
    }
}

extension Trigger {
    fileprivate var isTimer: Bool {
        switch self {
        case .timer: true
        case .event, .always, .milestone, .initial: false
        }
    }
}

extension LocatedJSON {
    /// Whether it is an action, and no transition: it has an action's key.
    var isAction: Bool { members?.contains { ActionKey(rawValue: $0.name) != nil } ?? false }
}
