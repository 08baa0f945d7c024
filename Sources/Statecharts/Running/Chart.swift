// A definition with what running it asks for again and again: ancestry as ranges, events by number, and which transitions are for which
// event. It never changes; `ChartEngine` has what does.

import GameFlow

/// A chart to run. States are numbered in document order, each before its descendants, so that a state's descendants are the numbers
/// up to `ends`.
final class Chart: Sendable {
    let definition: ChartDefinition
    let states: [ChartStateNode]
    let transitions: [ChartTransition]
    /// The end of each state's descendants.
    let ends: [Int]
    /// The states that a session can be shown in: atomic and final ones.
    let leaves: [Int]
    /// The index of each leaf among the leaves; -1 for other states.
    let leafIndices: [Int]
    /// Whether it has parallel states, so that several leaves can be active.
    let isParallel: Bool
    let events: ChartEvents
    /// Each state's transitions by trigger.
    let handlers: [StateHandlers]
    /// The states with transitions for exactly that event, by its number; in document order.
    private let statesByEvent: [Int: [Int]]
    /// The states with transitions for all events, or for those of a prefix.
    private let patternStates: [Int]
    let types: [VariableType]
    /// The states with expressions that ask how long they have been active.
    let timedStates: Set<Int>
    /// Whether any expression asks where its event came from.
    let asksForSource: Bool
    /// Whether any transition waits for nothing.
    let hasAlways: Bool
    /// Whether any transition leads back, so that sessions remember where they came from.
    let hasBack: Bool
    /// Whether any expression asks about the session besides its variables: its states, its timers, its name.
    let asksForSession: Bool
    /// Whether any expression asks for an event's payload.
    let asksForEvent: Bool
    /// The state of each timer.
    let timerStates: [Int]
    /// States by their paths.
    private let numbers: [String: Int]
    /// By transition. Set by the initializer alone, at its end.
    nonisolated(unsafe) private(set) var domains: [TransitionDomain] = []

    init(_ definition: ChartDefinition) {
        self.definition = definition
        states = definition.states
        transitions = definition.transitions
        ends = Self.ends(of: definition.states)
        let leaves = definition.states.indices.filter { definition.states[$0].kind.isLeaf }
        self.leaves = leaves
        var indices = [Int](repeating: -1, count: definition.states.count)
        for (index, state) in leaves.enumerated() { indices[state] = index }
        leafIndices = indices
        isParallel = definition.states.contains { $0.kind == .parallel }
        let events = ChartEvents(definition)
        self.events = events
        let handlers = definition.states.map { StateHandlers($0, definition.transitions, events) }
        self.handlers = handlers
        var statesByEvent: [Int: [Int]] = [:]
        for state in handlers.indices {
            for event in handlers[state].exact.keys { statesByEvent[event, default: []].append(state) }
        }
        self.statesByEvent = statesByEvent
        patternStates = handlers.indices.filter { handlers[$0].hasPatterns }
        types = definition.context.map { VariableType($0) }
        asksForSession = definition.expressions.contains { expression in
            ["state", "elapsed", "remaining", "session", "parent"].contains { expression.text.contains($0) }
        }
        asksForEvent = definition.expressions.contains { $0.text.contains("event") }
        timerStates = definition.timers.map(\.state)
        asksForSource = definition.expressions.contains { $0.text.contains("source") }
        hasAlways = definition.transitions.contains { $0.trigger == .always }
        hasBack = definition.transitions.contains(where: \.goesBack)
        numbers = Dictionary(definition.states.enumerated().map { ($1.path, $0) }) { first, _ in first }
        timedStates = Set(definition.expressions.filter { $0.text.contains("elapsed") }.map(\.state))
        domains = computeDomains()
    }

    private static func ends(of states: [ChartStateNode]) -> [Int] {
        var ends = states.indices.map { $0 + 1 }
        for state in states.indices.reversed() {
            if let parent = states[state].parent { ends[parent] = max(ends[parent], ends[state]) }
        }
        return ends
    }

    /// The name of leaves that are active together: their paths, joined by commas.
    func name(of leaves: [Int]) -> String { leaves.map { states[$0].path }.joined(separator: ",") }

    /// A state's name for people: its path, or the flow's name for the root.
    func name(of state: Int) -> String { state == Self.root ? definition.name : states[state].path }

    /// The state with that name for people.
    func state(named name: String) -> Int? { name == definition.name ? numbers[name] ?? Self.root : numbers[name] }

    static var root: Int { 0 }

    /// Whether a timer's length is an expression.
    func hasComputedLength(_ timer: Int) -> Bool { definition.timers[timer].length.isComputed }

    /// Whether one state is inside of another.
    func isDescendant(_ state: Int, _ ancestor: Int) -> Bool { state > ancestor && state < ends[ancestor] }
}

/// A state's transitions by trigger.
struct StateHandlers: Sendable {
    /// For an event of this number, exactly.
    private(set) var exact: [Int: [Int]] = [:]
    /// For names that begin so.
    private var prefixes: [String: [Int]] = [:]
    /// For all events.
    private var any: [Int] = []
    /// For no event at all.
    private(set) var always: [Int] = []
    /// The numbers of the events that wait in it.
    let postponed: Set<Int>

    var hasPatterns: Bool { !prefixes.isEmpty || !any.isEmpty }

