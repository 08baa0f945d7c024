// A random chart: everything that flow files can say, in three to fifteen states.

import Statecharts
import Seeds
import Timers

/// Makes charts from a seed. They are valid, and most of their states can be reached.
struct RandomChart {
    private var tree: RandomTree
    private var random: SeededGenerator
    private let expressions: RandomExpressions
    private var contents: RandomVariety
    private var marks = 0
    private var delayedEvents: [String] = []

    static let events = ["a", "b", "c", "c.x", "c.y", "i", "j"]
    static let raised = ["i", "j", "c.x", "c.y"]

    static func make(seed: UInt64, _ contents: RandomVariety = .everything) -> ChartSketch {
        var maker = RandomChart(seed: seed, contents)
        maker.fill()
        return ChartSketch(
            name: "chart", context: maker.contents.hasContext ? RandomVariables.all : [], events: events,
            root: maker.tree.sketch())
    }

    private init(seed: UInt64, _ contents: RandomVariety) {
        random = SeededGenerator(seed: seed)
        tree = RandomTree(&random)
        self.contents = contents
        if random.decides(0.25) { self.contents.hasContext = false }
        let paths = tree.nodes.map(\.path).filter { !$0.isEmpty }
        expressions = RandomExpressions(paths: paths, hasContext: self.contents.hasContext)
    }

    private mutating func fill() {
        for state in tree.nodes.indices where !tree.nodes[state].sketch.kind.isRegular { fillHistory(state) }
        for state in tree.nodes.indices where tree.nodes[state].sketch.kind.isRegular { fillState(state) }
    }

    private mutating func fillHistory(_ state: Int) {
        guard case .history(let isDeep) = tree.nodes[state].sketch.kind else { return }
        let targets = tree.paths(tree.defaultTargets(of: state, isDeep: isDeep, &random))
        let actions = marks(0.3)
        tree.change(state) { ($0.initial, $0.initialActions) = (targets, actions) }
    }

    private mutating func fillState(_ state: Int) {
        let kind = tree.nodes[state].sketch.kind
        if kind == .compound {
            let targets = tree.paths(tree.initialTargets(of: state, &random))
            let actions = marks(0.2)
            tree.change(state) { ($0.initial, $0.initialActions) = (targets, actions) }
        }
        let (entry, exit) = (boundary(of: state), boundary(of: state))
        tree.change(state) { ($0.entry, $0.exit) = (entry, exit) }
        if kind == .final {
            let output = random.decides(0.3) ? expressions.value(&random) : nil
            tree.change(state) { $0.output = output }
        } else {
            fillTransitions(of: state)
        }
    }

    /// Actions of an entry or an exit.
    private mutating func boundary(of state: Int) -> [ActionSketch] {
        marks(0.75) + (random.decides(share(0.15)) ? [action(of: state, raising: 0.15)] : [])
    }

    // MARK: Transitions

    private mutating func fillTransitions(of state: Int) {
        let handlers = handlers(of: state)
        let always = random.decides(share(0.12)) ? [eventless(from: state)] : []
        let timers = contents.hasTimers ? timers(of: state) : []
        let invocations = random.decides(0.1) ? [tree.nodes[state].sketch.key] : []
        tree.change(state) {
            ($0.on, $0.always, $0.timers, $0.invocations) = (handlers, always, timers, invocations)
        }
    }

