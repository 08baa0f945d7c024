// The memory of a chart's session beyond one leaf and one timer. It does not change while its state is seen: the next state has another memory,
// or the same one. Completed effects, reports from its children, and the values of a short step (`ShortStep`) are recorded in place.

import GameFlow

/// Variables, further timers, several active leaves, and what only few sessions have.
final class ChartMemory {
    /// The context's values, in the order of its variables.
    @exclusivity(unchecked) private(set) var variables: [JSON]
    private let chart: Chart
    /// The active leaves, if there are several.
    let combination: Combination?
    /// Timers beside the newest, the oldest first.
    let timers: [CarriedTimer]
    let rest: Remainder?

    init(
        _ variables: [JSON], of chart: Chart, _ combination: Combination?, _ timers: [CarriedTimer], _ rest: Remainder?
    ) {
        self.variables = variables
        self.chart = chart
        self.combination = combination
        self.timers = timers
        self.rest = rest
        isShort = combination == nil && rest == nil
        hasOlderTimers = !timers.isEmpty
    }

    /// Whether the session has one leaf, and remembers nothing but variables and timers.
    let isShort: Bool
    let hasOlderTimers: Bool

    /// Takes the variables out, so that a step changes them without a copy; it puts them back in any case.
    func takeVariables() -> [JSON] {
        var taken: [JSON] = []
        swap(&taken, &variables)
        return taken
    }

    func returnVariables(_ taken: inout [JSON]) { swap(&taken, &variables) }

    /// Whether the state's name and these timers of its are all that must be saved.
    func isEmpty(beside timers: [CarriedTimer]) -> Bool {
        variables.isEmpty && rest == nil && combination?.isRare != true
            && !timers.contains { chart.hasComputedLength($0.number) }
    }

    /// The variables by their names. Saved data also has the rest of the session's memory.
    func data(isSaved: Bool, beside timers: [CarriedTimer]) -> JSON {
        var members = zip(chart.definition.context, variables).map { JSON.Member($0.name, $1) }
        if isSaved, let memory = SavedMemory(rest, combination, timers, chart).json { members.append(memory) }
        return .object(members)
    }

    func carries(_ timer: StateTimer) -> Bool {
        timers.contains { $0.timer === timer } || rest?.delayed.contains { $0.countdown === timer } ?? false
    }
}

/// Data that only few sessions have.
final class Remainder {
    /// The states remembered for each history state, by the history state's number: the states that it leads back to.
    var history: [Int: [Int]] = [:]
    /// The leaves that were active together before the current ones, the last ones last: `$back` leads there.
    var trail: [[Int]] = []
    var delayed: [DelayedEvent] = []
    /// The number of the last delayed event.
    var lastDelayed: UInt32 = 0
    /// Effects that committed steps have requested and that are not done yet.
    var outgoing: Outbox?
    var children: [RunningChild] = []
    /// The instants of entry of states with expressions that ask for it, by the session's clock.
    private(set) var entered: [Int: Instant] = [:]
    private var clock: FlowClock?
    /// The output of the chart's final state.
    var output: JSON?

    init() {}

    init(copying other: Remainder) {
        history = other.history
        trail = other.trail
        delayed = other.delayed
        lastDelayed = other.lastDelayed
        outgoing = other.outgoing.flatMap { $0.effectCount == 0 ? nil : Outbox(effects: $0.effects) }
        children = other.children
        entered = other.entered
        clock = other.clock
        output = other.output
    }

    /// Records that the state was entered `elapsed` ago.
    func enter(_ state: Int, _ elapsed: Duration = .zero, on clock: FlowClock) {
        entered[state] = clock.now.advanced(by: .zero - elapsed)
        self.clock = clock
    }

    func leave(_ state: Int) { entered[state] = nil }

    /// How long ago the states were entered. It is saved in place of the instants, which mean nothing to another process.
    fileprivate var elapsed: [(state: Int, nanoseconds: Int64)] {
        guard let now = clock?.now else { return [] }
        return entered.sorted { $0.key < $1.key }.map { ($0.key, now.nanoseconds(since: $0.value)) }
    }

    var isEmpty: Bool {
        (outgoing?.isEmpty ?? true) && history.isEmpty && trail.isEmpty && delayed.isEmpty
            && children.isEmpty && entered.isEmpty && output == nil
    }
}

/// A session that an invocation has begun.
struct RunningChild {
    /// The invocation's.
    let number: Int
    var stage: ChildSession.Stage?
}

/// An event that is to be raised, or sent to another session, later.
struct DelayedEvent {
    let number: UInt32
    let id: String
    let event: String
    let data: JSON?
    /// The session that it is for; nil for its own.
    let recipient: String?
    let countdown: Countdown
}

// MARK: - Leaves that are active together, each combination made once

final class Combination: Sendable {
    /// Their paths, joined by commas.
    let name: String
    /// In document order.
    let leaves: [Int]
    /// The leaves and everything around them, in document order.
    let configuration: [Int]
    /// Whether its name must stand among its data: a store cuts long names, and too many combinations have no number of their own.
    let isRare: Bool
    /// Whether the chart has come to its end.
    let isDone: Bool

    /// The maximum length of a state's name in a store, in bytes.
    private static let maxNameBytes = 4_096

    init(_ leaves: [Int], in chart: Chart, isRare: Bool) {
        self.leaves = leaves
        name = chart.name(of: leaves)
        self.isRare = isRare || name.utf8.count > Self.maxNameBytes
        configuration = chart.configuration(of: leaves)
        isDone = chart.isInFinalState(Chart.root, configuration)
    }
}

