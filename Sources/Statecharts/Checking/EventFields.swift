// Fields of events that expressions read and that no event has: they are always nil.

/// The fields of a chart's events.
struct EventFields {
    /// Fields by the event's name, without events that may carry anything.
    private let fields: [String: Set<String>]
    /// The fields of all events; nil if one of them may carry anything.
    private let all: Set<String>?

    /// An action that raises an event may give it more than its declaration has. Nothing declares what children and final states return, and what
    /// is said of messages that fail.
    init(_ chart: ChartDefinition) {
        let raised = Set(chart.allActions.compactMap(\.raised).filter { $0.data != nil }.map(\.event))
        fields = chart.events.reduce(into: [:]) { fields, event in
            if !raised.contains(event.name) { fields[event.name] = event.fields }
        }
        let hasOthers = chart.sends || !chart.invocations.isEmpty || chart.states.contains { $0.output != nil }
        all = raised.isEmpty && !hasOthers ? Set(fields.values.joined()).union(Self.ofTimers) : nil
    }

    private static let ofTimers: Set = ["name", "missed"]

    /// Whether the field is always nil in an expression of a transition with this trigger, or of none.
    func lacks(_ field: String, on trigger: Trigger?) -> Bool {
        field != "name" && !(names(on: trigger)?.contains(field) ?? true)
    }

    /// Nil if the event may carry anything. An event that leads to transitions without one may be any of the flow's.
    private func names(on trigger: Trigger?) -> Set<String>? {
        switch trigger {
        case .event(.exact(let event)): fields[event]
        case .timer, .milestone: Self.ofTimers
        case .event(.prefix), .event(.any), .always, .initial, nil: all
        }
    }

    func complaint(about field: String, on trigger: Trigger?) -> String {
        let names = (names(on: trigger) ?? []).sorted()
        let subject =
            switch trigger {
            case .event(.exact(let event)): "the event \(event.quoted)"
            case .timer, .milestone: "the event of a timer"
            case .event(.prefix), .event(.any), .always, .initial, nil: "any event of the flow"
            }
        return "\(field.quoted) is no field of \(subject), so this is always nil; \(names.nearest(to: field))"
    }
}

extension ChartEventEntry {
    /// The names of its declared fields.
    fileprivate var fields: Set<String> {
        guard let payload else { return [] }
        return Set(payload.shape == .object ? payload.fields.map(\.name) : [payload.name])
    }
}
