// A transition of a chart, and what triggers it.

/// A transition. Without targets it runs its actions and leaves no state.
package struct ChartTransition: Sendable {
    package var source: Int
    package var trigger: Trigger
    package var guardExpression: Expression?
    /// In the order in which the file names them.
    package var targets: [Int]
    /// Whether a target that is active already is entered anew. SCXML's type `external`, or `internal`.
    package var reenters: Bool
    /// Whether it stands for `null`: its event is not valid here, whatever the states around this one say.
    package var isForbidden: Bool
    package var actions: [ChartAction]

    package init(
        source: Int, trigger: Trigger, guardExpression: Expression? = nil, targets: [Int] = [], reenters: Bool = true,
        isForbidden: Bool = false, actions: [ChartAction] = []
    ) {
        self.source = source
        self.trigger = trigger
        self.guardExpression = guardExpression
        self.targets = targets
        self.reenters = reenters
        self.isForbidden = isForbidden
        self.actions = actions
    }
}

/// What a transition waits for.
package enum Trigger: Sendable, Equatable {
    case event(EventDescriptor)
    /// Nothing: it is taken as soon as its guard allows.
    case always
    /// The firing of a timer of its state.
    case timer(Int)
    /// So much of a timer of its state is left.
    case milestone(timer: Int, Int)
    /// The entry to an initial state, or to a history state that remembers nothing.
    case initial
}

/// Which events a transition is for. In one state an exact descriptor comes before a prefix, and a longer prefix before a shorter one.
package enum EventDescriptor: Sendable, Hashable {
    case exact(String)
    /// `error.*`: `error` and all that begins with `error.`.
    case prefix(String)
    /// `*`
    case any

    var isExact: Bool {
        switch self {
        case .exact: true
        case .prefix, .any: false
        }
    }

    /// Whether the event has that name. What timers send has no name, and is matched by no descriptor.
    package func matches(_ event: String) -> Bool {
        switch self {
        case .exact(let name): name == event
        case .prefix(let prefix): event == prefix || event.hasPrefix(prefix + ".")
        case .any: true
        }
    }
}
