// What a transition of a chart with one active leaf leaves and enters, worked out once: such a step is the same each time.

/// A transition, as it is tried for an event in a leaf.
final class Candidate {
    let transition: Int
    let condition: Expression?
    /// Nil where what is entered depends on what history remembers, or where several leaves are.
    let plan: StepPlan?

    init(_ transition: Int, _ condition: Expression?, _ plan: StepPlan?) {
        self.transition = transition
        self.condition = condition
        self.plan = plan
    }
}

/// The transitions that an event may take in a leaf, in the order in which they are tried.
final class Chain {
    let candidates: ContiguousArray<Candidate>

    init(_ candidates: [Candidate]) {
        self.candidates = ContiguousArray(candidates)
    }
}

/// The states that a step leaves and enters.
final class StepPlan {
    let transition: Int
    /// The inner ones first.
    let exits: [Int]
    /// The outer ones first.
    let entries: [Int]
    let statesForDefaultEntry: Set<Int>
    /// The leaf that it leads to.
    let leaf: Int
    /// The timers that begin with it.
    let timers: [Int]
    /// Whether a timer may go on: one of a state around that is not left.
    let keepsTimers: Bool
    /// Whether no more is to be done than actions and timers: nothing leads on by itself, and no history, child session or end comes in.
    let isQuiet: Bool
    /// The states with actions to run when they are left.
    let exitsWithActions: [Int]
    /// Whether it does nothing but that, and one timer begins at most.
    let isPlain: Bool

    init?(_ transition: Int, from leaf: Int, in chart: Chart) {
        let configuration = chart.configuration(of: [leaf])
        let entry = chart.computeEntrySet([transition], [:])
        guard !entry.usesHistory else { return nil }
        let exits = chart.computeExitSet([transition], configuration, [:])
        let after = Set(configuration).subtracting(exits).union(entry.statesToEnter)
        let leaves = after.filter { chart.leafPlaces[$0] >= 0 }
        guard leaves.count == 1, let newLeaf = leaves.first else { return nil }
        self.transition = transition
        self.exits = exits.reversed()
        entries = entry.statesToEnter.sorted()
        statesForDefaultEntry = entry.statesForDefaultEntry
        self.leaf = newLeaf
        timers = entries.flatMap { chart.states[$0].timers }
        keepsTimers = Set(configuration).subtracting(exits).contains { !chart.states[$0].timers.isEmpty }
        exitsWithActions = self.exits.filter { !chart.exits[$0].isEmpty }
        isQuiet =
            exits.allSatisfy(chart.isLeftQuietly) && entries.allSatisfy(chart.isEnteredQuietly) && chart.isStable(newLeaf)
        isPlain =
            isQuiet && chart.transitions[transition].actions.isEmpty && exitsWithActions.isEmpty
            && entries.allSatisfy { chart.entries[$0].isEmpty } && timers.count <= 1
            && timers.allSatisfy(chart.isOfFixedLength)
    }

    func leaves(_ state: Int) -> Bool { exits.contains(state) }
}

extension Chart {
    fileprivate func isLeftQuietly(_ state: Int) -> Bool {
        let node = states[state]
        return node.invocations.isEmpty && !timedStates.contains(state)
            && !node.children.contains { states[$0].kind.isHistory }
    }

    fileprivate func isEnteredQuietly(_ state: Int) -> Bool {
        let node = states[state]
        return node.invocations.isEmpty && node.kind != .final && !timedStates.contains(state)
            && (node.initial.map { transitions[$0].actions.isEmpty } ?? true)
    }

    /// Whether nothing leads on from the leaf without an event.
    fileprivate func isStable(_ leaf: Int) -> Bool {
        var next: Int? = leaf
        while let state = next {
            if !handlers[state].always.isEmpty { return false }
            next = states[state].parent
        }
        return true
    }

    fileprivate func isOfFixedLength(_ timer: Int) -> Bool {
        switch definition.timers[timer].length {
        case .fixed: true
        case .computed: false
        }
    }
}

/// The chains that were needed so far.
struct ChainCache {
    /// A table of this size at most; a larger chart's chains are found by hash.
    private static let largestTable = 1 << 14
    private static let mostFound = 1 << 16

    private let chart: Chart
    private let width: Int
    private var table: [Chain?]
    private var found: [Int: Chain] = [:]

    init(_ chart: Chart) {
        self.chart = chart
        width = chart.events.specs.count
        let size = chart.leaves.count * width
        table = size <= Self.largestTable ? Array(repeating: nil, count: size) : []
    }

    @inline(__always)
    mutating func chain(ofLeaf place: Int, _ event: ChartEventSpec) -> Chain {
        let index = place &* width &+ event.number
        if index < table.count { return table[index] ?? learn(place, event, index) }
        return found[index] ?? learn(place, event, index)
    }

    @inline(never)
    private mutating func learn(_ place: Int, _ event: ChartEventSpec, _ index: Int) -> Chain {
        let chain = chart.chain(from: chart.leaves[place], event)
        if index < table.count {
            table[index] = chain
        } else {
            if found.count >= Self.mostFound { found = [:] }
            found[index] = chain
        }
        return chain
    }
}

extension Chart {
    fileprivate func chain(from leaf: Int, _ event: ChartEventSpec) -> Chain {
        // A flow that has come to its end takes nothing more.
        if states[leaf].kind == .final, states[leaf].parent == Self.root { return Chain([]) }
        var candidates: [Candidate] = []
        var next: Int? = leaf
        while let state = next {
            for number in handlers[state].transitions(for: event) {
                let transition = transitions[number]
                if transition.isForbidden { return Chain(candidates) }
                candidates.append(Candidate(number, transition.guardExpression, StepPlan(number, from: leaf, in: self)))
                if transition.guardExpression == nil { return Chain(candidates) }
            }
            next = states[state].parent
        }
        return Chain(candidates)
    }
}
