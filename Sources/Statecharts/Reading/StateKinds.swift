// The kinds of states, and the keys that a state of each kind has.

import JSON

extension ChartReader {
    func kind(of fields: Fields<StateKey>, isRoot: Bool) -> ChartStateNode.Kind {
        let natural: ChartStateNode.Kind = fields.has(.states) ? .compound : .atomic
        let kind = declaredKind(of: fields, natural) ?? natural
        let role = isRoot ? .flow : StateRole(kind)
        if isRoot, kind != .compound, kind != .parallel, fields.has(.states), let type = fields.value(.type) {
            problems.error(type.offset, "a flow is compound, which is the default, or parallel")
        }
        for (key, member) in fields.list where !role.allows(key) {
            if let complaint = role.complaint(about: key) { problems.error(member.offset, complaint) }
        }
        return kind
    }

    private func declaredKind(of fields: Fields<StateKey>, _ natural: ChartStateNode.Kind) -> ChartStateNode.Kind? {
        guard let value = fields.value(.type) else {
            fields[.history].map {
                problems.error($0.offset, "a history state needs its type: write type: \"history\" beside it")
            }
            return fields.has(.history) ? .history(isDeep: isDeep(fields)) : nil
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

/// A state's kind, as far as it decides about keys.
enum StateRole {
    case flow, atomic, compound, parallel, final, history

    init(_ kind: ChartStateNode.Kind) {
        switch kind {
        case .atomic: self = .atomic
        case .compound: self = .compound
        case .parallel: self = .parallel
        case .final: self = .final
        case .history: self = .history
        }
    }

    func allows(_ key: StateKey) -> Bool {
        switch key {
        case .id, .description, .type, .meta: true
        case .tags, .view, .entry, .exit: self != .history
        case .schema, .context, .events: self == .flow
        case .history, .target, .actions: self == .history
        case .output: self == .final
        case .on, .postpone, .back, .always, .after, .every, .invoke: self != .final && self != .history
        case .states: self != .final && self != .history
        case .onDone: self == .flow || self == .compound || self == .parallel
        case .initial: self == .flow || self == .compound
        }
    }

    /// Nil where something else was said of it already.
    func complaint(about key: StateKey) -> String? {
        let name = "'\(key.rawValue)'"
        switch (self, key) {
        case (_, .context), (_, .events), (_, .schema): return "\(name) belongs to the flow, at the top of the file"
        case (.final, _) where ![.history, .target, .actions].contains(key):
            return "a final state has no \(name): nothing comes after it"
        case (.history, .output): return "\(name) belongs to a final state"
        case (.history, _): return "a history state has no \(name): it only leads on to the states that it remembers"
        case (_, .output): return "\(name) belongs to a final state, and is what its parent's 'done' event carries"
        case (_, .target):
            return "\(name) belongs to a history state or into a transition: on: { start: { target: \"lobby\" } }"
        case (_, .actions): return "\(name) belong where they are used, in 'entry', 'exit' or a transition"
        case (_, .history): return "\(name) belongs to a history state: write type: \"history\" beside it"
        case (.parallel, .initial): return "a parallel state has no \(name): all of its states are entered"
        case (.atomic, .initial): return "\(name) names one of the state's own states, and this state has none"
        case (.atomic, .onDone): return "\(name) is for a state with states; for an invoked flow, write it in its 'invoke'"
        default: return nil
        }
    }
}
