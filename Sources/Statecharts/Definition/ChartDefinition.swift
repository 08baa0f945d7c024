// A flow as its file says it: states, transitions, timers and expressions, each list in document order, which refer to each other by
// their indices in these lists. It is made and checked by `Reading`, and run by `Running`.

import GameFlow

/// A statechart that was read from a file and found right.
package struct ChartDefinition: Sendable {
    /// The flow's name: the file's `id`.
    package var name: String
    /// All states, each before its children; the first is the root.
    package var states: [ChartStateNode]
    package var transitions: [ChartTransition] = []
    package var timers: [ChartTimer] = []
    package var invocations: [Invocation] = []
    package var context: [ContextVariable] = []
    /// The events that can be sent to it: those of the file's catalogue, or else those that its transitions name.
    package var events: [ChartEventEntry] = []
    package var expressions: [ExpressionSource] = []
    /// FNV-1a over the file's values, as 16 hexadecimal digits; blanks and comments do not change it.
    package var fingerprint = ""

    /// The number of states in the file, those with child states included, but without history states, in which no session is, and
    /// without the root, which is the flow.
    package var stateCount: Int { states.dropFirst().count { !$0.kind.isHistory } }
}

/// An event of the catalogue.
package struct ChartEventEntry: Sendable {
    package var name: String
    /// A button's text; nil for the name, spelled out.
    package var label: String?
    /// The payload's declaration; nil if it is not declared.
    package var payload: PayloadKind?
    /// Whether the payload is unknown: the event may carry anything, or nothing.
    package var carriesAnything = false
    /// The sources that may send it; the usual ones, unless the catalogue sets others.
    package var sources: EventSources = [.clients, .orchestrators]
}

/// A variable of the context. Each assignment to it checks its type.
package struct ContextVariable: Sendable {
    package var name: String
    /// The value that it begins with, unless it is given at NEW.
    package var initial: JSON
    /// Its type and bounds; nil for a variable that may be anything.
    package var kind: PayloadKind?

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

/// A Countdown (`after`) or a Pendulum (`every`) that a state carries from its entry to its exit.
package struct ChartTimer: Sendable {
    package var name: String
    /// Its name for people; nil for one that is made of the name.
    package var label: String?
    package var kind: TimerPlan.Kind
    package var state: Int
    package var length: Length
    package var restart = RestartPolicy.keep
    /// Remaining times at which a countdown fires milestones, the longest first.
    package var milestones: [Duration] = []
}

/// A length of time: `"30s"`, or an expression that gives milliseconds.
package enum Length: Sendable {
    case fixed(Duration)
    case computed(Expression)

    var isComputed: Bool {
        if case .computed = self { true } else { false }
    }
}

// MARK: - Bounds of a flow file and its sessions

package enum ChartBounds {
    package static let fileBytes = 1 << 20
    package static let states = 10_000
    package static let transitions = 10_000
    package static let timers = 1_000
    /// A pendulum with a shorter period gets a warning.
    package static let shortPeriod = Duration.milliseconds(10)
    /// Milestones of one countdown.
    package static let milestones = Milestone.maxCount
    /// Events of the catalogue, or those that the file names if it has none.
    package static let events = 20_000
    /// Fields of an event's payload.
    package static let fields = 256
    /// All that a session's machine numbers: `events`, and those of timers, milestones, invoked flows and delayed sends.
    package static let numberedEvents = 50_000
    package static let invocations = 1_000
    /// Bytes of the name of a state: of the paths of all leaves that can be active together.
    package static let stateNameBytes = 1 << 18
    /// Of the names that `$back` and all history states of a flow remember together.
    package static let rememberedBytes = 1 << 20
    /// States that `$back` remembers.
    package static let trail = 32
    package static let variables = 256
    package static let expressionBytes = 4_096
    /// Of each name that is written in a flow file: the flow's own, and those of states, events, timers, variables, fields, ids and invocations.
    package static let nameBytes = 128
    /// Steps without an event from outside, until nothing more happens.
    package static let microsteps = 1_000
    /// Limit per event, its microsteps included: instructions of Lua, and work counted as such. This many steps take some 20 ms at most.
    package static let steps = 500_000
    package static let raisedEvents = 1_000
    package static let actions = 10_000
    /// Bytes of a value: of a variable, of an event's payload, of a line of the log.
    package static let valueBytes = 16 << 10
    /// Bytes of all values that one event makes.
    package static let stepBytes = 1 << 20
    /// Events to others and lines of the log, of one event.
    package static let outgoing = 1_000
    /// Bytes of a text that a view shows.
    package static let textBytes = 16 << 10
    package static let delayedEvents = 64
}

/// A transition. Without targets it runs its actions and leaves no state, unless it goes back.
package struct ChartTransition: Sendable {
    package var source: Int
    package var trigger: Trigger
    package var guardExpression: Expression?
    /// In the order in which the file names them.
    package var targets: [Int] = []
    /// Whether it leads to `$back`: to the states before the current ones. It has no targets then.
    package var goesBack = false
    /// Whether a target that is active already is exited and entered again. SCXML's type `external`, or `internal`.
    package var reenters = true
    /// Whether it stands for `null`: its event is not valid here, even if the states around this one have a transition for it.
    package var isForbidden = false
    package var actions: [ChartAction] = []

    /// Whether it is always taken when it comes to it: it has no guard, and does not depend on where the session came from.
    var isUnconditional: Bool { guardExpression == nil && !goesBack }
}

/// The trigger of a transition.
package enum Trigger: Sendable, Hashable {
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

    /// Whether the event has that name. An event from a timer has no name, and no descriptor matches it.
    package func matches(_ event: String) -> Bool {
        switch self {
        case .exact(let name): name == event
        case .prefix(let prefix): event == prefix || event.hasPrefix(prefix + ".")
        case .any: true
        }
    }
}
