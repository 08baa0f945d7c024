// A chart as a tree, as tests write it and as random charts are made, shrunk and printed. `definition` is what runs.

import Statecharts
import Timers

/// A chart: its states, its variables (integers), and the events that can be sent to it.
struct ChartSketch: Sendable {
    var name = "chart"
    var context: [VariableSketch] = []
    var events: [String] = []
    var root: StateSketch
}

struct VariableSketch: Sendable {
    var name: String
    var initial: Int
    var range: ClosedRange<Int>?
}

/// A state, with everything that its text in a file has. Other states are named by their paths, or by their keys where these are unique.
struct StateSketch: Sendable {
    var key: String
    var kind: ChartStateNode.Kind = .atomic
    /// The initial states, or a history state's default targets.
    var initial: [String] = []
    var initialActions: [ActionSketch] = []
    var entry: [ActionSketch] = []
    var exit: [ActionSketch] = []
    var on: [HandlerSketch] = []
    var always: [TransitionSketch] = []
    /// Countdowns, then pendulums.
    var timers: [TimerSketch] = []
    var invocations: [String] = []
    var output: String?
    var children: [StateSketch] = []
}

/// A state's transitions for a trigger. An empty list forbids the event.
struct HandlerSketch: Sendable {
    var descriptor: EventDescriptor
    var transitions: [TransitionSketch]
}

struct TransitionSketch: Sendable {
    var condition: String?
    var targets: [String] = []
    var reenters = true
    var actions: [ActionSketch] = []
}

/// A timer of a state. It has no name of its own.
struct TimerSketch: Sendable {
    var kind: TimerPlan.Kind
    var length: Duration
    /// Milliseconds, in place of the length.
    var computed: String?
    var transitions: [TransitionSketch]
    var milestones: [MilestoneSketch] = []
}

struct MilestoneSketch: Sendable {
    var left: Duration
    var actions: [ActionSketch]
}

indirect enum ActionSketch: Sendable {
    case assign(String, String)
    case raise(String, data: String? = nil, delay: Duration? = nil)
    case emit(String, data: String? = nil)
    case send(String, data: String? = nil, to: String, delay: Duration? = nil)
    case cancel(String)
    case log(String)
    case extend(timer: String, by: Duration)
    case pause(timer: String)
    case resume(timer: String)
    case choose(String, then: [ActionSketch], otherwise: [ActionSketch] = [])
}

extension EventDescriptor {
    /// As a file has it.
    init(text: String) {
        if text == "*" {
            self = .any
        } else if text.hasSuffix(".*") {
            self = .prefix(String(text.dropLast(2)))
        } else {
            self = .exact(text)
        }
    }

    var text: String {
        switch self {
        case .exact(let name): name
        case .prefix(let prefix): prefix + ".*"
        case .any: "*"
        }
    }
}