    init(_ state: ChartStateNode, _ transitions: [ChartTransition], _ events: ChartEvents) {
        postponed = Set(state.postponed.map(events.number))
        for number in state.transitions { add(number, transitions[number].trigger, events) }
    }

    private mutating func add(_ number: Int, _ trigger: Trigger, _ events: ChartEvents) {
        switch trigger {
        case .event(.exact(let name)): exact[events.number(of: name), default: []].append(number)
        case .event(.prefix(let prefix)): prefixes[prefix, default: []].append(number)
        case .event(.any): any.append(number)
        case .timer(let timer): exact[events.timers[timer].number, default: []].append(number)
        case .milestone(let timer, let index): exact[events.milestones[timer][index].number, default: []].append(number)
        case .always: always.append(number)
        case .initial: break
        }
    }

    /// The transitions for an event, in the order in which their guards are tried: longer prefixes come first, and equal ones in document
    /// order.
    func transitions(for event: ChartEventSpec) -> [Int] {
        let first = exact[event.number] ?? []
        guard !event.isOfTimer, !prefixes.isEmpty || !any.isEmpty else { return first }
        var all = first
        if !prefixes.isEmpty {
            var name = event.name[...]
            while true {
                all += prefixes[String(name)] ?? []
                guard let dot = name.lastIndex(of: ".") else { break }
                name = name[..<dot]
            }
        }
        return all + any
    }
}

// MARK: - States in document order

extension [Int] {
    /// Where the state is, or would be.
    func insertionIndex(of state: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < state { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// False if it is there already.
    @discardableResult
    mutating func add(_ state: Int) -> Bool {
        let index = insertionIndex(of: state)
        if index < count, self[index] == state { return false }
        insert(state, at: index)
        return true
    }

    func has(_ state: Int) -> Bool {
        let index = insertionIndex(of: state)
        return index < count && self[index] == state
    }
}

extension Chart {
    /// Where the descendants of a state are among those states.
    func descendants(of state: Int, in states: [Int]) -> Range<Int> {
        let first = states.insertionIndex(of: state + 1)
        return first..<Swift.max(first, states.insertionIndex(of: ends[state]))
    }

    /// Up to this many leaves, all are asked.
    private static var fewLeaves: Int { 3 }

    /// The leaves in states with transitions for the event: the others cannot take it.
    func leaves(_ leaves: [Int], asking event: ChartEventSpec) -> [Int] {
        guard leaves.count > Self.fewLeaves else { return leaves }
        var states = statesByEvent[event.number] ?? []
        if !event.isOfTimer, !patternStates.isEmpty { states = (states + patternStates).sorted() }
        guard states.count < leaves.count else { return leaves }
        var found: [Int] = []
        for state in states {
            let first = leaves.insertionIndex(of: Swift.max(state, (found.last ?? -1) + 1))
            let end = leaves.insertionIndex(of: ends[state])
            if first < end { found += leaves[first..<end] }
        }
        return found
    }
}

/// The type of a variable, checked at every assignment.
enum VariableType: Sendable {
    case anything
    case array
    case object
    case integer
    /// With bounds, or of another type.
    case bounded(Bounds)

    /// An object, since each assignment would copy a payload's kind.
    final class Bounds: Sendable {
        let kind: PayloadKind

        init(_ kind: PayloadKind) { self.kind = kind }
    }

    init(_ variable: ContextVariable) {
        guard let kind = variable.kind else {
            switch variable.initial {
            case .array: self = .array
            case .object: self = .object
            case .null, .bool, .integer, .number, .string: self = .anything
            }
            return
        }
        self = kind == PayloadKind.integer(variable.name) ? .integer : .bounded(Bounds(kind))
    }

    /// The value as the variable holds it; nil if it may not. Lua's division gives a number with a fraction even where that is zero, and its
    /// empty table is an array or an object, whichever is wanted.
    func accepted(_ value: JSON) -> JSON? {
        switch self {
        case .anything: return value
        case .array:
            guard case .array = value else { return nil }
            return value
        case .object:
            if case .object = value { return value }
            return value == .array([]) ? .object([]) : nil
        case .integer: return value.integer.map { .integer($0) }
        case .bounded(let bounds): return bounds.kind.allows(value) ? bounds.kind.normalized(value) : nil
        }
    }
}

extension ContextVariable {
    /// The error about a value that it does not take.
    func refusal(of value: String) -> String { "'\(name)' is \(words), and not \(value)" }

    /// Why it never holds this value of a file; nil if it does.
    func complaint(about value: JSON) -> String? {
        guard let accepted = VariableType(self).accepted(value) else { return refusal(of: value.typeInWords) }
        return complaint(aboutLengthOf: accepted)
    }

    /// Its type, in words.
    var words: String {
        if let kind { return Parameter(name, like: kind, default: initial).allowed }
        return switch initial {
        case .array: "an array"
        case .object: "an object"
        case .null, .bool, .integer, .number, .string: "anything"
        }
    }
}

extension JSON {
    /// A value of a file in a sentence: `5`, `the text 'red'`, `an array`.
    var typeInWords: String {
        switch self {
        case .number(let value) where abs(value) >= 0x1p63 && value.isFinite: "\(description) (beyond 64 bits)"
        case .null, .bool, .integer, .number: description
        case .string(let text): "the text '\(text.shortened.printable)'"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
