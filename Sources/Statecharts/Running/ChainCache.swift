// The transitions that each event may take in each leaf, looked up once.

/// The chains that were needed so far.
struct ChainCache {
    /// A table of this size at most; a larger chart's chains are found by hash.
    private static let largestTable = 1 << 14
    private static let maxFound = 1 << 16
    /// Of all chains that are kept.
    private static let maxCandidates = 1 << 17

    private let chart: Chart
    private let parts: CandidateParts
    private let width: Int
    private var candidateCount = 0
    private var table: [Chain?]
    private var found: [Int: Chain] = [:]

    init(_ chart: Chart, _ expressions: ExpressionEngine, _ plans: ChartPlans) {
        self.chart = chart
        parts = CandidateParts(chart, expressions, plans)
        width = chart.events.specs.count
        let size = chart.leaves.count * width
        table = size <= Self.largestTable ? Array(repeating: nil, count: size) : []
    }

    mutating func chain(ofLeaf place: Int, _ event: ChartEventSpec) -> Chain {
        let index = place &* width &+ event.number
        if index < table.count { return table[index] ?? insert(place, event, index) }
        return found[index] ?? insert(place, event, index)
    }

    private mutating func insert(_ place: Int, _ event: ChartEventSpec, _ index: Int) -> Chain {
        let chain = chain(from: chart.leaves[place], event)
        candidateCount += chain.candidates.count
        if candidateCount > Self.maxCandidates {
            candidateCount = chain.candidates.count
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
        if chart.isInFinalState(Chart.root, chart.configuration(of: [leaf])) { return Chain([]) }
        var candidates: [Candidate] = []
        var next: Int? = leaf
        while let state = next {
            for number in chart.handlers[state].transitions(for: event) {
                if chart.transitions[number].isForbidden { return Chain(candidates) }
                candidates.append(Candidate(number, from: leaf, parts))
                if chart.transitions[number].guardExpression == nil { return Chain(candidates) }
            }
            next = chart.states[state].parent
        }
        return Chain(candidates)
    }
}
