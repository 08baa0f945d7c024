// Explores a flow breadth first, in virtual time, in sessions without side effects.

/// To visit a state again, it repeats the path to it in a new session.
struct Explorer {
    /// One move to try: an event's sample by index in the catalogue, or a timer by name.
    private enum Move {
        case event(index: Int, sample: Int)
        /// `firing` counts its milestones before its end.
        case timer(String, firing: Int)
    }

    /// Called at every variant of a state that is reached for the first time.
    private let onReached: (AnyMachine) -> Void
    private let kind: FlowKind
    /// Sees every step; retained, since the kind refers to it without.
    private let watcher: MachineWatcher?
    private let variantsPerState: Int
    private let maxMoves: Int
    /// The moves that may still be tried, and the moves that may be made for that.
    private var movesLeft: Int
    private var stepsLeft: Int
    /// Whether a variant of a state was left out, since there are too many.
    private var hasOmitted = false
    /// Whether a limit kept it from a move.
    private var hasStopped = false
    private var seen: Set<String> = []
    private var variants: [String: Int] = [:]
    private var paths: [String: [Step]] = [:]
    private var finals: Set<String> = []
    private var accepted: [String: Set<String>] = [:]
    private var postponed: [String: Set<String>] = [:]
    private var edges: [Edge] = []
    private var knownEdges: Set<Edge> = []
    private var waiting: [(moves: [Move], steps: [Step])] = []

    init(
        _ kind: FlowKind, variantsPerState: Int, maxMoves: Int = .max, maxSteps: Int = .max, watcher: MachineWatcher? = nil,
        onReached: @escaping (AnyMachine) -> Void = { _ in }
    ) {
        self.kind = kind.withoutHooks()
        self.watcher = watcher
        if let watcher { self.kind.watch(watcher) }
        self.onReached = onReached
        self.variantsPerState = variantsPerState
        self.maxMoves = maxMoves
        (movesLeft, stepsLeft) = (maxMoves, maxSteps)
    }

    mutating func explore() throws -> Exploration {
        let start = try Visit(kind)
        let initial = start.machine.stateName
        try arrive(start.machine, [], [])
        var next = 0
        while next < waiting.count, !hasStopped {
            try tryEverything(after: waiting[next].moves, waiting[next].steps)
            next += 1
        }
        return Exploration(
            flow: kind.name, initial: initial, states: kind.states, edges: edges, finals: finals, paths: paths,
            accepted: accepted, postponed: postponed, isComplete: !hasOmitted && !hasStopped,
            movesUntilStop: hasStopped ? maxMoves - movesLeft : nil)
    }

    private mutating func tryEverything(after moves: [Move], _ steps: [Step]) throws {
        let here = try visit(after: moves)
        let firings = Dictionary(here.running.map { ($0.plan.name, $0.firingsToCome) }) { $1 }.sorted { $0.key < $1.key }
        let samples = kind.facts.samples
        for (index, event) in kind.events.enumerated() where !event.sources.isDisjoint(with: [.clients, .orchestrators]) {
            for sample in samples[index].indices {
                try attempt(.event(index: index, sample: sample), .event(event.name), after: moves, steps)
            }
        }
        for (timer, firingSteps) in firings {
            for (firing, step) in firingSteps.enumerated() {
                try attempt(.timer(timer, firing: firing), step, after: moves, steps)
            }
        }
    }

    private mutating func attempt(_ move: Move, _ step: Step, after moves: [Move], _ steps: [Step]) throws {
        guard movesLeft > 0, stepsLeft > 0 else { return hasStopped = true }
        (movesLeft, stepsLeft) = (movesLeft - 1, stepsLeft - 1)
        let visit = try visit(after: moves)
        let (from, waiting) = (visit.machine.stateName, visit.machine.postponed.count)
        guard make(move, in: visit) else { return }
        if case .event(let name) = step {
            accepted[from, default: []].insert(name)
            if visit.machine.postponed.count > waiting { postponed[from, default: []].insert(name) }
        }
        let edge = Edge(from: from, step: step, to: visit.machine.stateName)
        if knownEdges.insert(edge).inserted { edges.append(edge) }
        try arrive(visit.machine, moves + [move], steps + [step])
    }

