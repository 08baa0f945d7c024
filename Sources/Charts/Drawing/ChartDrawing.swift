// A chart as a graph: boxes in boxes, and arrows between them. It is drawn as the file has it, since all combinations of the states of
// several regions would be a picture that nobody can read.

import Texts
import Timers

/// What is drawn of a chart.
struct ChartDrawing {
    /// An arrow from one state to another, with all that leads along it.
    struct Arrow {
        let from: Int
        let to: Int
        var labels: [String]
    }

    let chart: ChartDefinition
    private(set) var arrows: [Arrow] = []
    /// By state: what happens in it without leaving it.
    private(set) var inner: [[String]]

    init(_ chart: ChartDefinition) {
        self.chart = chart
        inner = Array(repeating: [], count: chart.states.count)
        for state in chart.states {
            for number in state.transitions { add(chart.transitions[number]) }
        }
    }

    private mutating func add(_ transition: ChartTransition) {
        guard !transition.isForbidden else { return }
        let label = self.label(of: transition)
        if transition.targets.isEmpty { inner[transition.source].append(label) }
        for target in transition.targets { addArrow(transition.source, target, label) }
    }

    private mutating func addArrow(_ from: Int, _ to: Int, _ label: String) {
        if let place = arrows.firstIndex(where: { $0.from == from && $0.to == to }) {
            if !arrows[place].labels.contains(label) { arrows[place].labels.append(label) }
        } else {
            arrows.append(Arrow(from: from, to: to, labels: [label]))
        }
    }

    // MARK: States

    /// The state's name, and what happens in it.
    func lines(of state: Int) -> [String] {
        [name(of: state).printable] + inner[state].prefix(Self.mostLines)
            + (inner[state].count > Self.mostLines ? ["…"] : [])
    }

    private func name(of state: Int) -> String {
        switch chart.states[state].kind {
        case .history(let isDeep): isDeep ? "H*" : "H"
        case .atomic, .compound, .parallel, .final: chart.states[state].key
        }
    }

    private static let mostLines = 6

    /// Where a state begins: its initial states, or those that a history state stands for at first. A parallel state begins in all.
    func beginnings(of state: Int) -> [Int] {
        chart.states[state].initial.map { chart.transitions[$0].targets } ?? []
    }

    // MARK: Labels

    private func label(of transition: ChartTransition) -> String {
        let condition = transition.guardExpression.map { "[\(chart.expressions[$0.number].text.drawn)]" }
        return [words(of: transition.trigger), condition].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private func words(of trigger: Trigger) -> String {
        switch trigger {
        case .event(.exact(let name)): name.hasPrefix("done.") ? "done" : name.printable
        case .event(.prefix(let prefix)): prefix.printable + ".*"
        case .event(.any): "*"
        case .always, .initial: ""
        case .timer(let number): words(of: chart.timers[number])
        case .milestone(let timer, let place): "\(chart.timers[timer].milestones[place].written) left"
        }
    }

    private func words(of timer: ChartTimer) -> String {
        let word = timer.kind == .countdown ? "after" : "every"
        switch timer.length {
        case .fixed(let length): return "\(word) \(length.written)"
        case .computed(let expression):
            return "\(word) \(timer.name.printable) = \(chart.expressions[expression.number].text.drawn)"
        }
    }
}

extension String {
    /// Short enough for an arrow, whose label may have several lines.
    fileprivate var drawn: String {
        let text = printable
        return text.count > 120 ? text.prefix(119) + "…" : text
    }
}
