// The words that tests write sketches with.

import Statecharts

typealias Handlers = KeyValuePairs<String, [TransitionSketch]>

extension StateSketch {
    static func atomic(
        _ key: String, entry: [ActionSketch] = [], exit: [ActionSketch] = [], on: Handlers = [:],
        always: [TransitionSketch] = []
    ) -> StateSketch {
        StateSketch(key: key, entry: entry, exit: exit, on: on.map(HandlerSketch.init), always: always)
    }

    /// Several initial states are separated by blanks, as in SCXML.
    static func compound(
        _ key: String, initial: String, initialActions: [ActionSketch] = [], entry: [ActionSketch] = [],
        exit: [ActionSketch] = [], on: Handlers = [:], always: [TransitionSketch] = [], _ children: [StateSketch]
    ) -> StateSketch {
        StateSketch(
            key: key, kind: .compound, initial: initial.split(separator: " ").map(String.init), initialActions: initialActions,
            entry: entry, exit: exit,
            on: on.map(HandlerSketch.init), always: always, children: children)
    }

    static func parallel(
        _ key: String, entry: [ActionSketch] = [], exit: [ActionSketch] = [], on: Handlers = [:],
        always: [TransitionSketch] = [],
        _ children: [StateSketch]
    ) -> StateSketch {
        StateSketch(
            key: key, kind: .parallel, entry: entry, exit: exit, on: on.map(HandlerSketch.init), always: always,
            children: children)
    }

    static func final(_ key: String, entry: [ActionSketch] = [], output: String? = nil) -> StateSketch {
        StateSketch(key: key, kind: .final, entry: entry, output: output)
    }

    static func history(_ key: String, isDeep: Bool = false, _ targets: String..., actions: [ActionSketch] = []) -> StateSketch
    {
        StateSketch(key: key, kind: .history(isDeep: isDeep), initial: targets, initialActions: actions)
    }
}

extension HandlerSketch {
    init(_ descriptor: String, _ transitions: [TransitionSketch]) {
        self.init(descriptor: EventDescriptor(text: descriptor), transitions: transitions)
    }
}

extension TransitionSketch {
    static func to(
        _ targets: String..., when condition: String? = nil, reenter: Bool = true, actions: [ActionSketch] = []
    ) -> TransitionSketch {
        TransitionSketch(condition: condition, targets: targets, reenters: reenter, actions: actions)
    }

    static func stay(when condition: String? = nil, _ actions: ActionSketch...) -> TransitionSketch {
        TransitionSketch(condition: condition, actions: actions)
    }
}
