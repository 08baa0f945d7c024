// The events of a flow, for everybody who does not know its types: clients, pages, help texts, explorers.

/// What an event carries.
public struct PayloadKind: Sendable, Equatable {
    public enum Shape: String, Sendable {
        case integer, number, text, boolean, object
    }

    public let name: String
    public let shape: Shape
    /// What is allowed, in words: `1 to 4`.
    public let hint: String?

    public init(_ name: String, _ shape: Shape, hint: String? = nil) {
        self.name = name
        self.shape = shape
        self.hint = hint
    }

    public static func integer(_ name: String, hint: String? = nil) -> PayloadKind { PayloadKind(name, .integer, hint: hint) }
    public static func text(_ name: String, hint: String? = nil) -> PayloadKind { PayloadKind(name, .text, hint: hint) }
    public static func boolean(_ name: String, hint: String? = nil) -> PayloadKind { PayloadKind(name, .boolean, hint: hint) }
}

/// One event of a flow.
public final class EventSpec<Event: Sendable>: Sendable {
    public let name: String
    /// What a button says.
    public let label: String
    public let payload: PayloadKind?
    public let sources: EventSources
    /// Values to try it with.
    public let samples: [Event]
    @usableFromInline let decode: @Sendable (Payload?) throws(FlowError) -> Event

    public init(
        _ name: String, label: String? = nil, payload: PayloadKind? = nil, from sources: EventSources = .clients,
        samples: [Event], decode: @escaping @Sendable (Payload?) throws(FlowError) -> Event
    ) {
        self.name = name
        self.label = label ?? name.spelledOut
        self.payload = payload
        self.sources = sources
        self.samples = samples
        self.decode = decode
    }

    /// The event, made from what a client sent with it; a result for those who use a spec uncounted, where an error cannot be thrown
    /// as what it is.
    @inlinable
    func decoded(_ payload: Payload?) -> Result<Event, FlowError> {
        do throws(FlowError) { return .success(try decode(payload)) } catch { return .failure(error) }
    }
}

extension EventSpec {
    /// An event that carries nothing.
    public static func plain(_ event: Event, label: String? = nil, from sources: EventSources = .clients) -> EventSpec {
        let name = caseName(of: event)
        return EventSpec(name, label: label, from: sources, samples: [event]) { payload throws(FlowError) in
            guard payload == nil else { throw .refused("'\(name)' carries nothing") }
            return event
        }
    }

    /// An event that only a timer sends.
    public static func timer(_ event: Event) -> EventSpec {
        plain(event, from: .timers)
    }

    /// An event that carries one whole number, alone or in an object by its name.
    public static func integer(
        _ name: String, _ field: String, label: String? = nil, hint: String? = nil,
        from sources: EventSources = .clients, samples: [Int], _ make: @escaping @Sendable (Int) -> Event
    ) -> EventSpec {
        EventSpec(
            name, label: label, payload: .integer(field, hint: hint), from: sources, samples: samples.map(make)
        ) { payload throws(FlowError) in
            guard let number = payload?.integer(field) else {
                throw .refused("'\(name)' carries a whole number, \(field)\(hint.map { ": \($0)" } ?? "")")
            }
            return make(number)
        }
    }

    /// An event that carries one text, alone or in an object by its name.
    public static func text(
        _ name: String, _ field: String, label: String? = nil, hint: String? = nil,
        from sources: EventSources = .clients, samples: [String], _ make: @escaping @Sendable (String) -> Event
    ) -> EventSpec {
        EventSpec(
            name, label: label, payload: .text(field, hint: hint), from: sources, samples: samples.map(make)
        ) { payload throws(FlowError) in
            guard let text = payload?.text(field) else {
                throw .refused("'\(name)' carries a text, \(field)\(hint.map { ": \($0)" } ?? "")")
            }
            return make(text)
        }
    }
}

/// All events of a flow, by place and by name.
public struct Catalogue<Event: Sendable>: Sendable {
    public let specs: [EventSpec<Event>]
    private let places: [String: Int]

    public init(_ specs: EventSpec<Event>...) {
        self.init(specs)
    }

    public init(_ specs: [EventSpec<Event>]) {
        self.specs = specs
        places = Dictionary(specs.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    public subscript(name: String) -> EventSpec<Event>? {
        places[name].map { specs[$0] }
    }

    public var names: [String] { specs.map(\.name) }
}
