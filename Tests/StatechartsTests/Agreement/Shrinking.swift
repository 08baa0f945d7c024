// Shrinks a chart on which two engines differ while they still differ.

import Statecharts

extension Comparison {
    /// A minimal chart with its steps, and the difference on it.
    static func shrunk(
        _ chart: ChartSketch, _ steps: [ChartStep], _ first: Disagreement
    ) -> (ChartSketch, [ChartStep], Disagreement) {
        var (chart, steps) = (chart, steps)
        var isSmaller = true
        while isSmaller {
            let fewer = reduced(steps, by: { steps in steps.indices.reversed().map(steps.without) }) {
                differ(chart, $0, as: first)
            }
            let smaller = reduced(chart, by: \.smaller) { differ($0, steps, as: first) }
            isSmaller = fewer != nil || smaller != nil
            (steps, chart) = (fewer ?? steps, smaller ?? chart)
        }
        let trimmed = chart.trimmed(for: steps)
        if differ(trimmed, steps, as: first) { chart = trimmed }
        return (chart, steps, disagreement(on: chart, steps) ?? first)
    }

    /// Tries all smaller variants once, and continues with each one that shows the same difference. Returns nil if none does.
    private static func reduced<T>(_ whole: T, by smaller: (T) -> [T], _ showsTheSame: (T) -> Bool) -> T? {
        var (least, index): (T?, Int) = (nil, 0)
        var others = smaller(whole)
        while index < others.count {
            if showsTheSame(others[index]) {
                least = others[index]
                others = smaller(others[index])
            } else {
                index += 1
            }
        }
        return least
    }

    /// An invalid chart shows no difference.
    private static func differ(_ chart: ChartSketch, _ steps: [ChartStep], as first: Disagreement) -> Bool {
        guard chart.root.kind != .atomic, chart.root.isComplete else { return false }
        return disagreement(on: chart, steps)?.isLike(first) ?? false
    }
}

extension ChartSketch: Shrinkable {
    /// This chart with one thing less: the largest first.
    var smaller: [ChartSketch] {
        let paths = root.paths(below: "")
        let withoutState = paths.map { with(\.root, root.without(state: $0)) }
        let withoutPart = root.smaller.map { with(\.root, $0) }
        return withoutState + withoutPart + fewer(\.context)
    }

    /// With only those events that its states or the steps name.
    fileprivate func trimmed(for steps: [ChartStep]) -> ChartSketch {
        let text = with(\.events, []).text + "\(steps)"
        return with(\.events, events.filter { text.contains($0) })
    }
}

extension StateSketch {
    /// Whether every state has the children and targets that its kind asks for.
    var isComplete: Bool {
        let regular = children.filter { $0.kind.isRegular }
        let isWhole =
            switch kind {
            case .compound: !regular.isEmpty && !initial.isEmpty
            case .parallel: !regular.isEmpty
            case .history: !initial.isEmpty
            case .atomic, .final: children.isEmpty
            }
        return isWhole && children.allSatisfy(\.isComplete)
    }

    // MARK: Without a state

    /// Without the state of that path, and whatever mentions it or what is in it.
    fileprivate func without(state path: String) -> StateSketch {
        var state = self
        state.remove(path, own: "")
        state.forget(path)
        return state
    }

    private mutating func remove(_ path: String, own: String) {
        children.removeAll { (own.isEmpty ? $0.key : own + "." + $0.key) == path }
        for index in children.indices {
            children[index].remove(path, own: own.isEmpty ? children[index].key : own + "." + children[index].key)
        }
        if children.isEmpty && (kind == .compound || kind == .parallel) { (kind, initial, initialActions) = (.atomic, [], []) }
    }

    private mutating func forget(_ path: String, own: String = "") {
        initial.removeAll { $0.isAt(path) }
        if kind == .compound, initial.isEmpty, let first = children.first(where: { $0.kind.isRegular }) {
            initial = [own.isEmpty ? first.key : own + "." + first.key]
        }
        mapTransitions { transition in
            if transition.targets.contains(where: { $0.isAt(path) }) { return nil }
            return transition.condition?.contains("'\(path)") == true ? nil : transition
        }
        mapActions { $0.mentions(path) ? nil : $0 }
        on.removeAll { $0.descriptor.text.isAt("done.state." + path) }
        for index in children.indices {
            children[index].forget(path, own: own.isEmpty ? children[index].key : own + "." + children[index].key)
        }
    }
}

extension ActionSketch {
    /// Whether it names the state's timers, or asks whether the state is active.
    fileprivate func mentions(_ path: String) -> Bool {
        switch self {
        case .extend(let timer, _), .pause(let timer), .resume(let timer): timer.isAt(path)
        case .choose(let condition, let then, let otherwise):
            condition.contains("'\(path)") || (then + otherwise).contains { $0.mentions(path) }
        case .assign, .raise, .emit, .send, .cancel, .log: false
        }
    }
}

extension String {
    /// Whether the path is that one, or below it. A timer's name has its state's path.
    fileprivate func isAt(_ path: String) -> Bool {
        self == path || hasPrefix(path + ".") || hasPrefix(path + "#")
    }
}

extension Array {
    func without(_ index: Int) -> [Element] {
        var others = self
        others.remove(at: index)
        return others
    }
}
