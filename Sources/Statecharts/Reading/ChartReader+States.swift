// Reads the content of a state.

import JSON

extension ChartReader {
    /// Reads everything of a state but its children, in the order of the file.
    func readState(_ state: Int) {
        for (key, member) in tree.drafts[state].fields.list { read(key, member, of: state) }
        completeInitial(of: state)
        checkChildren(of: state)
    }

    private func read(_ key: StateKey, _ member: LocatedJSON.Member, of state: Int) {
        let value = member.value
        switch key {
        // For people and programs that read the file.
        case .description: _ = problems.text(value, "a 'description'")
        case .tags: _ = problems.texts(value, "'tags'")
        case .view: tree.states[state].view = view(value, of: state)
        case .entry:
            enteredState = state
            tree.states[state].entry = actions(value, of: state)
            enteredState = nil
        case .exit: tree.states[state].exit = actions(value, of: state)
        case .output: tree.states[state].output = formula(value, of: state)
        case .initial: readInitial(value, of: state)
        case .target: readDefault(value, of: state)
        case .on: readEvents(value, of: state)
        case .postpone: readPostponed(value, of: state)
        case .back: readBack(value, of: state)
        case .always: addTransitions(value, from: state, on: .always)
        case .after, .every: readTimers(of: state, key)
        case .onDone: addTransitions(value, from: state, on: .event(.exact(Platform.done(state: tree.name(of: state)))))
        case .invoke: for invocation in value.oneOrSeveral { readInvocation(invocation, of: state) }
        // Those of a history state are read with its target.
        case .actions: break
        case .schema: _ = problems.text(value, "'$schema'")
        case .id, .type, .history, .context, .events, .states, .meta: break
        }
    }

    private func readEvents(_ value: LocatedJSON, of state: Int) {
        for member in problems.members(value, "'on'") {
            guard let descriptor = descriptor(member) else { continue }
            events.mentions.append((descriptor, member.offset))
            if case .null = member.value.content {
                add(ChartTransition(source: state, trigger: .event(descriptor), isForbidden: true), at: member.offset)
            } else {
                addTransitions(member.value, from: state, on: .event(descriptor), in: member.offset)
            }
        }
    }

    private func readPostponed(_ value: LocatedJSON, of state: Int) {
        var names: Set<String> = []
        for value in problems.names(value, of: "event", "'postpone'") {
            guard let name = value.text else { continue }
            if let complaint = NameRules.complaint(aboutEvent: name) {
                problems.error(value.offset, complaint)
            } else if !names.insert(name).inserted {
                problems.error(value.offset, "\(name.quoted) is in 'postpone' twice")
            } else {
                events.mentions.append((.exact(name), value.offset))
                tree.states[state].postponed.append(name)
            }
        }
    }

    private func readBack(_ value: LocatedJSON, of state: Int) {
        switch value.content {
        case .null: tree.states[state].back = .nowhere
        case .text:
            guard let fallback = target(value, from: state) else { return }
            tree.states[state].back = .state(fallback)
            if tree.states[fallback].kind.isHistory {
                problems.error(value.offset, "'back' names a state, and not a history state as \(words(for: fallback)) is")
            } else if fallback == state || tree.states.isDescendant(state, of: fallback) {
                problems.error(value.offset, "'back' leads out of \(words(for: state)), and not to where it is already")
            }
        case .bool, .integer, .number, .array, .object, .unreadable:
            problems.wrong(value, "'back' is a state, or null where nothing leads back")
        }
    }

    private func view(_ value: LocatedJSON, of state: Int) -> ChartView {
        var view = ChartView()
        for (key, member) in problems.fields(value, ViewKey.self).list {
            switch key {
            case .title: view.title = template(member.value, "a view's title", of: state)
            case .text: view.text = template(member.value, "a view's text", of: state)
            case .progress: view.progress = progress(member.value, of: state)
            }
        }
        return view
    }

    private func progress(_ value: LocatedJSON, of state: Int) -> Formula? {
        guard value.text == nil else { return formula(value, of: state) }
        guard let number = problems.number(value, "progress is an expression or a number; this one") else { return nil }
        if !(0...1).contains(number) {
            problems.error(value.offset, "progress goes from 0 to 1, and \(value.typeInWords) is beyond")
        }
        return .constant(value.json)
    }

    private func checkChildren(of state: Int) {
        let node = tree.states[state]
        let lasting = tree.states.lastingChildren(of: state)
        let offset = tree.drafts[state].offset
        if !node.children.isEmpty, lasting.isEmpty {
            problems.error(offset, "\(words(for: state)) has history states only, and nothing that they could remember")
        }
        if node.kind == .parallel {
            for child in lasting where tree.states[child].kind == .final {
                problems.error(
                    tree.drafts[child].offset, "a region of a parallel state is no final state; put it into a region of its own"
                )
            }
        }
        if let onDone = tree.drafts[state].fields[.onDone] { checkDone(state, lasting, at: onDone.offset) }
    }

    private func checkDone(_ state: Int, _ lasting: [Int], at offset: Int) {
        if state == 0 {
            problems.warning(
                offset,
                "the flow's 'onDone' is never taken: the session is over when the flow is done; "
                    + "write its actions as 'entry' of the final states")
        } else if tree.states[state].kind == .compound, !lasting.contains(where: { tree.states[$0].kind == .final }) {
            problems.warning(offset, "\(words(for: state)) is never done: none of its own states is of type \"final\"")
        }
    }

    func words(for state: Int) -> String { tree.states.words(for: state) }

    // MARK: Initial states of compound states, and defaults of history states.

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
        guard tree.states.isDescendant(found, of: state) else {
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
            guard tree.states.isDescendant(target, of: parent) else {
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
            let first = tree.states.lastingChildren(of: state).first
            setInitial(of: state, first.map { [$0] } ?? [], [], at: tree.drafts[state].offset)
        case .history:
            guard !tree.drafts[state].fields.has(.target) else { return }
            setInitial(of: state, defaults(beside: state), actionsOfDefault(of: state), at: tree.drafts[state].offset)
        }
    }

    private func defaults(beside history: Int) -> [Int] {
        guard let parent = tree.states[history].parent else { return [] }
        let node = tree.states[parent]
        guard node.kind != .parallel else { return tree.states.lastingChildren(of: parent) }
        let targets = node.initial.map { transitions[$0].targets } ?? []
        guard targets.contains(where: { tree.states[$0].kind.isHistory }) else { return targets }
        problems.error(
            tree.drafts[history].offset,
            "\(words(for: parent)) begins in its history state, which needs a 'target' for when there is nothing to remember")
        return []
    }
}
