// Timers: their names first, as actions may name those of other states, and then where they lead.

import JSON
import Texts
import Timers

/// The timers of all states, in document order.
struct TimerTable {
    /// A timer's entry in the file.
    struct Draft {
        let member: LocatedJSON.Member
        /// Members that describe the timer beyond its transition.
        let extras: Fields<TimerKey>
        /// The rest: where it leads.
        let transitions: LocatedJSON?
    }

    var all: [ChartTimer] = []
    var drafts: [Draft] = []
    var numbers: [String: Int] = [:]

    func advice(for name: String) -> String { all.map(\.name).nearest(to: name) }
}

extension ChartReader {
    /// Names all timers.
    func readTimers() {
        for state in tree.states.indices {
            var unnamed = 0
            for (key, member) in tree.drafts[state].fields.list where key == .after || key == .every {
                for timer in problems.members(member.value, "'\(key.rawValue)'") { addTimer(timer, key, of: state, &unnamed) }
            }
        }
    }

    private func addTimer(_ member: LocatedJSON.Member, _ key: StateKey, of state: Int, _ unnamed: inout Int) {
        let number = timers.all.count
        guard problems.hasRoom(number, atMost: ChartBounds.timers, "timers", at: member.offset) else { return }
        let (extras, transitions) = TimerTable.split(member.value)
        let kind: TimerPlan.Kind = key == .after ? .countdown : .pendulum
        let name = timerName(extras, of: state, &unnamed)
        if timers.numbers.updateValue(number, forKey: name) != nil {
            let offset = extras.value(.name)?.offset ?? member.offset
            problems.error(offset, "there are two timers \(name.quoted); give one of them another 'name'")
        }
        timers.all.append(ChartTimer(name: name, kind: kind, state: state, length: .fixed(.zero)))
        timers.drafts.append(TimerTable.Draft(member: member, extras: extras, transitions: transitions))
        tree.states[state].timers.append(number)
    }

    private func timerName(_ extras: Fields<TimerKey>, of state: Int, _ unnamed: inout Int) -> String {
        if let value = extras.value(.name), let name = problems.text(value, "a timer's name") {
            if let complaint = NameRules.complaint(about: name, of: "a timer") { problems.error(value.offset, complaint) }
            return name
        }
        unnamed += 1
        return tree.name(of: state) + (unnamed > 1 ? "#\(unnamed)" : "")
    }

    // MARK: Their lengths, and where they lead

    /// Reads the timers that one of a state's keys has.
    func readTimers(of state: Int, _ key: StateKey) {
        let kind: TimerPlan.Kind = key == .after ? .countdown : .pendulum
        for number in tree.states[state].timers where timers.all[number].kind == kind { readTimer(number, of: state) }
    }

    private func readTimer(_ number: Int, of state: Int) {
        let draft = timers.drafts[number]
        if let length = length(of: draft, number, in: state) { timers.all[number].length = length }
        timers.all[number].label = draft.extras.value(.label).flatMap(label)
        timers.all[number].restart = draft.extras.value(.restart).flatMap(restart) ?? .keep
        if let transitions = draft.transitions {
            addTransitions(transitions, from: state, on: .timer(number), in: draft.member.offset)
        } else {
            add(ChartTransition(source: state, trigger: .timer(number)), at: draft.member.offset)
        }
        if let milestones = draft.extras[.milestones] { readMilestones(milestones, of: number) }
    }

    private func length(of draft: TimerTable.Draft, _ number: Int, in state: Int) -> Length? {
        let isPendulum = timers.all[number].kind == .pendulum
        let keyed = duration(draft.member, in: isPendulum ? "every" : "after")
        let length: Length?
        var offset = draft.member.offset
        if let delay = draft.extras.value(.delay) {
            length = self.length(delay, "'delay'", of: state)
            offset = delay.offset
        } else {
            length = keyed.map { .fixed($0) }
        }
        if isPendulum, case .fixed(let period)? = length { checkPeriod(period, at: offset) }
        return length
    }

    private func checkPeriod(_ period: Duration, at offset: Int) {
        if period == .zero {
            problems.error(offset, "a pendulum needs more time than \(Duration.zero.written) from swing to swing")
        } else if period < ChartBounds.shortPeriod {
            problems.warning(
                offset,
                "every \(period.written) is an event more than 100 times a second, each with a change to store; "
                    + "write \(ChartBounds.shortPeriod.written) or more")
        }
    }

    /// A timer's name for people.
    private func label(_ value: LocatedJSON) -> String? {
        guard let text = label(value, "a timer's label") else { return nil }
        guard !text.isEmpty, text.utf8.count <= ChartBounds.nameBytes else {
            problems.error(value.offset, "a timer's label has 1 to \(ChartBounds.nameBytes) bytes, not \(text.utf8.count)")
            return nil
        }
        return text
    }

    private func restart(_ value: LocatedJSON) -> RestartPolicy? {
        guard let text = problems.text(value, "'restart'") else { return nil }
        if let policy = RestartPolicy(rawValue: text) { return policy }
        problems.error(value.offset, "'restart' is keep, freeze or restart, not \(text.quoted)")
        return nil
    }
}

extension TimerTable {
    /// The members of a timer's value that describe the timer, in the value itself or in its array's first element, and the rest. Nil if there is no
    /// rest.
    fileprivate static func split(_ value: LocatedJSON) -> (extras: Fields<TimerKey>, transitions: LocatedJSON?) {
        switch value.content {
        case .object(let members):
            let extras = members.compactMap { member in TimerKey(rawValue: member.name).map { (key: $0, member: member) } }
            let rest = members.filter { TimerKey(rawValue: $0.name) == nil }
            let isAll = rest.isEmpty && !extras.isEmpty
            return (Fields(list: extras, offset: value.offset), isAll ? nil : LocatedJSON(.object(rest), at: value.offset))
        case .array(let values):
            guard let first = values.first, first.members != nil else { break }
            let (extras, rest) = split(first)
            let left = (rest.map { [$0] } ?? []) + values.dropFirst()
            return (extras, left.isEmpty ? nil : LocatedJSON(.array(left), at: value.offset))
        case .null, .bool, .integer, .number, .text, .unreadable: break
        }
        return (Fields(list: [], offset: value.offset), value)
    }
}
