// What a machine saves of its state, and what restoring needs.

import Texts
import Timers

extension FlowKind {
    /// The restorer of sessions in that state.
    @usableFromInline
    final func restorer(of state: String, on clock: FlowClock) throws -> StateRestorer {
        if let known = restorers.first(where: { $0.restoring.stateName == state }) { return known }
        guard states.contains(state) else {
            throw RestorationError("'\(name)' has no state '\(state.shortened)'; \(states.available)")
        }
        let restorer = StateRestorer(RestorationContext(on: clock, plans: timers, stateName: state))
        restorers.append(restorer)
        return restorer
    }
}

extension SessionImage {
    /// As a store keeps it, but to the nanosecond. Throws if the state cannot be encoded, which is a mistake in its flow.
    package init(of machine: AnyMachine) throws {
        // The newest first, as a store keeps them.
        var timers: [TimerImage] = []
        machine.forEachTimer { timer in
            timers.append(
                TimerImage(
                    name: timer.plan.name, kind: timer.plan.kind, left: timer.remaining,
                    isPaused: timer.isPaused, milestonesDue: timer.milestonesDue))
        }
        self.init(
            state: machine.stateName, data: machine.carriesOnlyTimers ? .object([]) : try machine.stateData(),
            context: try machine.contextText.map { try JSON(parsing: $0) }, timers: timers[...], isSaved: true)
        events = SavedEvents(waiting: machine.waitingEvents, sent: machine.sent?.events ?? [])
        (version, since) = (machine.version, machine.since)
        (isFrozen, isHalted) = (machine.isFrozen, machine.clock.isHalted)
    }

    /// Of a session that was dropped. The senders of events that wait for a hook got an error by then. A session that is made from it is a new
    /// life, and so remembers no ids.
    package init(ofDropped machine: AnyMachine) throws {
        try self.init(of: machine)
        version = 0
        events?.waiting.removeAll { !$0.isPostponed }
        events?.sent = []
    }
}

extension AnyMachine {
    /// Has what the image says beside the state. The time since it was taken counts as time in which the daemon was down.
    final func recall(_ image: SessionImage) throws {
        changes = image.version
        if let since = image.since { entered = since }
        if image.isHalted { clock.halt() } else if image.isFrozen { clock.freeze() }
        if let events = image.events { try restore(events) }
    }

    /// Why its clock stands, if the daemon stopped it; nil if it did not.
    package final var haltReason: String? { clock.isHalted ? ZeroTimerGuard.halted : nil }

    /// Whether the state carries only timers, so that its name and its timers are all that must be saved.
    package final var carriesOnlyTimers: Bool { kind.onlyTimers[place] ?? kind.paths.carriesOnlyTimers(self) }

    /// Whether it has no parameters, no waiting events and no other extras.
    package final var hasOnlyState: Bool { !flags.hasExtras && kind.parameters.isEmpty }

    /// The parameters that it was begun with, as NEW takes them; nil if none are known.
    package final var beginning: JSON? {
        contextText.flatMap { try? JSON(parsing: $0) }.map { ["context": $0] }
    }

    /// What begins a session where it is, as NEW takes it. For people, where a flow from a file enters its states in its own way.
    package final var beginningHere: JSON {
        let data = kind.origin == nil ? try? stateData() : try? shownData()
        let context = contextText.flatMap { try? JSON(parsing: $0) }.map { [JSON.Member("context", $0)] } ?? []
        return .object(context + [.init("state", .string(stateName)), .init("data", data ?? .object([]))])
    }

    /// Whether something waits, or works, for it: then it has to be released to end that.
    package final var hasWaiting: Bool { flags.hasExtras }

    /// Whether an event waits for an asynchronous hook, or a step is under way: then it has no image that is complete.
    package final var isBusy: Bool { phase != .idle }
}

extension Machine {
    /// Decided by the types of the case's values, not by the values: an optional that is nil now may not be next time.
    @usableFromInline
    func hasOnlyTimers() -> Bool {
        if let known = state.carriesOnlyTimers { return known }
        let found = Self.carriesOnlyTimers(state)
        kind.onlyTimers[place] = found
        return found
    }

    private static func carriesOnlyTimers(_ state: F.State) -> Bool {
        let mirror = Mirror(reflecting: state)
        guard mirror.displayStyle == .enum else { return false }
        guard let payload = mirror.children.first?.value else { return true }
        let parts = Mirror(reflecting: payload)
        return parts.displayStyle == .tuple ? parts.children.allSatisfy { $0.value is StateTimer } : payload is StateTimer
    }
}

/// The answers known so far, by index of the state.
struct TimerOnlyStates {
    private var known: [UInt8] = []

    subscript(place: UInt32) -> Bool? {
        get {
            guard place < known.count, known[Int(place)] != 0 else { return nil }
            return known[Int(place)] == 1
        }
        set {
            while known.count <= place { known.append(0) }
            known[Int(place)] = newValue.map { $0 ? 1 : 2 } ?? 0
        }
    }
}