/// The combinations that a chart's sessions have been in.
final class Combinations {
    /// More than this have no number of their own.
    private static let maxCount = 1 << 15
    /// Active states of all that are kept.
    private static let maxStates = 1 << 20

    private let chart: Chart
    private var known: [[Int]: Combination] = [:]

    private var stateCount = 0

    init(_ chart: Chart) {
        self.chart = chart
    }

    func combination(of leaves: [Int]) -> Combination {
        if let known = known[leaves] { return known }
        let isRare = known.count >= Self.maxCount || stateCount + leaves.count > Self.maxStates
        let made = Combination(leaves, in: chart, isRare: isRare)
        if !isRare {
            known[leaves] = made
            stateCount += made.configuration.count
        }
        return made
    }
}

// MARK: - A session's memory beyond its variables

struct SavedMemory {
    static let member = "$"
    /// The computed lengths of timers, in nanoseconds.
    static let lengths = "lengths"
    private var members: [JSON.Member] = []

    init(_ rest: Remainder?, _ combination: Combination?, _ timers: [CarriedTimer], _ chart: Chart) {
        let computed = timers.filter { chart.hasComputedLength($0.number) }.map(\.timer.plan)
        add(Self.lengths, computed.map { JSON.Member($0.name, .integer(Int($0.length.wholeNanoseconds))) })
        if let combination, combination.isRare { add("active", .string(combination.name)) }
        guard let rest else { return }
        add(
            "history",
            rest.history.sorted { $0.key < $1.key }.map { state, remembered in
                JSON.Member(chart.states[state].path, .array(remembered.map { .string(chart.states[$0].path) }))
            })
        add("trail", rest.trail.map { .string(chart.name(of: $0)) })
        add("delayed", rest.delayed.filter { $0.countdown.remaining != nil }.map(\.saved))
        add("errands", (rest.outgoing?.effects ?? []).map(\.json))
        add(
            "children",
            rest.children.map { child in
                JSON.Member(chart.definition.invocations[child.number].id, child.stage.map { .string($0.rawValue) } ?? .null)
            })
        add(
            "elapsed",
            rest.elapsed.map { JSON.Member(chart.states[$0.state].path, .integer(Int($0.nanoseconds))) })
        if let output = rest.output { add("output", output) }
    }

    /// Nil where there is nothing to remember.
    var json: JSON.Member? { members.isEmpty ? nil : JSON.Member(Self.member, .object(members)) }

    private mutating func add(_ name: String, _ value: JSON) { members.append(JSON.Member(name, value)) }

    private mutating func add(_ name: String, _ list: [JSON]) {
        if !list.isEmpty { add(name, .array(list)) }
    }

    private mutating func add(_ name: String, _ list: [JSON.Member]) {
        if !list.isEmpty { add(name, .object(list)) }
    }
}

extension DelayedEvent {
    fileprivate var saved: JSON {
        var members = [
            JSON.Member("timer", .string(countdown.plan.name)), JSON.Member("number", .integer(Int(number))),
            JSON.Member("id", .string(id)), JSON.Member("event", .string(event)),
            JSON.Member("length", .integer(Int(countdown.plan.length.wholeNanoseconds))),
        ]
        if let data { members.append(JSON.Member("data", data)) }
        if let recipient { members.append(JSON.Member("to", .string(recipient))) }
        return .object(members)
    }
}

/// A chart's state. One leaf and one timer, which is what most sessions have, stand in it directly.
struct ChartState: FlowState {
    /// The index of the one active leaf among the chart's leaves; `several` where there are more.
    let leafIndex: UInt16
    /// The number of `timer` in the chart.
    let timerNumber: UInt16
    /// The newest timer: those of states around are older, and mostly stay.
    let timer: StateTimer?
    /// Everything else; nil for most sessions of a chart without context.
    let more: ChartMemory?

    static let several = UInt16.max

    init(leafIndex: UInt16, timers: [CarriedTimer], more: ChartMemory?) {
        self.leafIndex = leafIndex
        timer = timers.last?.timer
        timerNumber = timers.last.map { UInt16(truncatingIfNeeded: $0.number) } ?? 0
        self.more = more
    }

    /// The same with one timer, or none.
    init(leafIndex: UInt16, timer: StateTimer?, _ number: Int, more: ChartMemory?) {
        self.leafIndex = leafIndex
        self.timer = timer
        timerNumber = UInt16(truncatingIfNeeded: number)
        self.more = more
    }

    /// All timers of its states, the oldest first.
    var timers: [CarriedTimer] {
        guard let timer else { return [] }
        return (more?.timers ?? []) + [CarriedTimer(number: Int(timerNumber), timer: timer)]
    }

    var ownName: String? { more?.combination?.name }

    var ownIndex: UInt32? { leafIndex == Self.several ? nil : UInt32(leafIndex) }

    var carriesOnlyTimers: Bool? { more?.isEmpty(beside: timers) ?? true }

    func ownData(isSaved: Bool) -> JSON? { more?.data(isSaved: isSaved, beside: timers) ?? .object([]) }

    /// The chart lists them.
    static var allNames: [String] { [] }

    func carries(_ timer: StateTimer) -> Bool {
        self.timer === timer || more?.carries(timer) ?? false
    }

    init(from decoder: any Decoder) throws { throw NotByItself() }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(ownData(isSaved: true))
    }
}

/// A timer that runs for a state of the chart.
struct CarriedTimer {
    /// Its number in the chart.
    let number: Int
    let timer: StateTimer
}
