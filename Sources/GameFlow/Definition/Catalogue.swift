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
    /// The event without a payload, if it is constant; nil if `decode` has to be called.
    @usableFromInline let plainEvent: Event?
    /// Whether the payload is one text, which a client may send as a bare number.
    @usableFromInline let carriesText: Bool
    /// Whether views offer it to clients that may send it.
    let isOffered: Bool

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

    /// The same for a `decode` that does all checks. `plain` is the event without a payload, if it is constant. Unless `offered` is given, views
    /// leave events out that only the work of a state or a timer sends.
    package init(
        _ name: String?, _ label: String?, _ payload: PayloadKind?, _ sources: EventSources, _ samples: [Event],
        plain plainEvent: Event? = nil, offered isOffered: Bool? = nil,
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
        self.plainEvent = plainEvent
        self.isOffered = isOffered ?? !sources.isDisjoint(with: .clients)
        carriesText = payload?.shape == .text
    }

    /// Makes the event from a client's payload. A result instead of a throw, for callers that use a spec without retaining it, where
    /// a typed error cannot be thrown.
    @inlinable
    func decoded(_ payload: Payload?) -> Result<Event, FlowError> {
        if payload == nil, let plainEvent { return .success(plainEvent) }
        do throws(FlowError) { return .success(try decode(payload)) } catch { return .failure(error) }
    }
}

extension EventSpec {
    /// An event without a payload.
    public static func plain(_ event: Event, label: String? = nil, from sources: EventSources = .clients) -> EventSpec {
        let name = caseName(of: event)
        return EventSpec(name, label, nil, sources, [event], plain: event) { payload throws(FlowError) in
            guard payload?.isEmptyObject ?? true else { throw .badPayload(PayloadProblem(nothingIn: name)) }
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
    private let indices: [String: Int]

    /// Lists these events. Of two with one name the first counts.
    public init(_ specs: EventSpec<Event>...) {
        self.init(specs)
    }

    /// Lists these events. Of two with one name the first counts.
    public init(_ specs: [EventSpec<Event>]) {
        self.specs = specs
        indices = Dictionary(specs.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// The event of that name.
    public subscript(name: String) -> EventSpec<Event>? {
        indices[name].map { specs[$0] }
    }

    /// The events' names, in order.
    public var names: [String] { specs.map(\.name) }
}

// MARK: - Events that carry something, in a catalogue.

extension EventSpec {
    /// An event that carries one whole number, alone or in an object by its name. The name is the case's label unless it is given:
    /// `.integer(Event.completeLevel, in: 0...100, samples: [100])` where the case is `completeLevel(score: Int)`.
    public static func integer(
        _ event: @escaping @Sendable (Int) -> Event, _ field: String? = nil, in range: ClosedRange<Int>? = nil,
        label: String? = nil, hint: String? = nil, from sources: EventSources = .clients, samples: [Int]
    ) -> EventSpec {
        let field = PayloadKind.integer(name(field, in: samples.first.map(event)), in: range, hint: hint)
        return integer(event, field, label: label, from: sources, samples: samples)
    }

    /// An event that carries one whole number, which is declared elsewhere: `.integer(Event.chooseEpisode, episode, samples: [1])`.
    public static func integer(
        _ event: @escaping @Sendable (Int) -> Event, _ field: PayloadKind, label: String? = nil,
        from sources: EventSources = .clients, samples: [Int]
    ) -> EventSpec {
        one(event, field, .integer, label, sources, samples, { $0.integer(field.name) }, field.bounds.allow)
    }

    /// An event that carries one number, with or without a fraction.
    public static func number(
        _ event: @escaping @Sendable (Double) -> Event, _ field: PayloadKind, label: String? = nil,
        from sources: EventSources = .clients, samples: [Double]
    ) -> EventSpec {
        one(event, field, .number, label, sources, samples, { $0.double(field.name) }, field.bounds.allow)
    }

    /// An event that carries one text, or one of these, alone or in an object by its name, which is the case's label unless it is given.
    public static func text(
        _ event: @escaping @Sendable (String) -> Event, _ field: String? = nil, oneOf choices: [String] = [],
        label: String? = nil, hint: String? = nil, from sources: EventSources = .clients, samples: [String]
    ) -> EventSpec {
        let field = PayloadKind.text(name(field, in: samples.first.map(event)), oneOf: choices, hint: hint)
        return text(event, field, label: label, from: sources, samples: samples)
    }

    /// An event that carries one text, which is declared elsewhere.
    public static func text(
        _ event: @escaping @Sendable (String) -> Event, _ field: PayloadKind, label: String? = nil,
        from sources: EventSources = .clients, samples: [String]
    ) -> EventSpec {
        one(event, field, .text, label, sources, samples, { $0.text(field.name) }, field.bounds.allow)
    }

    /// An event that carries true or false.
    public static func boolean(
        _ event: @escaping @Sendable (Bool) -> Event, _ field: PayloadKind, label: String? = nil,
        from sources: EventSources = .clients, samples: [Bool]
    ) -> EventSpec {
        one(event, field, .boolean, label, sources, samples, { $0.boolean(field.name) }, { _ in true })
    }

    /// An event that carries several values, as the members of an object. They are checked before `make` is called.
    public static func object(
        _ payload: PayloadKind, label: String? = nil, from sources: EventSources = .clients, samples: [Event],
        _ make: @escaping @Sendable (Payload) throws(FlowError) -> Event
    ) -> EventSpec {
        precondition(payload.shape == .object, "'\(payload.name)' is declared as a \(payload.shape), and carried as an object")
        return EventSpec(label: label, payload: payload, from: sources, samples: samples) { sent throws(FlowError) in
            try make(sent ?? Payload(.object([])))
        }
    }

    private static func name(_ given: String?, in sample: Event?) -> String {
        given ?? sample.flatMap { onlyLabel(in: $0) } ?? "value"
    }

    private static func one<Value: Sendable>(
        _ make: @escaping @Sendable (Value) -> Event, _ field: PayloadKind, _ shape: PayloadKind.Shape, _ label: String?,
        _ sources: EventSources, _ samples: [Value], _ read: @escaping @Sendable (Payload) -> Value?,
        _ allows: @escaping @Sendable (Value) -> Bool
    ) -> EventSpec {
        precondition(field.shape == shape, "'\(field.name)' is declared as a \(field.shape), and carried as a \(shape)")
        let samples = samples.map(make)
        let event = samples.first.map { caseName(of: $0) } ?? ""
        return EventSpec(nil, label, field, sources, samples) { payload throws(FlowError) in
            guard let value = payload.flatMap(read), allows(value) else { throw .badPayload(PayloadProblem(field, of: event)) }
            return make(value)
        }
    }
}
