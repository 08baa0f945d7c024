// Events that are raised or sent later: countdowns of the session, which outlive the state that began them.

import GameFlow
import Timers

extension Macrostep {
    /// Delayed events of one session.
    static let maxDelayed = 64

    /// Begins the event's countdown; false where there is nothing to wait for.
    func raiseLater(_ event: EventToSend, _ data: JSON?, _ recipient: String?, _ delay: Length) throws(FlowError) -> Bool {
        let length = try duration(of: delay)
        guard length > .zero, let clock else { return false }
        let rest = ownRest()
        // One whose event was refused when it was due waits no more.
        rest.delayed.removeAll { $0.countdown.remaining == nil }
        guard rest.delayed.count < Self.maxDelayed else {
            throw .refused("\(Self.maxDelayed) delayed events wait in this session already")
        }
        rest.lastDelayed &+= 1
        let plan = plan(of: event, data, length, rest, isSent: recipient != nil)
        do throws(TimerError) {
            rest.delayed.append(
                DelayedEvent(
                    number: rest.lastDelayed, id: event.id ?? event.event, event: event.event, data: data,
                    recipient: recipient, countdown: try Countdown(plan, on: clock)))
        } catch {
            throw .refused(error.description)
        }
        return true
    }

    /// Its name is the event's id, with its number where another timer has that name.
    private func plan(
        of event: EventToSend, _ data: JSON?, _ length: Duration, _ rest: Remainder, isSent: Bool
    ) -> TimerPlan {
        let name = event.id ?? event.event
        let isTaken = plans.number(ofTimer: name) != nil || rest.delayed.contains { $0.countdown.plan.name == name }
        return chart.planOfDelayed(
            isTaken ? "\(name)#\(rest.lastDelayed)" : name, event.event, data, length, rest.lastDelayed, isSent: isSent)
    }

    func cancel(_ id: String) {
        guard rest?.delayed.contains(where: { $0.id == id }) ?? false else { return }
        ownRest().delayed.removeAll { $0.id == id }
    }
}

extension Chart {
    /// The plan of a delayed event's countdown.
    func planOfDelayed(
        _ name: String, _ event: String, _ data: JSON?, _ length: Duration, _ number: UInt32, isSent: Bool
    ) -> TimerPlan {
        let spec = events.named(isSent ? Platform.sent(event) : event)
        return .countdown(name, length, message: spec.map { ChartEvent($0, data, delayed: number) })
    }
}
