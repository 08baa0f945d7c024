// The events of a machine that wait, as they are saved and restored.

import Texts
import Timers

extension Machine {
    /// Postponed events, followed by those that wait for a hook.
    var eventsThatWait: [WaitingEvent] {
        guard let extras else { return [] }
        let pending = extras.pending.map { step in
            var event = QueuedEvent(event: step.event, cause: step.cause, timer: nil, payload: step.payload)
            event.receipt = step.receipt
            return event
        }
        return extras.postponed.compactMap { saved($0, isPostponed: true) }
            + (pending.map { [$0] } ?? []).compactMap { saved($0, isPostponed: false) }
            + extras.queue.compactMap { saved($0, isPostponed: false) }
    }

    /// Nil if the event could not be restored, since the flow's catalogue does not have it.
    private func saved(_ event: QueuedEvent<F.Event>, isPostponed: Bool) -> WaitingEvent? {
        let place = event.cause.event == HistoryEntry.Cause.none ? kind.place(ofTyped: event.event) : event.cause.event
        guard let name = kind.eventName(at: place) else { return nil }
        var saved = WaitingEvent(
            event: name, payload: event.payload ?? JSON.carried(by: event.event).map { Payload($0) },
            source: event.cause.source, actor: kind.watcher?.object.name(of: event.cause.actor),
            timer: kind.timerName(at: event.cause.timer), isPostponed: isPostponed)
        saved.id = event.receipt?.id
        return saved
    }

    /// Decodes the events and queues them again.
    func wait(for events: [WaitingEvent]) throws {
        let extras = makeExtras()
        for event in events {
            let queued = try queued(event)
            if event.isPostponed { extras.postponed.append(queued) } else { extras.queue.append(queued) }
            hold(queued.payload)
        }
        extras.stateHasChanged = false
    }

    private func queued(_ event: WaitingEvent) throws -> QueuedEvent<F.Event> {
        guard let place = kind.index(ofEvent: event.event) else {
            throw RestorationError("a waiting event is not one of the flow's: '\(event.event.shortened)'")
        }
        let timer = event.timer.flatMap { name in kind.timers.firstIndex { $0.name == name } }
        let cause = HistoryEntry.Cause(
            event.source, event: UInt16(truncatingIfNeeded: place),
            timer: timer.map { UInt16(truncatingIfNeeded: $0) } ?? HistoryEntry.Cause.none,
            actor: event.actor.flatMap { kind.watcher?.object.actor(named: $0) } ?? .none)
        let id = event.timer.flatMap { name in timers.last { $0.plan.name == name }?.id }
        do throws(FlowError) {
            let decoded = try typed.specs[place].decoded(event.payload).get()
            var queued = QueuedEvent(event: decoded, cause: cause, timer: id, payload: event.payload)
            queued.receipt = event.id.map { id in EventReceipt(of: id) { [weak self] in self?.decide(id, $0) } }
            return queued
        } catch {
            throw RestorationError("a waiting event cannot be decoded: \(error.sentence)")
        }
    }
}
