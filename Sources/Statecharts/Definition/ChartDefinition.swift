// A flow as its file says it: states, transitions, timers and expressions, each list in document order, which refer to each other by
// their places in these lists. It is made and checked by `Reading`, and run by `Running`.

import GameFlow

/// A statechart that was read from a file and found right.
package struct ChartDefinition: Sendable {
    /// The flow's name: the file's `id`.
    package var name: String
    package var description: String?
    /// All states, each before its children; the first is the root.
    package var states: [ChartStateNode]
    package var transitions: [ChartTransition]
    package var timers: [ChartTimer]
    package var invocations: [Invocation]
    package var context: [ContextVariable]
    /// The events that can be sent to it: those of the file's catalogue, or else those that its transitions name.
    package var events: [ChartEventEntry]
    package var expressions: [ExpressionSource]
    /// A hash of what the file says, whatever its blanks and comments are.
    package var fingerprint: String

    package init(
        name: String, description: String? = nil, states: [ChartStateNode], transitions: [ChartTransition] = [],
        timers: [ChartTimer] = [], invocations: [Invocation] = [], context: [ContextVariable] = [],
        events: [ChartEventEntry] = [], expressions: [ExpressionSource] = [], fingerprint: String = ""
    ) {
        self.name = name
        self.description = description
        self.states = states
        self.transitions = transitions
        self.timers = timers
        self.invocations = invocations
        self.context = context
        self.events = events
        self.expressions = expressions
        self.fingerprint = fingerprint
    }
}

/// An event of the catalogue.
package struct ChartEventEntry: Sendable {
    package var name: String
    /// A button's text; nil for the name, spelled out.
    package var label: String?
    /// What it carries; nil if that is not declared.
    package var payload: PayloadKind?
    /// Whether what it carries is not known: it may carry anything, or nothing.
    package var carriesAnything: Bool
    package var sources: EventSources

    package init(
        name: String, label: String? = nil, payload: PayloadKind? = nil, carriesAnything: Bool = false, sources: EventSources
    ) {
        self.name = name
        self.label = label
        self.payload = payload
        self.carriesAnything = carriesAnything
        self.sources = sources
    }
}

/// A variable of the context. Its type is checked wherever it gets a value.
package struct ContextVariable: Sendable {
    package var name: String
    /// The value that it begins with, unless it is given at NEW.
    package var initial: JSON
    /// Its type and bounds; nil for one that may be anything.
    package var kind: PayloadKind?

    package init(name: String, initial: JSON, kind: PayloadKind?) {
        self.name = name
        self.initial = initial
        self.kind = kind
    }

    /// Why a value is too long for it; nil if it is not.
    func complaint(aboutLengthOf value: JSON) -> String? {
        switch value {
        case .null, .bool, .integer, .number: return nil
        case .string, .array, .object: break
        }
        let length = value.description.utf8.count
        guard length > ChartBounds.valueBytes else { return nil }
        return "'\(name)' would hold \(length) bytes, and \(ChartBounds.valueBytes) are the most"
    }
}
