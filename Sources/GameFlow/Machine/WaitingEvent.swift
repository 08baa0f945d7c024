// Waiting events, as a restart restores them: those that a flow has postponed, and those behind an asynchronous hook.

import Texts
import Timers

/// An event that was acknowledged and is not handled yet.
public struct WaitingEvent: Sendable {
    /// The event's name.
    public let event: String
    /// Its payload.
    public let payload: Payload?
    /// Where it came from.
    public let source: EventSource
    /// The sender's name; nil if it is unknown.
    public let actor: String?
    /// The timer that sent it; if that is gone by then, the event is dropped.
    public let timer: String?
    /// Whether it waits for another state; otherwise it waits for a hook.
    public let isPostponed: Bool
    /// The id that it was sent with, if its sender is still to be answered.
    package var id: EventID?

    /// An event that waits.
    public init(
        event: String, payload: Payload?, source: EventSource, actor: String? = nil, timer: String?, isPostponed: Bool
    ) {
        self.event = event
        self.payload = payload
        self.source = source
        self.actor = actor
        self.timer = timer
        self.isPostponed = isPostponed
    }
}

// MARK: As text

extension WaitingEvent {
    /// A JSON array, for a store.
    package static func text(of events: [WaitingEvent]) -> String {
        "[" + events.map(\.text).joined(separator: ",") + "]"
    }

    private var text: String {
        var members = ["\"event\":\(JSON.string(event))", "\"source\":\(JSON.string(source.name))"]
        if isPostponed { members.append("\"postponed\":true") }
        if let timer { members.append("\"timer\":\(JSON.string(timer))") }
        if let payload { members.append("\"payload\":\(payload.text)") }
        if let actor { members.append("\"actor\":\(JSON.string(actor))") }
        if let id { members.append("\"id\":\(JSON.string(id.id)),\"id_of\":\(JSON.string(id.actor))") }
        return "{" + members.joined(separator: ",") + "}"
    }

    init(_ json: JSON) throws {
        guard let event = json["event"]?.text, let name = json["source"]?.text,
            let source = EventSource.allCases.first(where: { $0.name == name })
        else { throw RestoringError("a waiting event has no name or no source: \(json.description.shortened)") }
        self.init(
            event: event, payload: try json["payload"].map { try Payload(text: $0.description) }, source: source,
            actor: json["actor"]?.text, timer: json["timer"]?.text, isPostponed: json["postponed"]?.boolean ?? false)
        if let text = json["id"]?.text, let owner = json["id_of"]?.text { id = EventID(text, of: owner) }
    }
}

// MARK: Of a machine

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
        guard let place = kind.place(ofEvent: event.event) else {
            throw RestoringError("a waiting event is not one of the flow's: '\(event.event.shortened)'")
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
            throw RestoringError("a waiting event cannot be decoded: \(error.sentence)")
        }
    }
}
