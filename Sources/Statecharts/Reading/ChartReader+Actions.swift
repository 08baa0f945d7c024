// Actions, alone or in an array.

import JSON

extension ChartReader {
    func actions(_ value: LocatedJSON, of state: Int) -> [ChartAction] {
        switch value.content {
        case .array(let values): return values.flatMap { action($0, of: state) }
        case .object, .null, .bool, .integer, .number, .text, .unreadable: return action(value, of: state)
        }
    }

    /// Several for an `assign` of several variables.
    private func action(_ value: LocatedJSON, of state: Int) -> [ChartAction] {
        guard let members = value.members else {
            problems.wrong(value, "an action is an object such as { raise: \"tick\" }")
            return []
        }
        let keys = members.compactMap { member in ActionKey(rawValue: member.name).map { (key: $0, value: member.value) } }
        guard let action = keys.first, keys.count == 1 else {
            tellNoAction(value, members, hasSeveral: keys.count > 1)
            return []
        }
        tellStrangers(members, beside: action.key)
        return self.actions(action.key, action.value, members, of: state)
    }

    private func tellNoAction(_ value: LocatedJSON, _ members: [LocatedJSON.Member], hasSeveral: Bool) {
        if hasSeveral {
            problems.error(value.offset, "an action does one thing; write several as an array: [{ … }, { … }]")
        } else if let member = members.first {
            problems.error(member.offset, "there is no action \(member.name.quoted); \(ActionKey.advice(for: member.name))")
        } else {
            problems.error(value.offset, "this action is empty; \(ActionKey.names.nearest(to: ""))")
        }
    }

    /// What an action has besides its own key.
    private func tellStrangers(_ members: [LocatedJSON.Member], beside key: ActionKey) {
        for member in members where member.name != key.rawValue {
            if key == .condition, BranchKey(rawValue: member.name) != nil { continue }
            let advice =
                BranchKey(rawValue: member.name) == nil ? ActionKey.hints[member.name] : "'\(member.name)' stands beside 'if'"
            problems.error(
                member.offset,
                "'\(key.rawValue)' has nothing beside it, and not \(member.name.quoted)\(advice.map { "; \($0)" } ?? "")")
        }
    }

    private func actions(
        _ key: ActionKey, _ value: LocatedJSON, _ members: [LocatedJSON.Member], of state: Int
    ) -> [ChartAction] {
        switch key {
        case .assign: return assignments(value, of: state)
        case .raise: return sentEvent(value, "raise", of: state).map { [.raise($0.event)] } ?? []
        case .emit: return sentEvent(value, "emit", of: state).map { [.emit($0.event)] } ?? []
        case .send: return send(value, of: state)
        case .cancel: return cancel(value)
        case .log: return [.log(formula(value, of: state))]
        case .extend: return extend(value, of: state)
        case .pause: return timer(value).map { [.pause(timer: $0)] } ?? []
        case .resume: return timer(value).map { [.resume(timer: $0)] } ?? []
        case .condition: return choice(value, members, of: state)
        }
    }

    private func assignments(_ value: LocatedJSON, of state: Int) -> [ChartAction] {
        problems.members(value, "'assign'").compactMap { member in
            let formula = formula(member.value, of: state)
            guard let variable = context.numbers[member.name] else {
                problems.error(
                    member.offset, "the context has no variable \(member.name.quoted); \(context.advice(for: member.name))")
                return nil
            }
            return .assign(variable: variable, formula)
        }
    }

    private func choice(_ value: LocatedJSON, _ members: [LocatedJSON.Member], of state: Int) -> [ChartAction] {
        let condition = condition(value, "'if'", of: state)
        func branch(_ key: BranchKey) -> [ChartAction]? {
            members.first { $0.name == key.rawValue }.map { actions($0.value, of: state) }
        }
        let (then, otherwise) = (branch(.then), branch(.otherwise))
        if then == nil, otherwise == nil { problems.error(value.offset, "'if' has actions in 'then', in 'else', or in both") }
        return condition.map { [.choose(if: $0, then: then ?? [], otherwise: otherwise ?? [])] } ?? []
    }

    // MARK: Timers

    private func extend(_ value: LocatedJSON, of state: Int) -> [ChartAction] {
        let fields = problems.fields(value, ExtendKey.self)
        guard value.members != nil else { return [] }
        guard let name = fields.value(.timer), let by = fields.value(.by) else {
            problems.error(value.offset, "'extend' says which timer, and by how much: { timer: \"round\", by: \"30s\" }")
            return []
        }
        let (number, length) = (timer(name), length(by, "'by'", of: state, maySubtract: true))
        guard let number, let length else { return [] }
        return [.extend(timer: number, by: length)]
    }

    /// A timer's number, by its name.
    private func timer(_ value: LocatedJSON) -> Int? {
        guard let name = problems.text(value, "a timer's name") else { return nil }
        if let number = timers.numbers[name] { return number }
        problems.error(value.offset, "there is no timer \(name.quoted); \(timers.advice(for: name))")
        return nil
    }
}
