// Events that carry something, in a catalogue.

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
        one(event, field, .integer, label, sources, samples) { payload in
            payload.integer(field.name).flatMap { field.bounds.allow($0) ? $0 : nil }
        }
    }

    /// An event that carries one number, with or without a fraction.
    public static func number(
        _ event: @escaping @Sendable (Double) -> Event, _ field: PayloadKind, label: String? = nil,
        from sources: EventSources = .clients, samples: [Double]
    ) -> EventSpec {
        one(event, field, .number, label, sources, samples) { payload in
            payload.double(field.name).flatMap { field.bounds.allow($0) ? $0 : nil }
        }
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
        one(event, field, .text, label, sources, samples) { payload in
            payload.text(field.name).flatMap { field.bounds.allow($0) ? $0 : nil }
        }
    }

    /// An event that carries true or false.
    public static func boolean(
        _ event: @escaping @Sendable (Bool) -> Event, _ field: PayloadKind, label: String? = nil,
        from sources: EventSources = .clients, samples: [Bool]
    ) -> EventSpec {
        one(event, field, .boolean, label, sources, samples) { $0.boolean(field.name) }
    }

    /// An event that carries several values, as the members of an object. They are checked before `make` is called.
    public static func object(
        _ payload: PayloadKind, label: String? = nil, from sources: EventSources = .clients, samples: [Event],
        _ make: @escaping @Sendable (Payload) throws(FlowError) -> Event
    ) -> EventSpec {
        precondition(payload.shape == .object, "'\(payload.name)' is declared as a \(payload.shape), and carried as an object")
        let event = samples.first.map { caseName(of: $0) } ?? ""
        return EventSpec(nil, label, payload, sources, samples) { sent throws(FlowError) in
            try payload.check(sent, of: event)
            return try make(sent ?? Payload(.object([])))
        }
    }

    private static func name(_ given: String?, in sample: Event?) -> String {
        given ?? sample.flatMap { onlyLabel(in: $0) } ?? "value"
    }

    private static func one<Value: Sendable>(
        _ make: @escaping @Sendable (Value) -> Event, _ field: PayloadKind, _ shape: PayloadKind.Shape, _ label: String?,
        _ sources: EventSources, _ samples: [Value], _ read: @escaping @Sendable (Payload) -> Value?
    ) -> EventSpec {
        precondition(field.shape == shape, "'\(field.name)' is declared as a \(field.shape), and carried as a \(shape)")
        let samples = samples.map(make)
        let event = samples.first.map { caseName(of: $0) } ?? ""
        return EventSpec(nil, label, field, sources, samples) { payload throws(FlowError) in
            guard let value = payload.flatMap(read) else { throw .refused(field.sentence(of: event)) }
            return make(value)
        }
    }
}
