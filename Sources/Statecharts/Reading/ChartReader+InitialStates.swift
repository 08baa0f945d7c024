// Initial states of compound states, and defaults of history states.

import JSON

extension ChartReader {
    /// A text, several in an array, or an object with `target` and `actions`.
    func readInitial(_ value: LocatedJSON, of state: Int) {
        guard tree.states[state].kind == .compound else { return }
        var (targets, actions): (LocatedJSON?, [ChartAction]) = (value, [])
        if value.members != nil {
            let fields = problems.fields(value, InitialKey.self)
            targets = fields.value(.target)
            actions = fields.value(.actions).map { self.actions($0, of: state) } ?? []
            if targets == nil { problems.error(value.offset, "'initial' has a target: { target: \"lobby\", actions: [ … ] }") }
        }
        let numbers = targets.map { problems.names($0, "'initial'").compactMap { initialTarget($0, of: state) } } ?? []
        if numbers.isEmpty { presumedTargets += tree.states[state].children }
        setInitial(of: state, numbers, actions, at: value.offset)
    }

    /// A child, or a state further below by its path from here; or as in a transition.
    private func initialTarget(_ value: LocatedJSON, of state: Int) -> Int? {
        guard let text = value.text else { return nil }
        if let found = tree.descendant(text[...], of: state) { return found }
        let isPlain = !text.hasPrefix("#") && !text.hasPrefix(".")
        guard let found = isPlain ? tree.numbers[text] : target(value, from: state) else {
            if isPlain {
                let names = tree.keys(of: tree.states[state].children)
                problems.error(
                    value.offset, "\(words(for: state)) has no initial state \(text.quoted); \(names.nearest(to: text))")
            }
            return nil
        }
        guard tree.isDescendant(found, of: state) else {
            problems.error(value.offset, "'initial' names a state inside of \(words(for: state)), and not \(words(for: found))")
            return nil
        }
        return found
    }

    private func setInitial(of state: Int, _ targets: [Int], _ actions: [ChartAction], at offset: Int) {
        guard !targets.isEmpty, tree.states[state].initial == nil else { return }
        let transition = ChartTransition(source: state, trigger: .initial, targets: targets, actions: actions)
        tree.states[state].initial = add(transition, at: offset)
    }

    // MARK: History

    func readDefault(_ value: LocatedJSON, of state: Int) {
        guard tree.states[state].kind.isHistory, let parent = tree.states[state].parent else { return }
        let targets = targets(value, from: state).filter { target in
            guard tree.isDescendant(target, of: parent) else {
                problems.error(
                    value.offset,
                    "a history state leads to a state beside it or below, and \(words(for: target)) is outside of \(words(for: parent))"
                )
                return false
            }
            guard !tree.states[target].kind.isHistory else {
                problems.error(
                    value.offset, "a history state's target is a state, and not a history state as \(words(for: target)) is")
                return false
            }
            return true
        }
        if targets.isEmpty { presumedTargets += tree.states[parent].children }
        setInitial(of: state, targets, actionsOfDefault(of: state), at: value.offset)
    }

    private func actionsOfDefault(of history: Int) -> [ChartAction] {
        tree.drafts[history].fields.value(.actions).map { actions($0, of: history) } ?? []
    }

    // MARK: Defaults

    /// The first state of the file if none is named (SCXML); for a history state, the initial state of its parent.
    func completeInitial(of state: Int) {
        let node = tree.states[state]
        guard node.initial == nil else { return }
        switch node.kind {
        case .atomic, .final, .parallel: break
        case .compound:
            guard !tree.drafts[state].fields.has(.initial) else { return }
            let first = node.children.first { !tree.states[$0].kind.isHistory }
            setInitial(of: state, first.map { [$0] } ?? [], [], at: tree.drafts[state].offset)
        case .history:
            guard !tree.drafts[state].fields.has(.target) else { return }
            setInitial(of: state, defaults(beside: state), actionsOfDefault(of: state), at: tree.drafts[state].offset)
        }
    }

    private func defaults(beside history: Int) -> [Int] {
        guard let parent = tree.states[history].parent else { return [] }
        let node = tree.states[parent]
        guard node.kind != .parallel else { return node.children.filter { !tree.states[$0].kind.isHistory } }
        let targets = node.initial.map { transitions[$0].targets } ?? []
        guard targets.contains(where: { tree.states[$0].kind.isHistory }) else { return targets }
        problems.error(
            tree.drafts[history].offset,
            "\(words(for: parent)) begins in its history state, which needs a 'target' for when there is nothing to remember")
        return []
    }
}
