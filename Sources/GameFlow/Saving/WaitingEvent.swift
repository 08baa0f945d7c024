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
        else { throw RestorationError("a waiting event has no name or no source: \(json.description.shortened)") }
        self.init(
            event: event, payload: try json["payload"].map { try Payload(text: $0.description) }, source: source,
            actor: json["actor"]?.text, timer: json["timer"]?.text, isPostponed: json["postponed"]?.boolean ?? false)
        if let text = json["id"]?.text, let owner = json["id_of"]?.text { id = EventID(text, of: owner) }
    }
}
