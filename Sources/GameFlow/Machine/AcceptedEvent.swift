// An event of a flow, for code that does not know its types.

/// An event that a machine accepts now.
public struct AcceptedEvent: Sendable, Equatable {
    /// What clients send.
    public let name: String
    /// What a button says.
    public let label: String
    /// What it carries; nil for an event that carries nothing.
    public let payload: PayloadKind?
    /// Who may send it.
    public let sources: EventSources
}

extension AcceptedEvent {
    /// Whether people or things outside may send it.
    public var isForClients: Bool { !sources.isDisjoint(with: .clients) }

    /// What a user interface needs to offer it: `{"event":"startPlaying","label":"Start playing","payload":null}`.
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
