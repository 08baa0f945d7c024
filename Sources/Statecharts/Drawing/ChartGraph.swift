// A chart as a graph: boxes in boxes, and what leads from one to another.

import GameFlow
import Texts

extension ChartDefinition: WrittenFlow {
    package var graph: FlowGraph {
        let drawn = states.flatMap(\.transitions).map { transitions[$0] }.filter { !$0.isForbidden }
        return FlowGraph(
            flow: name, origin: .written, states: states.map(state),
            edges: drawn.flatMap(edges) + states.indices.flatMap(postponedEdges))
    }

    private func state(_ node: ChartStateNode) -> FlowGraph.State {
        FlowGraph.State(
            name: node.key, path: node.path, kind: node.kind, parent: node.parent, children: node.children,
            beginnings: node.initial.map { transitions[$0].targets } ?? [])
    }

    private func edges(of transition: ChartTransition) -> [FlowGraph.Edge] {
        guard transition.targets.isEmpty || transition.goesBack else {
            return transition.targets.map { edge(transition, to: $0) }
        }
        return [edge(transition, to: transition.source, isInner: true)]
    }

    private func postponedEdges(of state: Int) -> [FlowGraph.Edge] {
        states[state].postponed.map { event in
            FlowGraph.Edge(from: state, to: state, event: event, label: FlowGraph.postponed(event.printable), isInner: true)
        }
    }

    private func edge(_ transition: ChartTransition, to target: Int, isInner: Bool = false) -> FlowGraph.Edge {
        let condition = transition.guardExpression.map { expressions[$0.number].text.drawn }
        let (word, event, timer) = words(of: transition.trigger)
        let label = [transition.goesBack ? FlowGraph.back(word) : word, condition.map { "[\($0)]" } ?? ""].filter {
            !$0.isEmpty
        }
        return FlowGraph.Edge(
            from: transition.source, to: target, event: event, timer: timer?.name, condition: condition,
            label: label.joined(separator: " "), isInner: isInner)
    }

    /// The trigger's word on the arrow, and its event or timer.
    private func words(of trigger: Trigger) -> (word: String, event: String?, timer: ChartTimer?) {
        switch trigger {
        case .event(.exact(let name)): (name.hasPrefix("done.") ? "done" : name.printable, name, nil)
        case .event(.prefix(let prefix)): ("\(prefix.printable).*", prefix + ".*", nil)
        case .event(.any): ("*", "*", nil)
        case .always, .initial: ("", nil, nil)
        case .timer(let number): (words(of: timers[number]), nil, timers[number])
        case .milestone(let timer, let index): ("\(timers[timer].milestones[index].written) left", nil, timers[timer])
        }
    }

    private func words(of timer: ChartTimer) -> String {
        let word = timer.kind == .countdown ? "after" : "every"
        switch timer.length {
        case .fixed(let length): return "\(word) \(length.written)"
        case .computed(let expression):
            return "\(word) \(timer.name.printable) = \(expressions[expression.number].text.drawn)"
        }
    }
}

extension String {
    /// Short enough for an arrow with a label of several lines.
    fileprivate var drawn: String {
        let text = printable
        return text.count > 120 ? text.prefix(119) + "…" : text
    }
}
