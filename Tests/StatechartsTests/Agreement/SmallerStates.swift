// A state with one thing less than it had.

import Statecharts

extension StateSketch {
    /// Every way of taking one thing away from this state, or from one in it, that is not a state.
    var smaller: [StateSketch] {
        let plain = unfolded(\.entry) + unfolded(\.exit)
        let own = fewer(\.on) + fewer(\.always) + fewer(\.timers) + fewer(\.invocations) + fewer(\.entry) + fewer(\.exit)
        let inner = smaller(\.on, \.smaller) + smaller(\.always, \.smaller) + smaller(\.timers, \.smaller)
        return own + inner + plain + smallerInitials + smaller(\.children, \.smaller)
    }

    private var smallerInitials: [StateSketch] {
        let withoutOutput = output == nil ? [] : [with(\.output, nil)]
        return withoutOutput + fewer(\.initialActions) + (initial.count > 1 ? fewer(\.initial) : [])
    }
}

extension HandlerSketch: Shrinkable {
    var smaller: [HandlerSketch] {
        (transitions.count > 1 ? fewer(\.transitions) : []) + smaller(\.transitions, \.smaller)
    }
}

extension TransitionSketch: Shrinkable {
    var smaller: [TransitionSketch] {
        let unconditional = condition == nil ? [] : [with(\.condition, nil)]
        let external = reenters ? [] : [with(\.reenters, true)]
        return unconditional + external + fewer(\.actions) + unfolded(\.actions) + (targets.count > 1 ? fewer(\.targets) : [])
    }
}

extension TimerSketch: Shrinkable {
    var smaller: [TimerSketch] {
        let fixed = computed == nil ? [] : [with(\.computed, nil)]
        let fewerTransitions = transitions.count > 1 ? fewer(\.transitions) : []
        return fixed + fewerTransitions + fewer(\.milestones) + smaller(\.transitions, \.smaller)
    }
}

extension StateSketch: Shrinkable {}

/// A value with parts that can be removed.
protocol Shrinkable {}

extension Shrinkable {
    func with<T>(_ part: WritableKeyPath<Self, T>, _ value: T) -> Self {
        var same = self
        same[keyPath: part] = value
        return same
    }

    /// Without each one of the parts.
    func fewer<T>(_ parts: WritableKeyPath<Self, [T]>) -> [Self] {
        self[keyPath: parts].indices.reversed().map { index in
            with(parts, self[keyPath: parts].without(index))
        }
    }

    /// Variants with an `if` replaced by its actions.
    func unfolded(_ actions: WritableKeyPath<Self, [ActionSketch]>) -> [Self] {
        self[keyPath: actions].indices.flatMap { index -> [Self] in
            guard case .choose(_, let then, let otherwise) = self[keyPath: actions][index] else { return [] }
            let others = self[keyPath: actions]
            return [then, otherwise].filter { !$0.isEmpty }.map { branch in
                with(actions, Array(others[..<index]) + branch + Array(others[(index + 1)...]))
            }
        }
    }

    /// With each one of the parts made smaller.
    func smaller<T>(_ parts: WritableKeyPath<Self, [T]>, _ shrinking: (T) -> [T]) -> [Self] {
        self[keyPath: parts].indices.flatMap { index in
            shrinking(self[keyPath: parts][index]).map { smaller in
                var others = self[keyPath: parts]
                others[index] = smaller
                return with(parts, others)
            }
        }
    }
}
