// An event of a flow, for code that does not know its types.

/// An event that a machine accepts now.
public struct AcceptedEvent: Sendable, Equatable {
    /// The name that clients send.
    public let name: String
    /// The text of a button for it.
    public let label: String
    /// The payload's declaration; nil for an event without a payload.
    public let payload: PayloadKind?
    /// The sources that may send the event.
    public let sources: EventSources
}

extension AcceptedEvent {
    /// Whether people or things outside may send it.
    public var isForClients: Bool { !sources.isDisjoint(with: .clients) }

    /// The description a user interface needs to offer the event: `{"event":"startPlaying","label":"Start playing","payload":null}`.
    var action: JSON {
        .object([
            JSON.Member("event", .string(name)), JSON.Member("label", .string(label)),
            JSON.Member("payload", payload?.schema ?? .null),
        ])
    }

    init(_ spec: EventSpec<some Sendable>) {
        self.init(name: spec.name, label: spec.label, payload: spec.payload, sources: spec.sources)
    }
}
