// Actions, alone or in an array.

import JSON
import Timers

extension ChartReader {
    func actions(_ value: LocatedJSON, of state: Int) -> [ChartAction] {
        value.oneOrSeveral.flatMap { action($0, of: state) }
    }

    /// Several for an `assign` of several variables.
    private func action(_ value: LocatedJSON, of state: Int) -> [ChartAction] {
        guard let members = value.members else {
            problems.wrong(value, "an action is an object such as { raise: \"tick\" }")
            return []
        }
        let keys = members.compactMap { member in ActionKey(rawValue: member.name).map { (key: $0, value: member.value) } }
        guard let action = keys.first, keys.count == 1 else {
            reportNoAction(value, members, hasSeveral: keys.count > 1)
            return []
        }
        reportUnexpectedMembers(members, beside: action.key)
        return self.actions(action.key, action.value, members, of: state)
    }

    private func reportNoAction(_ value: LocatedJSON, _ members: [LocatedJSON.Member], hasSeveral: Bool) {
        if hasSeveral {
            problems.error(value.offset, "an action does one thing; write several as an array: [{ … }, { … }]")
        } else if let member = members.first {
            problems.error(member.offset, "there is no action \(member.name.quoted); \(ActionKey.advice(for: member.name))")
        } else {
            problems.error(value.offset, "this action is empty; \(ActionKey.names.nearest(to: ""))")
        }
    }

    /// Reports the members of an action besides its own key.
    private func reportUnexpectedMembers(_ members: [LocatedJSON.Member], beside key: ActionKey) {
        for member in members where member.name != key.rawValue {
            if key == .condition {
                guard BranchKey(rawValue: member.name) == nil else { continue }
                let advice = BranchKey.advice(for: member.name)
                problems.error(member.offset, "\(BranchKey.object) has no key \(member.name.quoted); \(advice)")
                continue
            }
            let advice =
                BranchKey(rawValue: member.name) == nil ? ActionKey.hints[member.name] : "'\(member.name)' belongs beside 'if'"
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
        case .pause: return timer(value, key).map { [.pause(timer: $0)] } ?? []
        case .resume: return timer(value, key).map { [.resume(timer: $0)] } ?? []
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
            checkLiteral(formula, in: member.value, for: context.all[variable])
            return .assign(variable: variable, formula)
        }
    }

    private func choice(_ value: LocatedJSON, _ members: [LocatedJSON.Member], of state: Int) -> [ChartAction] {
        let condition = condition(value, "'if'", of: state)
        func branch(_ key: BranchKey) -> [ChartAction]? {
            members.first { $0.name == key.rawValue }.map { actions($0.value, of: state) }
        }
        let (then, otherwise) = (branch(.then), branch(.otherwise))
        if members.count == 1 { problems.error(value.offset, "'if' has actions in 'then', in 'else', or in both") }
        return [.choose(if: condition, then: then ?? [], otherwise: otherwise ?? [])]
    }

    // MARK: Timers

    private func extend(_ value: LocatedJSON, of state: Int) -> [ChartAction] {
        let fields = problems.fields(value, ExtendKey.self)
        guard value.members != nil else { return [] }
        guard let name = fields.value(.timer), let by = fields.value(.by) else {
            problems.missing(from: fields, "'extend' needs a timer and a duration: { timer: \"round\", by: \"30s\" }")
            return []
        }
        let (number, length) = (timer(name, .extend), length(by, "'by'", of: state, maySubtract: true))
        guard let number, let length else { return [] }
        return [.extend(timer: number, by: length)]
    }

    /// The number of the timer that an action names.
    private func timer(_ value: LocatedJSON, _ action: ActionKey) -> Int? {
        guard let name = problems.text(value, "a timer's name") else { return nil }
        guard let number = timers.numbers[name] else {
            problems.error(value.offset, "there is no timer \(name.quoted); \(timers.advice(for: name))")
            return nil
        }
        let state = timers.all[number].state
        if let enteredState, state == enteredState || tree.states.isDescendant(state, of: enteredState) {
            let effect = action == .extend ? "refuses the event; give the timer another 'delay'" : "does nothing"
            problems.warning(
                value.offset,
                "the timer \(name.quoted) starts after this 'entry', so '\(action.rawValue)' \(effect)")
        }
        return number
    }

    // MARK: Milestones

