// Transitions: a target, an object, candidates in an array; or actions alone, where nothing is left.

import JSON
import Texts

extension ChartReader {
    /// All transitions that one trigger has in a state. `offset` is that of the trigger.
    func addTransitions(_ value: LocatedJSON, from source: Int, on trigger: Trigger, in offset: Int? = nil) {
        self.trigger = trigger
        defer { self.trigger = nil }
        guard case .array(let candidates) = value.content else {
            addTransition(value, from: source, on: trigger)
            return
        }
        let actions = candidates.count(where: \.isAction)
        if candidates.isEmpty {
            problems.error(
                offset ?? value.offset, "this array is empty; write null for an event that is not valid here, or leave it out")
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
        case .text: readTarget(value, into: &transition)
        case .object where value.isAction:
            guard !reportsMixture(value) else { return }
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
        let others = if case .timer = transition.trigger { TimerKey.names } else { [String]() }
        for (key, member) in problems.fields(value, TransitionKey.self, others: others).list {
            switch key {
            case .target: readTarget(member.value, into: &transition)
            case .guardExpression: transition.guardExpression = condition(member.value, "a guard", of: source)
            case .actions: transition.actions = actions(member.value, of: source)
            case .reenter: transition.reenters = problems.boolean(member.value, "'reenter'") ?? true
            case .description: _ = problems.text(member.value, "a 'description'")
            }
        }
        if transition.goesBack, let reenter = value.members?.first(where: { $0.name == TransitionKey.reenter.rawValue }) {
            problems.error(
                reenter.offset, "leave out 'reenter': \(Self.back.quoted) enters the states that were left, and no others")
        }
    }

    private func readTarget(_ value: LocatedJSON, into transition: inout ChartTransition) {
        transition.goesBack = value.text == Self.back
        if !transition.goesBack { transition.targets = targets(value, from: transition.source) }
    }

    /// Whether an action has members that belong to a transition; reports them.
    private func reportsMixture(_ value: LocatedJSON) -> Bool {
        let members = value.members ?? []
        guard members.contains(where: { TransitionKey(rawValue: $0.name) != nil }),
            let action = members.first(where: { ActionKey(rawValue: $0.name) != nil })
        else { return false }
        let hint =
            action.name == ActionKey.condition.rawValue
            ? "the condition of a transition is its 'guard'" : "put it into actions: [{ \(action.name): … }]"
        problems.error(action.offset, "'\(action.name)' is an action, not a member of a transition; \(hint)")
        return true
    }
}

extension LocatedJSON {
    /// Whether it is an action, and no transition: it has an action's key.
    var isAction: Bool { members?.contains { ActionKey(rawValue: $0.name) != nil } ?? false }
}

// MARK: - Targets of transitions.

extension ChartReader {
    /// The target that stands for the states before the current ones.
    static let back = "$back"

    /// One target, or several in an array.
    func targets(_ value: LocatedJSON, from source: Int) -> [Int] {
        problems.names(value, "a target").compactMap { target($0, from: source) }
    }

    /// A sibling's name, `.child`, `#id`, or a dotted path from the root. Nil if no such state exists; the error is reported.
    func target(_ value: LocatedJSON, from source: Int) -> Int? {
        guard let text = value.text else { return nil }
        if let found = stateNumber(text, from: source) { return found }
        problems.error(
            value.offset, "target \(text.quoted) of \(words(for: source)) does not exist; \(advice(text, source))")
        return nil
    }

    func stateNumber(_ text: String, from source: Int) -> Int? {
        if text.hasPrefix("#") { return byId(text.dropFirst()) }
        if text.hasPrefix(".") { return tree.descendant(text.dropFirst(), of: source) }
        if !text.contains("."), let parent = tree.states[source].parent, let sibling = tree.descendant(text[...], of: parent) {
            return sibling
        }
        return tree.numbers[text]
    }

    /// `#id`, and a path below that state: `#id.child`.
    private func byId(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let id = parts.first, let state = tree.ids[String(id)] else { return nil }
        return parts.count == 1 ? state : tree.descendant(parts[1], of: state)
    }

    // MARK: Suggestions for unknown targets

    private func advice(_ text: String, _ source: Int) -> String {
        if text.isEmpty { return "leave out the target of a transition that stays" }
        if text == Self.back { return "\(text.quoted) is the one target of a transition, and no state" }
        if text.hasPrefix("#") { return tree.ids.keys.sorted().map { "#" + $0 }.nearest(to: text) }
        let children = tree.keys(of: tree.states[source].children)
        if text.hasPrefix(".") { return children.isEmpty ? "it has no states" : children.map { "." + $0 }.nearest(to: text) }
        if tree.descendant(text[...], of: source) != nil {
            return "a state inside of it is written \(("." + text).quoted)"
        }
        let siblings = tree.states[source].parent.map { tree.states[$0].children } ?? tree.states[source].children
        if let state = elsewhere(text, source) { return "write \(tree.states[state].path.quoted), its path from the top" }
        return near(text, siblings)
    }

    /// The state that is probably meant by a path from the sibling, or by the last name alone.
    private func elsewhere(_ text: String, _ source: Int) -> Int? {
        if let parent = tree.states[source].parent, let found = tree.descendant(text[...], of: parent) { return found }
        let same = tree.states.indices.filter { tree.states[$0].key == text && $0 > 0 }
        return same.count == 1 ? same.first : nil
    }

    private func near(_ text: String, _ siblings: [Int]) -> String {
        let keys = tree.keys(of: siblings)
        let near = Suggestion.closest(to: text, among: keys) ?? Suggestion.closest(to: text, among: tree.paths)
        return near.map { "did you mean \($0.quoted)?" } ?? keys.nearest(to: text)
    }
}
