// A session that is explored: it has a clock of its own, and no host.

import Timers

struct Visit {
    private let clock = VirtualClock()
    private let timekeeper: Timekeeper
    let machine: AnyMachine

    init(_ kind: FlowKind) throws {
        timekeeper = Timekeeper(clock)
        machine = try kind.begin(on: timekeeper)
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
        let place = machine.stateIndex
        let others = machine.timers.filter { $0.plan.name != name && !$0.isPaused }
        for timer in others { timer.pause() }
        defer { for timer in others { timer.resume() } }
        for _ in 0..<firing {
            _ = fireOnce(name)
            guard machine.stateIndex == place else { return false }
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
    /// The names of its firings as steps: those of the milestones that are to come, and the timer's own.
    var firingsToCome: [String] {
        milestonesToCome.map { "\(plan.name), \($0.remaining.written) left" } + [plan.name]
    }
}
