// A flow's events, for code that does not know its types: clients, help texts, explorers.

/// What an event carries.
public struct PayloadKind: Sendable, Equatable {
    /// The JSON type of a value.
    public enum Shape: String, Sendable {
        /// A whole number.
        case integer
        /// A number with or without a fraction.
        case number
        /// A text.
        case text
        /// True or false.
        case boolean
        /// An object with members of its own.
        case object
    }

    /// The field's name.
    public let name: String
    /// The type of its value.
    public let shape: Shape
    /// What is allowed, in words: `1 to 4`.
    public let hint: String?

    /// A field of that name and type.
    public init(_ name: String, _ shape: Shape, hint: String? = nil) {
        self.name = name
        self.shape = shape
        self.hint = hint
    }

    /// A whole number.
    public static func integer(_ name: String, hint: String? = nil) -> PayloadKind { PayloadKind(name, .integer, hint: hint) }
    /// A text.
    public static func text(_ name: String, hint: String? = nil) -> PayloadKind { PayloadKind(name, .text, hint: hint) }
    /// True or false.
    public static func boolean(_ name: String, hint: String? = nil) -> PayloadKind { PayloadKind(name, .boolean, hint: hint) }
}

/// One event of a flow.
public final class EventSpec<Event: Sendable>: Sendable {
    /// What clients send: the case's name, unless another is given.
    public let name: String
    /// A button's text.
    public let label: String
    /// What it carries; nil for an event that carries nothing.
    public let payload: PayloadKind?
    /// Who may send it.
    public let sources: EventSources
    /// Values to try it with.
    public let samples: [Event]
    @usableFromInline let decode: @Sendable (Payload?) throws(FlowError) -> Event

    /// Needs at least one sample. The name is that of the samples' case, unless it is given.
    public init(
        _ name: String? = nil, label: String? = nil, payload: PayloadKind? = nil, from sources: EventSources = .clients,
        samples: [Event], decode: @escaping @Sendable (Payload?) throws(FlowError) -> Event
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

    /// An event that carries one whole number, alone or in an object by its name. The name is the case's label unless it is given:
    /// `.integer(Event.completeLevel, samples: [100])` where the case is `completeLevel(score: Int)`.
    public static func integer(
        _ event: @escaping @Sendable (Int) -> Event, _ field: String? = nil, label: String? = nil, hint: String? = nil,
        from sources: EventSources = .clients, samples: [Int]
    ) -> EventSpec {
        one(event, field, .integer, "a whole number", label: label, hint: hint, from: sources, samples) { $0.integer($1) }
    }

    /// An event that carries one text, alone or in an object by its name, which is the case's label unless it is given.
    public static func text(
        _ event: @escaping @Sendable (String) -> Event, _ field: String? = nil, label: String? = nil, hint: String? = nil,
        from sources: EventSources = .clients, samples: [String]
    ) -> EventSpec {
        one(event, field, .text, "a text", label: label, hint: hint, from: sources, samples) { $0.text($1) }
    }

    private static func one<Value: Sendable>(
        _ make: @escaping @Sendable (Value) -> Event, _ field: String?, _ shape: PayloadKind.Shape, _ what: String,
        label: String?, hint: String?, from sources: EventSources, _ samples: [Value],
        _ read: @escaping @Sendable (Payload, String) -> Value?
    ) -> EventSpec {
        let samples = samples.map(make)
        let name = samples.first.map { caseName(of: $0) } ?? ""
        let field = field ?? samples.first.flatMap { onlyLabel(in: $0) } ?? "value"
        return EventSpec(
            label: label, payload: PayloadKind(field, shape, hint: hint), from: sources, samples: samples
        ) { payload throws(FlowError) in
            guard let payload, let value = read(payload, field) else {
                throw .refused("'\(name)' carries \(what), \(field)\(hint.map { ": \($0)" } ?? "")")
            }
            return make(value)
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