    /// `{ "10m": "event", "1m": { …action… } }`: transitions of the timer's state that leave it where it is.
    func readMilestones(_ member: LocatedJSON.Member, of timer: Int) {
        let countdown = timers.all[timer]
        guard countdown.kind == .countdown else {
            problems.error(member.offset, "a pendulum has no milestones, since it restarts with each swing; use a countdown")
            return
        }
        let members = problems.members(member.value, "'milestones'")
        guard members.count <= ChartBounds.milestones else {
            problems.error(
                members[ChartBounds.milestones].offset,
                "a timer has at most \(ChartBounds.milestones) milestones; this one is beyond that")
            return
        }
        let found = members.compactMap { member in
            milestone(member, of: countdown).map { (left: $0, member: member) }
        }
        let lengths = Set(found.map(\.left)).sorted(by: >)
        if lengths.count < found.count { problems.error(member.offset, "two of these milestones are at the same time") }
        timers.all[timer].milestones = lengths
        for (left, member) in found {
            guard let index = lengths.firstIndex(of: left) else { continue }
            let trigger = Trigger.milestone(timer: timer, index)
            self.trigger = trigger
            let actions = milestoneActions(member.value, of: countdown.state)
            self.trigger = nil
            add(ChartTransition(source: countdown.state, trigger: trigger, actions: actions), at: member.offset)
        }
    }

    private func milestone(_ member: LocatedJSON.Member, of countdown: ChartTimer) -> Duration? {
        guard let left = duration(member, in: "milestones") else { return nil }
        guard left > .zero else {
            problems.error(member.offset, "a milestone is before the end; the actions at the end belong beside 'milestones'")
            return nil
        }
        if case .fixed(let length) = countdown.length, left >= length {
            problems.error(
                member.offset, "the milestone at \(left.written) before the end never comes: the timer takes \(length.written)")
            return nil
        }
        return left
    }

    /// A text is an event to raise.
    private func milestoneActions(_ value: LocatedJSON, of state: Int) -> [ChartAction] {
        if let text = value.text {
            if stateNumber(text, from: state) != nil { milestonesNamingStates.append((event: text, offset: value.offset)) }
            return sentEvent(value, "raise", of: state).map { [.raise($0.event)] } ?? []
        }
        if let target = value.members?.first(where: { TransitionKey(rawValue: $0.name) != nil }), !value.isAction {
            problems.error(
                target.offset, "a milestone has actions, or the name of an event; the event's target belongs in 'on'")
            return []
        }
        return actions(value, of: state)
    }

    // MARK: Lengths of time

    func length(_ value: LocatedJSON, _ what: String, of state: Int, maySubtract: Bool = false) -> Length? {
        let duration: Duration?
        switch value.content {
        case .text(let text):
            duration = Duration(text: text)
            if duration == nil {
                let complaint = complaint(aboutLength: text) ?? complaint(aboutComputed: text, what, maySubtract: maySubtract)
                guard let complaint else {
                    return .computed(expression(text, in: value, of: state))
                }
                problems.error(value.offset, complaint)
                return nil
            }
        case .integer(let milliseconds): duration = Duration(text: "\(milliseconds)")
        case .number(let milliseconds): duration = Duration(milliseconds: milliseconds)
        case .null, .bool, .array, .object, .unreadable:
            problems.wrong(value, "\(what) is \(Self.length)")
            return nil
        }
        guard let duration else {
            problems.error(value.offset, Self.tooLong(what))
            return nil
        }
        guard maySubtract || duration >= .zero else {
            problems.error(value.offset, Self.negative(what, duration))
            return nil
        }
        warn(ofPlainNumber: value.text ?? "\(value.json)", at: value.offset)
        return .fixed(duration)
    }

    /// A number of milliseconds below a second may have been meant in seconds.
    private func warn(ofPlainNumber text: String, at offset: Int) {
        guard let number = Double(text), number != 0, abs(number) < 1_000 else { return }
        problems.warning(offset, "'\(text)' is milliseconds; write \(text)ms if that is meant, or \(text)s for seconds")
    }

    /// A key that is a length of time.
    func duration(_ member: LocatedJSON.Member, in what: String) -> Duration? {
        guard let duration = Duration(text: member.name) else {
            problems.error(
                member.offset, complaint(aboutLength: member.name) ?? Duration.complaint(about: member.name.shortened))
            return nil
        }
        guard duration >= .zero else {
            problems.error(member.offset, "'\(what)' counts forward, and \(member.name.quoted) is behind")
            return nil
        }
        warn(ofPlainNumber: member.name, at: member.offset)
        return duration
    }

    /// The problem of a text that was meant as a duration; nil if it may be an expression.
    private func complaint(aboutLength text: String) -> String? {
        let together = text.filter { !$0.isWhitespace }
        if together != text, Duration(text: together) != nil { return Duration.complaint(about: text.shortened) }
        let digits = together.drop { $0 == "-" }.prefix { $0.isNumber || $0 == "." }
        let unit = together.drop { $0 == "-" }.dropFirst(digits.count)
        guard !digits.isEmpty, !unit.isEmpty, unit.allSatisfy(\.isLetter), unit.lowercased() != "e", unit.first != "x" else {
            return nil
        }
        return Duration.complaint(about: text.shortened)
    }
}
