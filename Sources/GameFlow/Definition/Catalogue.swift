// A flow's events: names, payloads and permitted senders.

/// One event of a flow.
public final class EventSpec<Event: Sendable>: Sendable {
    /// The name that clients send: the case's name, unless another is given.
    public let name: String
    /// A button's text.
    public let label: String
    /// The payload's declaration; nil for an event without a payload.
    public let payload: PayloadKind?
    /// The sources that may send the event.
    public let sources: EventSources
    /// Values to try it with.
    public let samples: [Event]
    @usableFromInline let decode: @Sendable (Payload?) throws(FlowError) -> Event

    /// Needs at least one sample. The name is that of the samples' case, unless it is given. A payload that is declared with bounds or
    /// fields is checked before it is decoded.
    public convenience init(
        _ name: String? = nil, label: String? = nil, payload: PayloadKind? = nil, from sources: EventSources = .clients,
        samples: [Event], decode: @escaping @Sendable (Payload?) throws(FlowError) -> Event
    ) {
        guard let payload, payload.isBounded else {
            self.init(name, label, payload, sources, samples, decode)
            return
        }
        let event = name ?? samples.first.map { caseName(of: $0) } ?? ""
        self.init(name, label, payload, sources, samples) { sent throws(FlowError) in
            try payload.check(sent, of: event)
            return try decode(sent)
        }
    }

    /// The same where `decode` checks all that there is to check.
    init(
        _ name: String?, _ label: String?, _ payload: PayloadKind?, _ sources: EventSources, _ samples: [Event],
        _ decode: @escaping @Sendable (Payload?) throws(FlowError) -> Event
    ) {
        guard let name = name ?? samples.first.map({ caseName(of: $0) }) else {
            preconditionFailure("an event with a payload is listed with a sample, which also gives its name")
        }
        self.name = name
        self.label = label ?? name.spelledOut
        self.payload = payload
        self.sources = sources
        self.samples = samples
        self.decode = decode
    }

    /// Makes the event from a client's payload. A result instead of a throw, for callers that use a spec without retaining it, where
    /// a typed error cannot be thrown.
    @inlinable
    func decoded(_ payload: Payload?) -> Result<Event, FlowError> {
        do throws(FlowError) { return .success(try decode(payload)) } catch { return .failure(error) }
    }
}

extension EventSpec {
    /// An event without a payload.
    public static func plain(_ event: Event, label: String? = nil, from sources: EventSources = .clients) -> EventSpec {
        let name = caseName(of: event)
        return EventSpec(name, label: label, from: sources, samples: [event]) { payload throws(FlowError) in
            guard payload == nil else { throw .refused("'\(name)' carries nothing") }
            return event
        }
    }

    /// An event that only a timer sends. One that clients may send too is `.plain(event, from: .clientsAndTimers)`.
    public static func timer(_ event: Event) -> EventSpec {
        plain(event, from: .timers)
    }

    /// An event that only a pendulum sends, and that says how many swings were missed.
    public static func timer(_ event: @escaping @Sendable (Int) -> Event) -> EventSpec {
        let sample = event(0)
        let field = onlyLabel(in: sample) ?? "missed"
        return EventSpec(from: .timers, samples: [sample]) { payload throws(FlowError) in
            event(payload?.integer(field) ?? 0)
        }
    }
}

/// All events of a flow, by index and by name.
public struct Catalogue<Event: Sendable>: Sendable {
    /// The events, in the order in which they are listed.
    public let specs: [EventSpec<Event>]
    private let places: [String: Int]

    /// Lists these events. Of two with one name the first counts.
    public init(_ specs: EventSpec<Event>...) {
        self.init(specs)
    }

    /// Lists these events. Of two with one name the first counts.
    public init(_ specs: [EventSpec<Event>]) {
        self.specs = specs
        places = Dictionary(specs.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// The event of that name.
    public subscript(name: String) -> EventSpec<Event>? {
        places[name].map { specs[$0] }
    }

    /// The events' names, in order.
    public var names: [String] { specs.map(\.name) }
}
