// The kinds of states, and the keys that a state of each kind has.

import JSON

extension ChartReader {
    func kind(of fields: Fields<StateKey>, isRoot: Bool) -> ChartStateNode.Kind {
        let natural: ChartStateNode.Kind = fields.has(.states) ? .compound : .atomic
        let kind = declaredKind(of: fields, natural) ?? natural
        if isRoot, kind != .compound, kind != .parallel, fields.has(.states), let type = fields.value(.type) {
            problems.error(type.offset, "a flow is compound, which is the default, or parallel")
        }
        for (key, member) in fields.list {
            if let complaint = key.complaint(in: isRoot ? nil : kind) { problems.error(member.offset, complaint) }
        }
        return kind
    }

    private func declaredKind(of fields: Fields<StateKey>, _ natural: ChartStateNode.Kind) -> ChartStateNode.Kind? {
        guard let value = fields.value(.type) else {
            guard let history = fields[.history] else { return nil }
            problems.error(history.offset, "a history state needs its type: write type: \"history\" beside it")
            return .history(isDeep: isDeep(fields))
        }
        guard let type = problems.text(value, "'type'") else { return nil }
        switch type {
        case "final": return .final
        case "history": return .history(isDeep: isDeep(fields))
        case "parallel":
            if natural == .atomic { problems.error(value.offset, "a parallel state has states, which are all active together") }
            return .parallel
        case "compound" where natural == .atomic:
            problems.error(value.offset, "a compound state has states, and this one has none; leave out its 'type'")
            return nil
        case "atomic" where natural == .compound:
            problems.error(value.offset, "an atomic state has no states, and this one has some; leave out its 'type'")
            return nil
        case "compound", "atomic": return nil
        default:
            let types = ["parallel", "final", "history"]
            problems.error(value.offset, "there is no type \(type.quoted); \(types.nearest(to: type))")
            return nil
        }
    }

    private func isDeep(_ fields: Fields<StateKey>) -> Bool {
        guard let value = fields.value(.history) else { return false }
        switch value.text {
        case "shallow": return false
        case "deep": return true
        default:
            problems.wrong(value, "'history' is \"shallow\" or \"deep\"")
            return false
        }
    }
}

extension StateKey {
    /// Why a state of this kind has no such key; nil if it may have it. `kind` is nil for the flow itself.
    func complaint(in kind: ChartStateNode.Kind?) -> String? {
        let name = "'\(rawValue)'"
        switch (self, kind) {
        case (.id, _), (.description, _), (.type, _), (.meta, _), (.schema, nil), (.context, nil), (.events, nil),
            (.history, .history), (.target, .history), (.actions, .history), (.output, .final), (.tags, .final),
            (.view, .final), (.entry, .final), (.exit, .final):
            return nil
        case (.context, _), (.events, _), (.schema, _): return "\(name) belongs to the flow, at the top of the file"
        case (.output, .history): return "\(name) belongs to a final state"
        case (.output, _): return "\(name) belongs to a final state, and is what its parent's 'done' event carries"
        case (.target, _):
            return "\(name) belongs to a history state or into a transition: on: { start: { target: \"lobby\" } }"
        case (.actions, _): return "\(name) belong where they are used, in 'entry', 'exit' or a transition"
        case (.history, _): return "\(name) belongs to a history state: write type: \"history\" beside it"
        case (_, .final): return "a final state has no \(name): nothing comes after it"
        case (_, .history): return "a history state has no \(name): it only leads on to the states that it remembers"
        case (.initial, .parallel): return "a parallel state has no \(name): all of its states are entered"
        case (.initial, .atomic): return "\(name) names one of the state's own states, and this state has none"
        case (.onDone, .atomic): return "\(name) is for a state with states; for an invoked flow, write it in its 'invoke'"
        default: return nil
        }
    }
}
