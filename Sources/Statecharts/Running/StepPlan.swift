// Exits and entries of a transition in a chart with one active leaf, worked out once: such a step is the same each time.

/// A transition, as it is tried for an event in a leaf.
final class Candidate {
    let transition: Int
    let condition: Expression?
    let isUnconditional: Bool
    private let leaf: Int
    private let chart: Chart
    /// Nil if the entered states depend on remembered history, or if several leaves are entered. It is made only when the transition is
    /// taken: many are tried that never are.
    private(set) lazy var plan = StepPlan(transition, from: leaf, in: chart)

    init(_ transition: Int, from leaf: Int, _ chart: Chart) {
        self.transition = transition
        self.leaf = leaf
        self.chart = chart
        condition = chart.transitions[transition].guardExpression
        isUnconditional = chart.transitions[transition].isUnconditional
    }
}

/// The transitions that an event may take in a leaf, in the order in which they are tried.
typealias Chain = ContiguousArray<Candidate>

/// The states that a step leaves and enters.
final class StepPlan {
    let transition: Int
    /// The inner ones first.
    let exits: [Int]
    let entry: EntrySet
    /// The leaf that it leads to.
    let leaf: Int
    /// The timers that begin with it.
    let timers: [Int]
    /// Whether the step needs only actions and timers: no transition follows by itself, and no history, child session or end is involved.
    let isQuiet: Bool
    /// The states that stay active.
    let remaining: [Int]

    init?(_ transition: Int, from leaf: Int, in chart: Chart) {
        let configuration = chart.configuration(of: [leaf])
        let domain = chart.getTransitionDomain(transition, .none)
        entry = chart.computeEntrySet([transition], [domain], .none)
        guard !entry.usesHistory else { return nil }
        let exits = chart.computeExitSet([domain], configuration)
        let after = Set(configuration).subtracting(exits).union(entry.statesToEnter)
        let leaves = after.filter { chart.leafIndices[$0] >= 0 }
        guard leaves.count == 1, let newLeaf = leaves.first else { return nil }
        self.transition = transition
        self.exits = exits.reversed()
        self.leaf = newLeaf
        timers = entry.statesToEnter.flatMap { chart.states[$0].timers }
        remaining = configuration.filter { !exits.has($0) }
        isQuiet =
            exits.allSatisfy(chart.isLeftQuietly) && entry.statesToEnter.allSatisfy(chart.isEnteredQuietly)
            && chart.states.ancestors(of: newLeaf).allSatisfy { chart.handlers[$0].always.isEmpty }
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
}

// MARK: - The transitions that each event may take in each leaf, looked up once

/// The chains that were needed so far.
struct ChainCache {
    /// A table of this size at most; a larger chart's chains are found by hash.
    private static let maxTableSize = 1 << 14
    private static let maxFound = 1 << 16
    /// Candidates of all chains that are kept.
    private static let maxCandidates = 1 << 17

    private let chart: Chart
    private let width: Int
    private var candidateCount = 0
    private var table: [Chain?]
    private var found: [Int: Chain] = [:]

    init(_ chart: Chart) {
        self.chart = chart
        width = chart.events.specs.count
        let size = chart.leaves.count * width
        table = size <= Self.maxTableSize ? Array(repeating: nil, count: size) : []
    }

    mutating func chain(ofLeaf leafIndex: Int, _ event: ChartEventSpec) -> Chain {
        let index = leafIndex &* width &+ event.number
        if index < table.count { return table[index] ?? insert(leafIndex, event, index) }
        return found[index] ?? insert(leafIndex, event, index)
    }

    private mutating func insert(_ leafIndex: Int, _ event: ChartEventSpec, _ index: Int) -> Chain {
        let chain = chain(from: chart.leaves[leafIndex], event)
        candidateCount += chain.count
        if candidateCount > Self.maxCandidates {
            candidateCount = chain.count
            found = [:]
            table = Array(repeating: nil, count: table.count)
        }
        if index < table.count {
            table[index] = chain
        } else {
            if found.count >= Self.maxFound { found = [:] }
            found[index] = chain
        }
        return chain
    }

    private func chain(from leaf: Int, _ event: ChartEventSpec) -> Chain {
        // A flow that has come to its end takes nothing more.
        if chart.isInFinalState(Chart.root, chart.configuration(of: [leaf])) { return [] }
        var candidates: Chain = []
        for state in chart.states.ancestors(of: leaf) {
            for number in chart.handlers[state].transitions(for: event) {
                if chart.transitions[number].isForbidden { return candidates }
                candidates.append(Candidate(number, from: leaf, chart))
                if chart.transitions[number].isUnconditional { return candidates }
            }
        }
        return candidates
    }
}
