// Changes in every transition and action of a state.

import Statecharts

extension StateSketch {
    /// Transitions for which `body` returns nil are left out, as are triggers without transitions.
    mutating func mapTransitions(_ body: (TransitionSketch) -> TransitionSketch?) {
        on = on.compactMap { handler in
            let left = handler.transitions.compactMap(body)
            return left.isEmpty && !handler.transitions.isEmpty
                ? nil : HandlerSketch(descriptor: handler.descriptor, transitions: left)
        }
        always = always.compactMap(body)
        for index in timers.indices {
            timers[index].transitions = timers[index].transitions.compactMap(body)
        }
        timers.removeAll { $0.transitions.isEmpty }
    }

    mutating func mapActions(_ body: (ActionSketch) -> ActionSketch?) {
        (entry, exit, initialActions) = (entry.compactMap(body), exit.compactMap(body), initialActions.compactMap(body))
        mapTransitions { transition in
            var transition = transition
            transition.actions = transition.actions.compactMap(body)
            return transition
        }
    }
}

// MARK: Targets

extension ChartSketch {
    /// With paths in place of the keys that tests name states by.
    var withPaths: ChartSketch {
        var chart = self
        let paths = root.paths(below: "")
        chart.root.nameTargets { name in
            paths.contains(name) ? name : paths.first { $0.hasSuffix("." + name) } ?? name
        }
        return chart
    }
}

extension StateSketch {
    func paths(below path: String) -> [String] {
        children.flatMap { child in
            let own = path.isEmpty ? child.key : path + "." + child.key
            return [own] + child.paths(below: own)
        }
    }

    fileprivate mutating func nameTargets(_ path: (String) -> String) {
        initial = initial.map(path)
        mapTransitions { transition in
            var transition = transition
            transition.targets = transition.targets.map(path)
            return transition
        }
        for index in children.indices { children[index].nameTargets(path) }
    }
}
