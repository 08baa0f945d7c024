// Transitions that are never taken, since one before them has the same trigger and no guard.

import Texts

enum ShadowedTransitions {
    static func findings(in chart: ChartDefinition) -> [Finding] {
        chart.states.indices.flatMap { findings(in: $0, chart) }
    }

    private static func findings(in state: Int, _ chart: ChartDefinition) -> [Finding] {
        var taken: Set<Trigger> = []
        return chart.states[state].transitions.compactMap { number in
            let transition = chart.transitions[number]
            // Two milestones at one time are an error already.
            if case .milestone = transition.trigger { return nil }
            let isShadowed = taken.contains(transition.trigger)
            if transition.isUnconditional { taken.insert(transition.trigger) }
            guard isShadowed else { return nil }
            return Finding(
                place: .transition(number),
                sentence: "this is never taken: one before it has no guard; several targets at once are target: [\"a\", \"b\"]")
        }
    }
}

// MARK: - Several targets of one transition must be states that can be active at the same time.

enum TargetsTogether {
    static func findings(in chart: ChartDefinition) -> [Finding] {
        chart.transitions.indices.compactMap { number in
            let targets = chart.transitions[number].targets
            guard targets.count > 1, let sentence = conflict(among: targets, chart) else { return nil }
            return Finding(isError: true, place: .transition(number), sentence: sentence)
        }
    }

    /// Of very many targets, which no chart has regions for, the first ones tell enough.
    private static func conflict(among targets: [Int], _ chart: ChartDefinition) -> String? {
        let targets = targets.prefix(64)
        for (index, target) in targets.enumerated() {
            for other in targets.dropFirst(index + 1) {
                if target == other { return "\(chart.states.words(for: target)) is named twice as a target" }
                guard !canBeActive(target, with: other, chart) else { continue }
                return "\(chart.states.words(for: target)) and \(chart.states.words(for: other)) cannot be active together: "
                    + "several targets are in different regions of a parallel state"
            }
        }
        return nil
    }

    private static func canBeActive(_ state: Int, with other: Int, _ chart: ChartDefinition) -> Bool {
        let states = chart.states
        if states.isDescendant(other, of: state) || states.isDescendant(state, of: other) { return true }
        guard let common = states.ancestors(of: state).first(where: { states.isDescendant(other, of: $0) }) else {
            return false
        }
        // A history state brings back all that was below its parent.
        let remembersAll = [state, other].contains { states[$0].kind.isHistory && states[$0].parent == common }
        return states[common].kind == .parallel && !remembersAll
    }
}

// MARK: - A state's `back` where no transition goes back.

enum UnusedBack {
    static func findings(in chart: ChartDefinition) -> [Finding] {
        guard !chart.transitions.contains(where: \.goesBack) else { return [] }
        return chart.states.indices.filter { chart.states[$0].back != nil }
            .map { Finding(place: .state($0), sentence: "'back' has no effect: no transition of the flow leads to \"$back\"") }
    }
}

// MARK: - Events of the catalogue that no state takes.

struct UnusedEvents {
    private let taken: Set<Trigger>

    private init(_ chart: ChartDefinition) { taken = Set(chart.transitions.map(\.trigger)) }

    private func contains(_ event: String) -> Bool {
        !taken.contains(.event(.any)) && !taken.contains(.event(.exact(event))) && !isTakenByPrefix(event)
    }

    static func findings(in chart: ChartDefinition) -> [Finding] {
        let unused = UnusedEvents(chart)
        return chart.events.indices.filter { unused.contains(chart.events[$0].name) }
            .map { Finding(place: .event($0), sentence: "no state accepts the event '\(chart.events[$0].name.shortened)'") }
    }

    /// Events that wait in a state, and that no other state takes.
    static func postponed(in chart: ChartDefinition) -> [Finding] {
        let unused = UnusedEvents(chart)
        return chart.states.indices.flatMap { state in
            chart.states[state].postponed.filter(unused.contains).map {
                Finding(place: .state(state), sentence: "'\($0.shortened)' would wait here forever: no state accepts it")
            }
        }
    }

    private func isTakenByPrefix(_ name: String) -> Bool {
        let ends = name.indices.filter { name[$0] == "." } + [name.endIndex]
        return ends.contains { taken.contains(.event(.prefix(String(name[..<$0])))) }
    }
}
