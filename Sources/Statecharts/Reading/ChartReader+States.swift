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
        case .description: tree.states[state].description = problems.text(value, "a 'description'")
        case .tags: tree.states[state].tags = problems.texts(value, "'tags'").compactMap(\.text)
        case .meta: tree.states[state].meta = value.json
        case .view: tree.states[state].view = view(value, of: state)
        case .entry: tree.states[state].entry = actions(value, of: state)
        case .exit: tree.states[state].exit = actions(value, of: state)
        case .output: tree.states[state].output = formula(value, of: state)
        case .initial: readInitial(value, of: state)
        case .target: readDefault(value, of: state)
        case .on: readEvents(value, of: state)
        case .always: addTransitions(value, from: state, on: .always)
        case .after, .every: readTimers(of: state, key)
        case .onDone: addTransitions(value, from: state, on: .event(.exact("done.state." + tree.name(of: state))))
        case .invoke: readInvocations(value, of: state)
        // Those of a history state are read with its target.
        case .actions: break
        case .schema, .id, .type, .history, .context, .events, .states: break
        }
    }

    private func readEvents(_ value: LocatedJSON, of state: Int) {
        for member in problems.members(value, "'on'") {
            guard let descriptor = descriptor(member) else { continue }
            events.mention(descriptor, at: member.offset)
            if case .null = member.value.content {
                add(ChartTransition(source: state, trigger: .event(descriptor), isForbidden: true), at: member.offset)
            } else {
                addTransitions(member.value, from: state, on: .event(descriptor), in: member.offset)
            }
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
        let lasting = node.children.filter { !tree.states[$0].kind.isHistory }
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
        if tree.drafts[state].fields.has(.onDone), node.kind == .compound,
            !lasting.contains(where: { tree.states[$0].kind == .final })
        {
            let place = tree.drafts[state].fields[.onDone]?.offset ?? offset
            problems.warning(place, "\(words(for: state)) is never done: none of its own states is of type \"final\"")
        }
    }

    /// `the state 'question.open'`, `the flow`.
    func words(for state: Int) -> String { state == 0 ? "the flow" : "the state \(tree.states[state].path.quoted)" }
}
