// What happens when so much of a countdown is left.

import JSON
import Timers

extension ChartReader {
    /// `{ "10m": "event", "1m": { …action… } }`: transitions of the timer's state that leave it where it is.
    func readMilestones(_ member: LocatedJSON.Member, of timer: Int) {
        let countdown = timers.all[timer]
        guard countdown.kind == .countdown else {
            problems.error(member.offset, "a pendulum has no milestones, as it begins anew with each swing; a countdown has")
            return
        }
        let members = problems.members(member.value, "'milestones'")
        guard members.count <= ChartBounds.milestones else {
            problems.error(
                members[ChartBounds.milestones].offset,
                "a timer has at most \(ChartBounds.milestones) milestones, and here comes one more")
            return
        }
        let found = members.compactMap { member in
            milestone(member, of: countdown).map { (left: $0, member: member) }
        }
        let lengths = Set(found.map(\.left)).sorted(by: >)
        if lengths.count < found.count { problems.error(member.offset, "two of these milestones are at the same time") }
        timers.all[timer].milestones = lengths
        let places = Dictionary(lengths.enumerated().map { ($1, $0) }) { first, _ in first }
        for (left, member) in found {
            guard let place = places[left] else { continue }
            let actions = milestoneActions(member.value, of: countdown.state)
            let trigger = Trigger.milestone(timer: timer, place)
            add(ChartTransition(source: countdown.state, trigger: trigger, actions: actions), at: member.offset)
        }
    }

    private func milestone(_ member: LocatedJSON.Member, of countdown: ChartTimer) -> Duration? {
        guard let left = duration(member, in: "milestones") else { return nil }
        guard left > .zero else {
            problems.error(member.offset, "a milestone is before the end; what happens at the end stands beside 'milestones'")
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
        if value.text != nil { return sentEvent(value, "raise", of: state).map { [.raise($0.event)] } ?? [] }
        if let target = value.members?.first(where: { TransitionKey(rawValue: $0.name) != nil }), !value.isAction {
            problems.error(
                target.offset, "a milestone has actions, or the name of an event; where that leads stands in 'on'")
            return []
        }
        return actions(value, of: state)
    }
}