    private mutating func handlers(of state: Int) -> [HandlerSketch] {
        var handlers: [HandlerSketch] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let descriptor = descriptor(at: state)
            guard !handlers.contains(where: { $0.descriptor == descriptor }) else { continue }
            let count = random.decides(0.08) ? 0 : random.decides(0.75) ? 1 : 2
            handlers.append(
                HandlerSketch(descriptor: descriptor, transitions: (0..<count).map { _ in transition(from: state) }))
        }
        return handlers
    }

    private mutating func descriptor(at state: Int) -> EventDescriptor {
        let done = [state] + tree.nodes[state].children
        let inner = done.filter { [.compound, .parallel].contains(tree.nodes[$0].sketch.kind) && $0 > 0 }
        if !inner.isEmpty, random.decides(0.25) { return .exact("done.state." + tree.nodes[random.one(of: inner)].path) }
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return .any
        case 1: return .prefix("c")
        case 2: return .prefix("done")
        case 3: return .prefix("c.x")
        default: return .exact(random.one(of: Self.events))
        }
    }

    private mutating func transition(from state: Int) -> TransitionSketch {
        var transition = TransitionSketch()
        if random.decides(0.3) { transition.condition = expressions.condition(&random) }
        if random.decides(0.85) { transition.targets = tree.paths(tree.targets(from: state, &random)) }
        transition.reenters = transition.targets.isEmpty || random.decides(0.7)
        transition.actions += marks(transition.targets.isEmpty ? 1 : 0.6)
        if random.decides(share(0.35)) { transition.actions.append(action(of: state, raising: 0.3)) }
        return transition
    }

    private mutating func eventless(from state: Int) -> TransitionSketch {
        var transition = transition(from: state)
        let condition = transition.condition ?? expressions.condition(&random)
        guard contents.hasContext else {
            transition.condition = condition
            return transition
        }
        transition.condition = random.decides(0.03) ? condition : "(\(condition)) and fuel > 0"
        transition.actions.append(.assign("fuel", "fuel - 1"))
        return transition
    }

    // MARK: Timers

    private mutating func timers(of state: Int) -> [TimerSketch] {
        var timers: [TimerSketch] = []
        for _ in 0..<random.one(of: [0, 0, 0, 0, 1, 1, 2]) {
            let length = length()
            if !timers.contains(where: { $0.length == length }) { timers.append(timer(of: state, length)) }
        }
        return timers.filter { $0.kind == .countdown } + timers.filter { $0.kind == .pendulum }
    }

    /// Some are equally long, so that the order of arming is seen.
    private static let round = Duration.seconds(2)

    private mutating func length() -> Duration {
        if random.decides(0.2) { return Self.round }
        return .milliseconds(Int.random(in: 900...9_000, using: &random))
            + .nanoseconds(Int.random(in: 0..<1_000_000, using: &random))
    }

    private mutating func timer(of state: Int, _ length: Duration) -> TimerSketch {
        let kind: TimerPlan.Kind = length != Self.round && random.decides(0.25) ? .pendulum : .countdown
        var timer = TimerSketch(kind: kind, length: length, transitions: [transition(from: state)])
        if random.decides(0.2) { timer.transitions.append(transition(from: state)) }
        if kind == .countdown, contents.hasComputedLengths, random.decides(0.15) {
            timer.computed = contents.hasContext ? "1001 + x * 503" : "1001"
        }
        if kind == .countdown, timer.computed == nil, contents.hasMilestones, random.decides(0.2) {
            timer.milestones = [MilestoneSketch(left: length / 3, actions: [mark()])]
        }
        return timer
    }

    // MARK: Actions

    /// Charts without a context mainly change their state, as many flows do.
    private func share(_ probability: Double) -> Double { contents.hasContext ? probability : probability / 5 }

    private mutating func marks(_ probability: Double) -> [ActionSketch] {
        random.decides(share(probability)) ? [mark()] : []
    }

    /// Tells in which order actions ran.
    private mutating func mark() -> ActionSketch {
        marks += 1
        guard contents.hasContext else { return .emit("mark\(marks)") }
        return .assign("trace", "(trace * 31 + \(marks)) % 1000003")
    }

    private mutating func action(of state: Int, raising: Double) -> ActionSketch {
        if random.decides(raising) {
            let data = random.decides(0.4) ? expressions.value(&random) : nil
            let raise = ActionSketch.raise(random.one(of: Self.raised), data: data)
            return random.decides(0.05) || !contents.hasContext
                ? raise : .choose("fuel > 0", then: [.assign("fuel", "fuel - 1"), raise])
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .emit("told", data: random.decides(0.5) ? expressions.value(&random) : nil)
        case 1: return .log(expressions.value(&random))
        case 2: return .send("hello", data: expressions.value(&random), to: "other")
        case 3, 4:
            let condition = expressions.condition(&random)
            return .choose(condition, then: [mark()], otherwise: random.decides(0.5) ? [mark()] : [])
        case 5: return contents.hasTimers && contents.changesTimers ? changeOfTimer(around: state) : mark()
        case 6: return contents.hasDelayedEvents ? delayed() : mark()
        default: return contents.hasContext ? expressions.assignment(&random) : mark()
        }
    }

    private mutating func delayed() -> ActionSketch {
        if !delayedEvents.isEmpty, random.decides(0.3) { return .cancel(random.one(of: delayedEvents)) }
        let name = random.one(of: Self.raised)
        delayedEvents.append(name)
        let delay =
            Duration.milliseconds(Int.random(in: 500...6_000, using: &random))
            + .nanoseconds(
                Int.random(in: 0..<1_000_000, using: &random))
        return .raise(name, delay: delay)
    }

    /// An action on the first timer of an ancestor. The timer may not run. Without timers, another action is made.
    private mutating func changeOfTimer(around state: Int) -> ActionSketch {
        let states = tree.lineage(of: state).filter { !tree.nodes[$0].sketch.timers.isEmpty }
        guard !states.isEmpty else { return mark() }
        let path = tree.nodes[random.one(of: states)].path
        let name = path.isEmpty ? "chart" : path
        let change = Duration.milliseconds(random.one(of: [-1_003, 701, 2_011]))
        return [.extend(timer: name, by: change), .pause(timer: name), .resume(timer: name)][
            Int.random(in: 0..<3, using: &random)]
    }
}

/// The features of random charts. Features can be left out.
struct RandomVariety {
    /// Some charts have none all the same.
    var hasContext = true
    var hasTimers = true
    var hasComputedLengths = true
    var hasMilestones = true
    var changesTimers = true
    var hasDelayedEvents = true

    static let everything = RandomVariety()
}
