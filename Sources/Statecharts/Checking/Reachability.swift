// States that nothing leads to. Guards are not asked: a state is reached if some transition could lead there.

struct Reachability {
    private let chart: ChartDefinition
    private var isReached: [Bool]
    private var waiting: [Int] = []

    private init(_ chart: ChartDefinition) {
        self.chart = chart
        isReached = Array(repeating: false, count: chart.states.count)
    }

    /// `presumed` are states that something leads to that could not be read.
    static func findings(in chart: ChartDefinition, besides presumed: [Int]) -> [Finding] {
        var search = Reachability(chart)
        search.run(presumed)
        return chart.states.indices.filter { search.isOutermostUnreached($0) }.map { state in
            let way = chart.isHistory(state) ? "" : ": no transition, no 'initial', no history; only FORCE and NEW reach it"
            return Finding(place: .state(state), sentence: "nothing leads to \(chart.words(for: state))\(way)")
        }
    }

    /// Unreached history states are reported too: they have no effect.
    private func isOutermostUnreached(_ state: Int) -> Bool {
        guard !isReached[state], let parent = chart.states[state].parent else { return false }
        return isReached[parent]
    }

    private mutating func run(_ presumed: [Int]) {
        enter(0)
        presumed.forEach { enter($0) }
        while let state = waiting.popLast() {
            let node = chart.states[state]
            for number in node.transitions { chart.transitions[number].targets.forEach { enter($0) } }
            if let initial = node.initial { chart.transitions[initial].targets.forEach { enter($0) } }
            if node.kind == .parallel { chart.lastingChildren(of: state).forEach { enter($0) } }
        }
    }

    /// Entering a state enters those around it, and what these enter with them.
    private mutating func enter(_ state: Int) {
        var current: Int? = state
        while let reached = current, !isReached[reached] {
            isReached[reached] = true
            waiting.append(reached)
            current = chart.states[reached].parent
        }
    }
}