    /// Queues a variant that is new, to explore from there.
    private mutating func arrive(_ machine: AnyMachine, _ moves: [Move], _ steps: [Step]) throws {
        let state = machine.stateName
        accepted[state] = accepted[state] ?? []
        paths[state] = paths[state] ?? steps
        if machine.isFinal { finals.insert(state) }
        let variant = state + (try data(of: machine).withoutTimers.description)
        guard seen.insert(variant).inserted else { return }
        guard variants[state, default: 0] < variantsPerState else { return hasOmitted = true }
        variants[state, default: 0] += 1
        waiting.append((moves, steps))
        onReached(machine)
    }

    private func data(of machine: AnyMachine) throws(UnsavableState) -> JSON {
        do { return try machine.stateData() } catch { throw UnsavableState(name: machine.stateName, reason: error) }
    }

    private mutating func visit(after moves: [Move]) throws -> Visit {
        stepsLeft -= moves.count
        let visit = try Visit(kind)
        for move in moves { _ = make(move, in: visit) }
        return visit
    }

    /// Makes a move; false if it was refused or had no effect.
    private func make(_ move: Move, in visit: Visit) -> Bool {
        switch move {
        case .event(let index, let sample): return visit.machine.trySample(sample, ofEvent: index)
        case .timer(let name, let firing): return visit.fire(name, firing)
        }
    }
}

/// A state that cannot be put into JSON, which is a mistake in its flow.
struct UnsavableState: Error, CustomStringConvertible {
    let name: String
    let reason: any Error

    var description: String { "'\(name)' cannot be saved: \(reason)" }
}

// MARK: - An explored session, with its own clock and without a host

struct Visit {
    private let clock = VirtualClock()
    private let timekeeper: Timekeeper
    let machine: AnyMachine

    init(_ kind: FlowKind) throws {
        timekeeper = Timekeeper(clock)
        machine = try kind.begin(on: timekeeper, context: kind.sampleContext)
    }

    /// The timers that will fire.
    var running: [StateTimer] { machine.timers.filter { $0.remaining != nil } }

    /// How long it takes until the next of them fires, or has a milestone; nil if time leads to nothing.
    var untilNextTimer: Duration? {
        machine.isFrozen ? nil : machine.timers.filter { !$0.isPaused }.compactMap(\.leftUntilNextFiring).min()
    }

    /// Lets time pass until the timer fires this time, with all others paused: its milestones come first. False if it has no effect, or
    /// if a milestone on the way leads elsewhere.
    @discardableResult
    func fire(_ name: String, _ firing: Int = 0) -> Bool {
        let index = machine.stateIndex
        let others = machine.timers.filter { $0.plan.name != name && !$0.isPaused }
        for timer in others { timer.pause() }
        defer { for timer in others { timer.resume() } }
        for _ in 0..<firing {
            _ = fireOnce(name)
            guard machine.stateIndex == index else { return false }
        }
        return fireOnce(name)
    }

    private func fireOnce(_ name: String) -> Bool {
        let (timer, version) = (machine.timers.last { $0.plan.name == name }, machine.version)
        guard let left = timer?.leftUntilNextFiring else { return false }
        advance(by: left)
        return machine.version != version
    }

    func advance(by duration: Duration) {
        timekeeper.advance(clock, by: duration) { timekeeper.fireDue() }
    }

    /// Sends an event, and fires the timers that it makes due.
    func send(_ event: String, _ payload: JSON?, from source: EventSource) throws(Refusal) -> Outcome {
        let outcome = try machine.send(named: event, payload: payload.map(Payload.init), from: source)
        timekeeper.fireDue()
        return outcome
    }
}

extension StateTimer {
    /// Its milestones that are to come, and its end.
    fileprivate var firingsToCome: [Step] {
        milestonesToCome.map { .milestone(plan.name, left: $0.remaining) } + [.timer(plan.name)]
    }
}
